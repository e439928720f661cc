"""Layer theory: the noise of a weighted sum of gradients, the middle of a sandwich covariance.

In: gradients of rows, their weights, and how many rows each stands for.  Out: the covariance of the weighted sum.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

Block = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Gradients ``(m, p)``, weights, counts and groups ``(m,)`` of some rows."""


def scatter(blocks: Iterable[Block], p: int, groups: int = 1) -> np.ndarray:
    """``sum_i (w_i**2 / k_i) (s_i - mean)(s_i - mean)'``, shape ``(p, p)``; row ``i`` stands for ``k_i`` rows.

    Weights enter squared: that is the variance of ``w_i s_i``, and a weight is no number of rows.  ``mean`` is the
    weighted mean of the row's group: the sum is a weighted mean over the group but for a factor, and what all rows of
    it have in common is no noise.

    >>> block = np.array([[1.0], [3.0]]), np.array([2.0, 2.0]), np.ones(2), np.zeros(2, dtype=int)
    >>> scatter([block], 1)
    array([[8.]])
    """
    meat, pull, push = np.zeros((p, p)), np.zeros((groups, p)), np.zeros((groups, p))
    mass, square = np.zeros(groups), np.zeros(groups)
    for gradients, weight, counts, group in blocks:
        strength, member = weight**2 / counts, (group == np.arange(groups)[:, None]).astype(float)
        meat += gradients.T @ (strength[:, None] * gradients)
        pull += (member * weight) @ gradients
        push += (member * strength) @ gradients
        mass += member @ weight
        square += member @ strength
    mean = pull / mass[:, None]
    cross = push.T @ mean
    return meat - cross - cross.T + (mean.T * square) @ mean
