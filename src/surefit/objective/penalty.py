"""Layer objective: ``Penalty``, what complexity costs, with the proximal maps and conjugates that solvers need.

In: coefficients ``w`` of any shape, taken as one long vector (an intercept is never among them).  Out: numbers and
arrays of the same shape.  The weight ``lam`` belongs to the problem, not to the penalty: ``prox`` takes the product
``step = lam * step size`` and ``conjugate`` takes ``lam``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from surefit.objective.balls import checked_order, dual_norm, norm, project_l1_ball
from surefit.objective.loss import EDGE
from surefit.parameters import Parametrised, non_negative


class Penalty(Parametrised, ABC):
    """A convex functional ``value(w) >= 0``, added to the mean loss with weight ``+ lam``.  Catalogue P-08.

    A penalty of your own needs ``value``, ``gradient`` and ``prox``; ``surefit.testing.check_penalty`` tries to refute
    what it claims.  Facts:

    - ``smooth``: differentiable everywhere, with a continuous gradient.
    - ``separable``: a sum of functions of one coefficient each.
    - ``norm``: a norm, which then also has a ``dual_norm``.
    - ``strong_convexity``: the largest ``m`` for which ``value(w) - m/2 * ||w||**2`` is convex.

    For exact minimisers of ``risk + lam * penalty``, a larger ``lam`` never raises the penalty or lowers the risk.

    >>> class NonNegative(Penalty):                      # not every penalty is a norm: here 0, or inf off the orthant
    ...     separable = True
    ...     def value(self, w):
    ...         return 0.0 if np.min(w) >= 0 else np.inf
    ...     def gradient(self, w):
    ...         return np.zeros_like(w)
    ...     def prox(self, v, step):
    ...         return np.maximum(v, 0.0)
    >>> NonNegative().prox(np.array([1.0, -2.0]), 0.5)
    array([1., 0.])
    """

    smooth: bool = False
    separable: bool = False
    norm: bool = False
    strong_convexity: float = 0.0

    @abstractmethod
    def value(self, w: ArrayLike) -> float:
        """The penalty of the coefficients ``w``."""

    @abstractmethod
    def gradient(self, w: ArrayLike) -> np.ndarray:
        """Gradient at ``w``; at a kink, one fixed subgradient (the shortest, for the penalties of this module)."""

    @abstractmethod
    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        """The ``w`` that minimises ``||w - v||**2 / 2 + step * value(w)``, for ``step >= 0``."""

    def conjugate(self, u: ArrayLike, lam: float = 1.0) -> float:
        """``sup_w <u, w> - lam * value(w)``, ``inf`` outside its domain.

        The default serves norms: 0 if ``dual_norm(u) <= lam``, else ``inf``.
        """
        if not self.norm:
            raise NotImplementedError(f"{self!r} has no conjugate, so no duality gap; write conjugate(u, lam) for it")
        return 0.0 if self.dual_norm(u) <= lam * (1 + EDGE) else np.inf

    def dual_norm(self, u: ArrayLike) -> float:
        """``sup <u, w>`` over ``value(w) <= 1``, if the penalty is a norm."""
        raise NotImplementedError(f"{self!r} is not declared a norm; set norm = True and write dual_norm if it is one")

    def dual_scaling(self, u: ArrayLike, lam: float) -> float:
        """The largest ``s <= 1`` that brings ``s * u`` into the domain of ``conjugate(., lam)``.

        ``min(1, lam / dual_norm(u))`` for norms.  For other penalties the default is 1, right wherever
        ``conjugate`` is finite everywhere, as it is for strongly convex penalties with ``lam > 0``.
        """
        if not self.norm:
            return 1.0 if lam > 0 or not np.any(u) else 0.0
        size = self.dual_norm(u)
        return 1.0 if size <= lam else lam / size


@final
class SquaredL2(Penalty):
    """``||w||**2``, no factor 1/2; gradient ``2 * w``, proximal map ``v / (1 + 2 * step)``.  Catalogue P-01.

    >>> SquaredL2().value([3.0, 4.0]), SquaredL2().prox([3.0, 4.0], 0.5)
    (25.0, array([1.5, 2. ]))
    """

    smooth = separable = True
    strong_convexity = 2.0

    @np.errstate(over="ignore")
    def value(self, w: ArrayLike) -> float:
        return float(np.sum(np.square(np.asarray(w, dtype=float))))

    def gradient(self, w: ArrayLike) -> np.ndarray:
        return 2 * np.asarray(w, dtype=float)

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        return np.asarray(v, dtype=float) / (1 + 2 * checked_step(step))

    @np.errstate(over="ignore")
    def conjugate(self, u: ArrayLike, lam: float = 1.0) -> float:
        return only_at_zero(u) if lam == 0 else self.value(u) / (4 * lam)


@final
class L1(Penalty):
    """``||w||_1``; the proximal map is soft thresholding, and the dual norm the largest entry.  Catalogue P-02.

    The subgradient is ``sign(w)``, 0 at 0.

    >>> L1().prox([3.0, -0.5], 1.0), L1().dual_norm([3.0, -4.0])
    (array([2., 0.]), 4.0)
    """

    separable = norm = True

    def value(self, w: ArrayLike) -> float:
        return norm(w, 1)

    def gradient(self, w: ArrayLike) -> np.ndarray:
        return np.sign(np.asarray(w, dtype=float))

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        return soft_threshold(v, checked_step(step))

    def dual_norm(self, u: ArrayLike) -> float:
        return norm(u, np.inf)


@final
class ElasticNet(Penalty):
    """``l1_ratio * ||w||_1 + (1 - l1_ratio) * ||w||**2``: ``L1`` at 1, ``SquaredL2`` at 0.  Catalogue P-01, P-02.

    No factor 1/2: the ``l1_ratio`` of other libraries translates with ``convert_elastic_net``.

    >>> ElasticNet(0.5).value([3.0, -4.0]), ElasticNet(0.5).prox([3.0, -0.5], 1.0)
    (16.0, array([1.25, 0.  ]))
    """

    separable = True

    def __init__(self, l1_ratio: float = 0.5):
        self.l1_ratio = float(l1_ratio)
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio must be from 0 to 1, got {l1_ratio!r}; use 0 for ridge and 1 for lasso")

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return self.l1_ratio == 0

    @property
    def norm(self) -> bool:  # type: ignore[override]
        return self.l1_ratio == 1

    @property
    def strong_convexity(self) -> float:  # type: ignore[override]
        return 2 * (1 - self.l1_ratio)

    @np.errstate(over="ignore")
    def value(self, w: ArrayLike) -> float:
        w = np.asarray(w, dtype=float)
        lasso = self.l1_ratio * float(np.sum(np.abs(w))) if self.l1_ratio > 0 else 0.0
        return lasso + (1 - self.l1_ratio) * float(np.sum(w**2)) if self.l1_ratio < 1 else lasso

    def gradient(self, w: ArrayLike) -> np.ndarray:
        w = np.asarray(w, dtype=float)
        return self.l1_ratio * np.sign(w) + 2 * (1 - self.l1_ratio) * w

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        step = checked_step(step)
        return soft_threshold(v, step * self.l1_ratio) / (1 + 2 * step * (1 - self.l1_ratio))

    def conjugate(self, u: ArrayLike, lam: float = 1.0) -> float:
        if lam == 0:
            return only_at_zero(u)
        if self.l1_ratio == 1:
            return 0.0 if norm(u, np.inf) <= lam * (1 + EDGE) else np.inf
        return float(np.sum(soft_threshold(u, lam * self.l1_ratio) ** 2) / (4 * lam * (1 - self.l1_ratio)))

    def dual_norm(self, u: ArrayLike) -> float:
        if self.l1_ratio < 1:
            raise NotImplementedError(f"{self!r} is not a norm; only l1_ratio=1 is, use L1()")
        return norm(u, np.inf)


@final
class L2(Penalty):
    """``||w||``, the unsquared Euclidean norm; proximal map ``max(1 - step / ||v||, 0) * v``.  Catalogue P-03, E-106.

    Sets all coefficients to zero at once, when the gradient of the loss at 0 has norm at most ``lam``; any other
    solution is also a ``SquaredL2`` one, with ``lam / (2 * ||w||)``.  The subgradient at 0 is 0.

    >>> L2().prox([3.0, 4.0], 2.0)
    array([1.8, 2.4])
    """

    norm = True

    def value(self, w: ArrayLike) -> float:
        return norm(w, 2)

    def gradient(self, w: ArrayLike) -> np.ndarray:
        return norm_gradient(w, 2)

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        v, step = np.asarray(v, dtype=float), checked_step(step)
        length = norm(v, 2)
        return v * (1 - step / length) if length > step else np.zeros_like(v)

    def dual_norm(self, u: ArrayLike) -> float:
        return norm(u, 2)


@final
class PNorm(Penalty):
    """``(sum_j |w_j|**order)**(1/order)`` for ``1 <= order <= inf``, with the dual order as dual norm.  Catalogue P-07.

    Orders 1 and 2 are ``L1`` and ``L2``.  The proximal map is exact at 1, 2 and infinity and found by a scalar root
    elsewhere.  The subgradient is 0 at 0; for the maximum it is shared among ties.

    >>> PNorm(3.0).value([1.0, 2.0]) == 9 ** (1 / 3), PNorm(np.inf).dual_norm([3.0, 4.0])
    (True, 7.0)
    """

    norm = True

    def __init__(self, order: float = 2.0):
        self.order = checked_order(order)

    @property
    def separable(self) -> bool:  # type: ignore[override]
        return self.order == 1

    def value(self, w: ArrayLike) -> float:
        return norm(w, self.order)

    def gradient(self, w: ArrayLike) -> np.ndarray:
        return norm_gradient(w, self.order)

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        step = checked_step(step)
        if self.order == 1:
            return L1().prox(v, step)
        if self.order == 2:
            return L2().prox(v, step)
        v = np.asarray(v, dtype=float)
        if step == 0:
            return v.copy()
        if self.dual_norm(v) <= step:
            return np.zeros_like(v)
        if self.order == np.inf:
            return v - project_l1_ball(v, step)  # Moreau: the dual ball is the L1 ball
        return np.sign(v) * shrunk_sizes(np.abs(v), step, self.order)

    def dual_norm(self, u: ArrayLike) -> float:
        return dual_norm(u, self.order)


def soft_threshold(v: ArrayLike, level: float) -> np.ndarray:
    """``sign(v) * max(|v| - level, 0)``, entry by entry."""
    v = np.asarray(v, dtype=float)
    return v - np.clip(v, -level, level)


def norm_gradient(w: ArrayLike, order: float) -> np.ndarray:
    """Gradient ``sign(w) * (|w| / norm)**(order - 1)`` of a p-norm; 0 at 0, shared among ties for the maximum."""
    w = np.asarray(w, dtype=float)
    largest = norm(w, np.inf)
    if largest == 0:
        return np.zeros_like(w)
    if order == np.inf:
        ties = np.abs(w) == largest
        return np.sign(w) * ties / ties.sum()
    unit = w / largest
    return np.sign(w) * (np.abs(unit) / norm(unit, order)) ** (order - 1)


def shrunk_sizes(sizes: np.ndarray, step: float, order: float) -> np.ndarray:
    """Sizes ``x >= 0`` with ``x + step * (x / ||x||)**(order - 1) = sizes``: the proximal map of a p-norm, 1 < p < inf.

    For a trial norm ``t`` each coordinate is a rising scalar equation; the right ``t`` is the norm of its own answer.
    Assumes that the answer is not 0.
    """

    @np.errstate(over="ignore")  # a trial norm far too small: the power is inf, and rightly above the size
    def coordinates(t: float) -> np.ndarray:
        low, high = np.zeros_like(sizes), sizes.copy()
        for _ in range(70):
            middle = 0.5 * (low + high)
            over = middle + step * (middle / t) ** (order - 1) > sizes
            low, high = np.where(over, low, middle), np.where(over, middle, high)
        return 0.5 * (low + high)

    top = norm(sizes, order)
    smallest = top * 1e-14
    excess = lambda t: norm(coordinates(t), order) - t
    if excess(smallest) <= 0:
        return np.zeros_like(sizes)
    return coordinates(brentq(excess, smallest, top, xtol=1e-15 * top, rtol=1e-14))


def only_at_zero(u: ArrayLike) -> float:
    """The conjugate of the zero function: 0 at 0, ``inf`` elsewhere."""
    return np.inf if np.any(u) else 0.0


def checked_step(step: float) -> float:
    """``step`` as a float, if a proximal map can take it."""
    return non_negative("step", step, "use step=0 for the identity")
