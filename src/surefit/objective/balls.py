"""Layer objective: norms, their duals, and the nearest point of a norm ball.

In: a vector (any array counts as one long vector).  Out: numbers, or the Euclidean projection in the same shape.
Penalties and constraints ``||w|| <= radius`` are related: proximal maps follow from these projections by Moreau's
identity ``prox_{a norm}(v) = v - a * projection of v / a onto the dual unit ball``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefit.parameters import non_negative, positive, within


def norm(w: ArrayLike, order: float) -> float:
    """``(sum_j |w_j|**order)**(1/order)`` for ``1 <= order <= inf``, without overflow or underflow.  Catalogue P-07.

    >>> norm([3, 4], 2), norm([3, 4], 1), norm([3, 4], np.inf)
    (5.0, 7.0, 4.0)
    """
    order = checked_order(order)
    sizes = np.abs(np.ravel(np.asarray(w, dtype=float)))
    largest = float(sizes.max(initial=0.0))
    if order == np.inf or largest in (0.0, np.inf):
        return largest
    return largest * float(np.sum((sizes / largest) ** order) ** (1 / order))


def dual_order(order: float) -> float:
    """The ``q`` with ``1/order + 1/q = 1``, including the pair 1 and infinity.  Catalogue P-07.

    >>> dual_order(1), dual_order(2), dual_order(np.inf), dual_order(3)
    (inf, 2.0, 1.0, 1.5)
    """
    order = checked_order(order)
    if order == 1:
        return np.inf
    return 1.0 if order == np.inf else order / (order - 1)


def dual_norm(u: ArrayLike, order: float) -> float:
    """``sup <u, v>`` over ``norm(v, order) <= 1``, which is the norm of the dual order.  Catalogue P-07.

    >>> dual_norm([3, 4], 2), dual_norm([3, 4], 1), dual_norm([3, 4], np.inf)
    (5.0, 4.0, 7.0)
    """
    return norm(u, dual_order(order))


def checked_order(order: float) -> float:
    """``order`` as a float, if it makes a norm."""
    return within("order", order, (1, np.inf), "below 1 it is not a norm, use 1, 2 or inf")


def project_l2_ball(v: ArrayLike, radius: float) -> np.ndarray:
    """Nearest point with Euclidean norm at most ``radius``: ``v * min(1, radius / ||v||)``.  Catalogue P-06.

    >>> project_l2_ball([3.0, 4.0], 1.0)
    array([0.6, 0.8])
    """
    v, radius = np.asarray(v, dtype=float), checked_radius(radius)
    length = norm(v, 2)
    return v.copy() if length <= radius else v * (radius / length)


def project_linf_ball(v: ArrayLike, radius: float) -> np.ndarray:
    """Nearest point with all entries in ``[-radius, radius]``: each entry clipped.  Catalogue P-06.

    >>> project_linf_ball([3.0, -0.5], 1.0)
    array([ 1. , -0.5])
    """
    radius = checked_radius(radius)
    return np.clip(np.asarray(v, dtype=float), -radius, radius)


def project_l1_ball(v: ArrayLike, radius: float) -> np.ndarray:
    """Nearest point with ``||v||_1 <= radius``: soft thresholding at the level that meets the radius.  Catalogue P-06.

    >>> project_l1_ball([3.0, -1.0, 0.5], 2.0)
    array([ 2., -0.,  0.])
    """
    v, radius = np.asarray(v, dtype=float), checked_radius(radius)
    if np.abs(v).sum() <= radius:
        return v.copy()
    if radius == 0:
        return np.zeros_like(v)
    return np.copysign(project_simplex(np.abs(v), radius), v)


def project_simplex(v: ArrayLike, total: float = 1.0) -> np.ndarray:
    """Nearest point with non-negative entries that sum to ``total``.  Catalogue P-06.

    ``max(v - c, 0)`` with the level ``c`` found by one sort: the entries that stay positive are the largest ones.

    >>> project_simplex([0.5, 0.5, -1.0])
    array([0.5, 0.5, 0. ])
    """
    v = np.asarray(v, dtype=float)
    total = positive("total", total, "use np.zeros_like(v) for a total of 0")
    if v.size == 0:
        raise ValueError("v is empty, and no empty vector has a positive sum; give at least one entry")
    falling = -np.sort(-np.ravel(v))
    levels = (np.cumsum(falling) - total) / np.arange(1, v.size + 1)
    kept = np.flatnonzero(falling > levels)
    return np.maximum(v - levels[kept[-1] if kept.size else 0], 0.0)


def checked_radius(radius: float) -> float:
    """``radius`` as a float, if a ball can have it."""
    return non_negative("radius", radius, "use radius=0 for the zero vector alone")
