"""Layer theory: exact leave-one-out of linear smoothers, without refitting.

In: a factorisation and targets.  Out: leave-one-out residuals or their mean square, for every ``lam`` at once.
What is exact is the refit with ``n * lam`` held fixed (the same penalty against the same sum of losses).
A row leaves with all its weight, since a weight counts copies and a copy that stayed would be remembered; rows that
equal each other are merged before (`surefit.data.fingerprints.without_copies`), so that they leave together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefit.page import Page, Readable, Table, number
from surefit.solvers.linear.factor import SpectralFactor
from surefit.theory.fit.smoother import leverages
from surefit.threads import map_in_order

NOTHING_LEFT = 1e-13
"""Room ``1 - H_ii`` below which, if it is the rest of a subtraction, the left-out prediction is undefined."""


@dataclass(frozen=True)
class _LeftOut:
    """What every block of rows needs to compute its leave-one-out residuals.

    Both ``r_i`` and ``1 - H_ii`` are sums over directions of what the penalty takes away, plus what lies outside the
    span of the columns (exactly nothing if they span everything): no digits are lost when the fit is nearly perfect.
    """

    factor: SpectralFactor
    target: np.ndarray
    rotated: np.ndarray
    lost: np.ndarray

    @staticmethod
    def of(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> "_LeftOut":
        target = factor.A.target(y)
        lost = factor.taken_away(np.asarray(lams, dtype=float) * factor.A.design.total_weight)
        return _LeftOut(factor, target, factor.coordinates(target), lost)

    @cached_property
    def pulled(self) -> np.ndarray:
        """``lost * rotated`` for every ``lam`` and target side by side, shape ``(rank, L k)``."""
        product = self.lost.T[:, :, None] * self.rotated[:, None, :]
        return product.reshape(len(product), product.shape[1] * product.shape[2])

    def residuals(self, rows: slice) -> np.ndarray:
        """Leave-one-out residuals ``(m, L, k)`` of these rows; infinite where they are undefined."""
        A, lost, U = self.factor.A, self.lost, self.factor.left_rows(rows)
        squares = U**2
        room = squares @ lost.T
        residual = (U @ self.pulled).reshape(len(U), len(lost), self.target.shape[1])
        complete = self.factor.rank >= A.design.n_counted - A.fit_intercept
        if not complete:
            room += np.maximum(1.0 - self.factor.mean_leverage[rows] - squares.sum(axis=1), 0.0)[:, None]
            residual += (self.target[rows] - U @ self.rotated)[:, None, :]
        undefined = room <= (0.0 if complete else NOTHING_LEFT)
        room[undefined] = 1.0
        room *= np.where(A.root_weight[rows] > 0, A.root_weight[rows], 1.0)[:, None]
        residual /= room[:, :, None]
        residual[undefined] = np.inf
        return residual


def exact_loo(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> np.ndarray:
    """Leave-one-out residuals of ridge for every ``lam``, shape ``(len(lams), n)`` (``+ (k,)``), without refitting.

    ``y_i - f_{-i}(x_i) = r_i / (1 - H_ii)`` with ``H`` the hat matrix, intercept included, at the same ``n * lam``;
    a row leaves with all its weight.  Infinite where the leverage is one.  Catalogue T-76, S-04.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> float((exact_loo(factor, np.array([1.0, 3, 2, 5]), [0.0])**2).sum().round(9))
    8.866213152
    """
    targets = y[:, None] if y.ndim == 1 else y
    left_out, slices = _LeftOut.of(factor, targets, lams), list(factor.A.design.row_slices())
    residuals = np.empty((len(lams), *targets.shape))
    for rows, block in zip(slices, map_in_order(left_out.residuals, slices), strict=True):
        residuals[:, rows] = block.transpose(1, 0, 2)
    return residuals[:, :, 0] if y.ndim == 1 else residuals


def loo_curve(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> np.ndarray:
    """Weighted mean squared leave-one-out residual for every ``lam``, shape ``(len(lams),)``; outputs are averaged.

    Rows of weight zero do not count.  Catalogue T-76, S-04.
    """
    return loo_curve_with_error(factor, y, lams)[0]


def loo_curve_with_error(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`loo_curve` and its standard error, by the formula of cross-validation with a fold for each of the ``n`` rows.

    ``sqrt(sum_i p_i (e_i - curve)**2 / (n - 1))`` for squared residuals ``e_i`` of rows that have the share ``p_i`` of
    the weight; nan for one row, and where a residual is undefined.  Catalogue S-05.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> nothing = spectral_factor(Design.of(np.zeros((3, 1))), True)
    >>> curve, se = loo_curve_with_error(nothing, np.array([0.0, 2.0, 4.0]), [1.0])
    >>> curve.round(9), se.round(9)
    (array([6.]), array([3.]))
    """
    targets = y[:, None] if y.ndim == 1 else y
    left_out, weight = _LeftOut.of(factor, targets, lams), factor.A.design.weight

    def weighted_sums(rows: slice) -> np.ndarray:
        counted = weight[rows] > 0
        squares = np.mean(left_out.residuals(rows)[counted] ** 2, axis=2)
        return weight[rows][counted] @ np.stack([squares, squares**2], axis=1).transpose(1, 0, 2)

    with np.errstate(over="ignore", invalid="ignore"):
        first, second = np.asarray(sum(map_in_order(weighted_sums, factor.A.design.row_slices())))
        curve, n = first / factor.A.design.total_weight, factor.A.design.n_counted
        spread = np.maximum(second / factor.A.design.total_weight - curve**2, 0.0)
        return curve, np.sqrt(spread / (n - 1)) if n > 1 else np.full(len(curve), np.nan)


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Readable):
    """Every training row as the fit without it sees it, in the order of the rows that counted.

    ``predictions`` and ``residuals`` are ``(n,)``, or ``(n, k)`` for ``k`` targets; ``leverages`` ``(n,)`` are those of
    what leaves together.  A row that decides its own fit (leverage 1) has no left-out prediction: nan, and an infinite
    residual.  ``weight`` is the row's own.

    >>> print(LeaveOneOut(np.array([2.0]), np.array([-1.0]), np.array([0.5]), np.ones(1)))
    Leave-one-out
    ================================================================================
    Rows                                 1    Mean squared error                   1
    --------------------------------------------------------------------------------
    row  prediction  residual  leverage
    0             2        -1       0.5
    --------------------------------------------------------------------------------
    """

    predictions: np.ndarray
    residuals: np.ndarray
    leverages: np.ndarray
    weight: np.ndarray

    @property
    def mean_squared_error(self) -> float:
        """The weighted mean of the squared residuals, averaged over targets: what ``lam`` is chosen by."""
        squares = self.residuals.reshape(len(self.weight), -1) ** 2
        return float(np.mean(self.weight @ squares) / self.weight.sum())

    def _columns(self) -> tuple[dict[str, np.ndarray], np.ndarray, str]:
        found = {"prediction": self.predictions, "residual": self.residuals}
        columns = {
            name if values.ndim == 1 else f"{name} [{k}]": column
            for name, values in found.items()
            for k, column in enumerate(values.reshape(len(values), -1).T)
        }
        return {**columns, "leverage": self.leverages}, np.arange(len(self.leverages)), "row"

    def _page(self) -> Page:
        columns, index, name = self._columns()
        cells = lambda i, room: [number(float(column[i])) for column in columns.values()]
        table = Table([str(i) for i in index], tuple(columns), cells, name, rows=20)
        facts = (("Rows", f"{len(index):,}"), ("Mean squared error", number(self.mean_squared_error)))
        return Page("Leave-one-out", facts, table)


def leave_one_out(
    factor: SpectralFactor, targets: np.ndarray, lam: float, weight: np.ndarray, together: np.ndarray
) -> LeaveOneOut:
    """The left-out fits of rows with ``targets`` ``(n, k)`` and ``weight``, from the factor of what leaves together.

    ``together`` says for every row which row of the factor it is a part of; those have the weighted mean of the targets
    and the whole weight.  ``n * lam`` is held fixed.  Catalogue T-76, S-04.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> leave_one_out(factor, np.array([[1.0], [3], [2], [5]]), 0.0, np.ones(4), np.arange(4)).leverages.round(12)
    array([0.7, 0.3, 0.3, 0.7])
    """
    share = weight / np.bincount(together, weight)[together]
    means = np.stack([np.bincount(together, share * column) for column in targets.T], axis=1)
    lams = np.array([lam])
    missed = exact_loo(factor, means, lams)[0]
    defined = np.isfinite(missed)
    predictions = np.where(defined, means - np.where(defined, missed, 0.0), np.nan)[together]
    residuals = np.where(defined[together], targets - predictions, np.inf)
    return LeaveOneOut(predictions, residuals, leverages(factor, lams)[0][together], weight)


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
