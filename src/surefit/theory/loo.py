"""Layer theory: exact leave-one-out of linear smoothers, without refitting.

In: a factorisation and targets.  Out: leave-one-out residuals or their mean square, for every ``lam`` at once.
What is exact is the refit with ``n * lam`` held fixed (the same penalty against the same sum of losses).
A row of weight ``w > 1`` stands for ``w`` copies, of which one is left out; a row of weight up to one leaves whole.
"""

from collections.abc import Callable, Iterator

import numpy as np

from surefit.solvers.factor import SpectralFactor

NOTHING_LEFT = 1e-13
"""Room ``1 - H_ii`` below which, if it is the rest of a subtraction, the left-out prediction is undefined."""


def _residual_blocks(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Leave-one-out residuals ``(L, m, k)`` of a block of rows at a time; infinite where they are undefined.

    Both ``r_i`` and ``1 - H_ii`` are sums over directions of what the penalty takes away, plus what lies outside the
    span of the columns (exactly nothing if they span everything): no digits are lost when the fit is nearly perfect.
    """
    A, weight = factor.A, factor.A.design.weight
    lost = factor.taken_away(np.asarray(lams, dtype=float) * A.design.total_weight)
    target = A.target(y)
    rotated = factor.coordinates(target)
    k, complete = y.shape[1], factor.rank >= A.design.n_counted - A.fit_intercept
    pulled = (lost.T[:, :, None] * rotated[:, None, :]).reshape(factor.rank, len(lost) * k)
    for rows, U in factor.left_blocks():
        room = U**2 @ lost.T
        residual = (U @ pulled).reshape(len(U), len(lost), k)
        if not complete:
            room += np.maximum(1.0 - factor.mean_leverage[rows] - np.sum(U**2, axis=1), 0.0)[:, None]
            residual += (target[rows] - U @ rotated)[:, None, :]
        undefined = room <= (0.0 if complete else NOTHING_LEFT)
        copies = weight[rows, None]
        room = np.where(copies > 1.0, 1.0 - (1.0 - room) / np.maximum(copies, 1.0), room)
        undefined &= copies <= 1.0
        root = np.where(A.root_weight[rows] > 0, A.root_weight[rows], 1.0)
        residual /= (np.where(undefined, 1.0, room) * root[:, None])[:, :, None]
        residual[undefined] = np.inf
        yield rows, residual


def exact_loo(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> np.ndarray:
    """Leave-one-out residuals of ridge for every ``lam``, shape ``(len(lams), n)`` (``+ (k,)``), without refitting.

    ``y_i - f_{-i}(x_i) = r_i / (1 - H_ii)`` with ``H`` the hat matrix, intercept included, at the same ``n * lam``
    (``H_ii / w_i`` for a row of weight ``w_i > 1``: one of its copies leaves); infinite where that is one.
    Catalogue T-76, S-04.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> float((exact_loo(factor, np.array([1.0, 3, 2, 5]), [0.0])**2).sum().round(9))
    8.866213152
    """
    targets = y[:, None] if y.ndim == 1 else y
    residuals = np.empty((len(lams), *targets.shape))
    for rows, block in _residual_blocks(factor, targets, lams):
        residuals[:, rows] = block.transpose(1, 0, 2)
    return residuals[:, :, 0] if y.ndim == 1 else residuals


def loo_curve(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> np.ndarray:
    """Weighted mean squared leave-one-out residual for every ``lam``, shape ``(len(lams),)``; outputs are averaged.

    Rows of weight zero do not count.  Catalogue T-76, S-04.
    """
    targets = y[:, None] if y.ndim == 1 else y
    weight = factor.A.design.weight
    total = np.zeros(len(lams))
    for rows, block in _residual_blocks(factor, targets, lams):
        counted = weight[rows] > 0
        total += np.einsum("i,ilk->l", weight[rows][counted], block[counted] ** 2)
    return total / factor.A.design.total_weight / targets.shape[1]


def loo_by_refitting(
    fit_predict: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray], X: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Leave-one-out residuals of any method by ``n`` refits: ``fit_predict(X_rest, y_rest, x_left_out)``.

    The definition itself; what the shortcut is tested against.  Catalogue S-03.

    >>> mean = lambda X, y, x: np.array([y.mean()])
    >>> loo_by_refitting(mean, np.zeros((3, 1)), np.array([0.0, 3.0, 6.0]))
    array([-4.5,  0. ,  4.5])
    """
    residuals = np.empty(len(y))
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        residuals[i] = y[i] - np.asarray(fit_predict(X[rest], y[rest], X[[i]])).ravel()[0]
    return residuals
