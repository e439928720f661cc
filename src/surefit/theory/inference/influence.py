"""Layer theory: the record of a least-squares fit, and what each row and column does to it.

In: a `LinearFit`, filled by whoever solved the problem.  Out: leverages, studentised residuals, Cook's distance,
DFFITS, DFBETAS, variance inflation, condition number.  Everything comes from one root ``L`` with ``L @ L.T =
inv(A'WA)``, ``A = [1 X]``: no normal equations, so that the digits which the solver found are not lost again.

Refused, with the reason: penalised fits, rank-deficient designs, ``n <= p``, several targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from surefit.page import Page, Readable, Table, number

MOST_INFLUENTIAL = 10  # rows that are printed; to_frame() has all
BLOCK_NUMBERS = 2**20  # a block of rows holds about this many numbers: 8 MB
FULL_LEVERAGE = 1 - 1e-10  # beyond it, residual / (1 - leverage) is mostly rounding
CONSTANT_TOLERANCE = 1e-9  # relative distance at which the columns are said to contain the constant
ROUNDING = 100 * np.finfo(float).eps  # relative size below which residuals are arithmetic noise


def refuse_penalised(model_name: str, lam: float) -> None:
    """Raise if ``lam > 0``: a penalised estimate is biased, and its classical standard errors are wrong.

    >>> refuse_penalised("LeastSquares", 0.0)
    """
    if lam > 0:
        raise ValueError(
            f"{model_name} with lam={lam:g} is penalised, so its coefficients are biased towards zero and classical "
            "standard errors, t and p values do not hold; use LeastSquares for inference"
        )


def _refuse_without_theory(n_rows: int, n_parameters: int, rank: int) -> None:
    if n_parameters == 0:
        raise ValueError("the model has no column and no intercept; give X a column or use fit_intercept=True")
    if n_rows <= n_parameters:
        raise ValueError(
            f"{n_rows} rows with positive weight and {n_parameters} parameters leave no degrees of freedom to estimate "
            "the noise, so standard errors do not exist; use more rows or fewer columns"
        )
    if rank < n_parameters:
        raise ValueError(
            f"the design has rank {rank} but {n_parameters} parameters, so single coefficients are not determined by "
            "the data and have no standard error; drop the redundant columns"
        )


@dataclass(frozen=True, eq=False, repr=False)
class LinearFit:
    """An unpenalised least-squares fit on which the theory holds: minimiser of ``sum_i w_i (y_i - <a_i, theta>)**2``.

    ``X`` is ``(n, d)``, dense or sparse; ``y`` is ``(n,)``; ``inverse_root`` is a ``(p, p)`` matrix ``L`` with
    ``L @ L.T = inv(A' W A)``, ``p = d + fit_intercept``, intercept first.  ``residuals`` are ``y - fitted``, used as
    given (a solver may know them in extended precision).  ``rank`` is that of ``A`` (``None``: full).  Building the
    record refuses fits without a theory.  Catalogue A-01, T-09.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> fit = LinearFit(X, y, np.array([1.1]), 1.1, root)
    >>> round(fit.rss, 9), fit.df_residual, fit.leverages.round(9).tolist()
    (2.7, 2, [0.7, 0.3, 0.3, 0.7])
    """

    X: Any
    y: np.ndarray
    coef: np.ndarray
    intercept: float
    inverse_root: np.ndarray
    sample_weight: np.ndarray | None = None
    fit_intercept: bool = True
    names: Sequence[str] | None = None
    target_name: str = "y"
    method: str = ""
    residuals: np.ndarray | None = None
    rank: int | None = None
    lam: float = 0.0

    def __post_init__(self) -> None:
        n, d = self.X.shape
        p = d + bool(self.fit_intercept)
        refuse_penalised("the model", self.lam)
        if np.ndim(self.y) != 1 or np.ndim(self.coef) != 1:
            raise ValueError(
                f"y has shape {np.shape(self.y)}: several targets share their noise, which these one-target formulas "
                "ignore; fit and summarise one column of y at a time"
            )
        weight = np.ones(n) if self.sample_weight is None else np.asarray(self.sample_weight)
        given = np.zeros(n) if self.residuals is None else self.residuals
        expected = {"y": (n,), "coef": (d,), "sample_weight": (n,), "residuals": (n,), "inverse_root": (p, p)}
        found = {"y": self.y, "coef": self.coef, "sample_weight": weight, "residuals": given}
        _refuse_without_theory(int(np.count_nonzero(weight)), p, p if self.rank is None else self.rank)
        for name, array in {**found, "inverse_root": self.inverse_root}.items():
            if np.shape(array) != expected[name]:
                raise ValueError(f"{name} must have shape {expected[name]}, got {np.shape(array)}; X is {n} x {d}")
        if self.names is not None and len(self.names) != d:
            raise ValueError(f"names must have {d} entries, one per column, got {len(self.names)}; leave out None")
        if not weight.min() >= 0:
            raise ValueError(f"sample_weight must be >= 0, got {weight.min():g}; use 0 to leave a row out")

    @property
    def n_rows(self) -> int:
        """Number of rows with positive weight."""
        return int(np.count_nonzero(self.weights))

    @property
    def n_parameters(self) -> int:
        """Number of coefficients, intercept included."""
        return len(self.inverse_root)

    @property
    def df_residual(self) -> int:
        """Degrees of freedom of the noise, ``n - p``."""
        return self.n_rows - self.n_parameters

    @property
    def parameters(self) -> np.ndarray:
        """``theta = (intercept, coef)``, shape ``(p,)``."""
        start = [float(self.intercept)] if self.fit_intercept else []
        return np.concatenate([start, np.asarray(self.coef, dtype=float)])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names in the order of `parameters`; columns without a name are ``x0, x1, ...``."""
        columns = [f"x{j}" for j in range(self.X.shape[1])] if self.names is None else self.names
        return (*(["intercept"] if self.fit_intercept else []), *map(str, columns))

    @cached_property
    def weights(self) -> np.ndarray:
        """Precision weights, ones if none were given, shape ``(n,)``."""
        return np.ones(len(self.y)) if self.sample_weight is None else np.asarray(self.sample_weight, dtype=float)

    @cached_property
    def raw_residuals(self) -> np.ndarray:
        """``y - fitted``, as given by the solver if it was, shape ``(n,)``."""
        given = self.y - (self.X @ self.coef + self.intercept) if self.residuals is None else self.residuals
        return np.asarray(given, dtype=float)

    @cached_property
    def weighted_residuals(self) -> np.ndarray:
        """``e_i = sqrt(w_i) * (y_i - fitted_i)``: equal variances if the weights are right, shape ``(n,)``."""
        return np.sqrt(self.weights) * self.raw_residuals

    @cached_property
    def rss(self) -> float:
        """Residual sum of squares, ``sum_i w_i r_i**2``."""
        return float(self.weighted_residuals @ self.weighted_residuals)

    @property
    def scale(self) -> float:
        """Unbiased estimate of the noise variance, ``rss / (n - p)``."""
        return self.rss / self.df_residual

    @property
    def exact(self) -> bool:
        """Whether the residuals are at rounding level: then standard errors measure arithmetic, not noise."""
        return bool(self.rss <= ROUNDING**2 * (self.weights @ np.square(self.y, dtype=float)))

    @cached_property
    def centre(self) -> np.ndarray:
        """Weighted mean row of ``X`` (zero without an intercept), shape ``(d,)``."""
        if not self.fit_intercept:
            return np.zeros(self.X.shape[1])
        return np.asarray(self.X.T @ self.weights, dtype=float) / self.weights.sum()

    @cached_property
    def root(self) -> np.ndarray:
        """``inverse_root`` turned: with an intercept, its first column is ``(1, 0, ..., 0) / sqrt(sum w)``.

        Level at the mean and slopes are uncorrelated, so this turn exists: ``<a_i, root> = (1 / sqrt(sum w),
        (x_i - centre) @ root[1:, 1:])`` does not subtract large numbers when columns lie far from zero.
        """
        if not self.fit_intercept:
            return np.asarray(self.inverse_root, dtype=float)
        turn = linalg.qr(self.inverse_root[1:].T)[0] if self.n_parameters > 1 else np.ones((1, 1))
        turned = self.inverse_root @ np.roll(turn, 1, axis=1)
        turned[:, 0] = 0.0
        turned[0, 0] = self.weights.sum() ** -0.5
        return turned

    def centred_blocks(self, X: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Dense blocks of rows of ``X - centre`` with their position; one block at a time is made dense."""
        rows: Any = X.tocsr() if sparse.issparse(X) else np.asarray(X)
        step = max(1, BLOCK_NUMBERS // max(1, rows.shape[1]))
        for start in range(0, rows.shape[0], step):
            block = rows[start : start + step]
            dense = block.toarray() if sparse.issparse(block) else block
            yield slice(start, start + len(dense)), np.asarray(dense, dtype=float) - self.centre

    @cached_property
    def _centre_rounding(self) -> np.ndarray:
        """What one double cannot hold of the mean row: the weighted mean of ``X - centre``, shape ``(d,)``."""
        if not self.fit_intercept:
            return np.zeros(self.X.shape[1])
        return sum(self.weights[rows] @ block for rows, block in self.centred_blocks(self.X)) / self.weights.sum()

    def scores(self, X: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of ``U = A @ root``: on the training rows ``U' W U = I`` and ``w_i * ||U_i||**2`` is the leverage."""
        first = int(self.fit_intercept)
        for rows, block in self.centred_blocks(X):
            centred = block - self._centre_rounding
            yield (
                rows,
                np.column_stack([np.full((len(centred), first), self.root[0, 0]), centred @ self.root[first:, first:]]),
            )

    @cached_property
    def leverages(self) -> np.ndarray:
        """Diagonal of the hat matrix, ``h_i = w_i * a_i' inv(A' W A) a_i``, shape ``(n,)``.  Catalogue A-01."""
        squared = [np.einsum("ij,ij->i", score, score) for _, score in self.scores(self.X)]
        return np.minimum(self.weights * np.concatenate(squared), 1.0)

    @cached_property
    def noise_roots(self) -> dict[str, np.ndarray]:
        """Roots of covariances that have been asked for, kept by `surefit.theory.inference.linear`."""
        return {}

    @cached_property
    def constant(self) -> np.ndarray | None:
        """The ``theta`` with ``A @ theta = 1``, or None if the columns do not contain the constant, shape ``(p,)``."""
        if self.fit_intercept:
            return np.eye(self.n_parameters)[0]
        theta = self.root @ (self.root.T @ (self.X.T @ self.weights))
        distance = self.weights @ (1 - self.X @ theta) ** 2
        return theta if distance <= CONSTANT_TOLERANCE**2 * self.weights.sum() else None


@dataclass(frozen=True, eq=False, repr=False)
class Influence(Readable):
    """What each row does to the fit, without refitting; computed when asked for.  Catalogue A-01, T-76.

    With ``e_i = sqrt(w_i) r_i`` and leverages ``h_i``, all arrays have shape ``(n,)``, `dfbetas` ``(n, p)``.  A row
    with ``h_i = 1`` is fitted exactly whatever its ``y_i``: its entries are nan, and `remarks` says so.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> influence = Influence(LinearFit(X, y, np.array([1.1]), 1.1, root))
    >>> round(float(np.sum(influence.deleted_residuals**2)), 9)
    8.866213152
    >>> influence.cooks_distance.round(6).tolist()
    [0.028807, 0.145125, 0.38322, 1.037037]
    """

    fit: LinearFit

    def _page(self) -> Page:
        """The rows that move the fit most, by Cook's distance."""
        numbers, order = self._columns()[0], np.argsort(-np.nan_to_num(self.cooks_distance), kind="stable")
        shown = order[:MOST_INFLUENTIAL]
        cells = lambda j, room: [number(float(column[shown[j]]), 4) for column in numbers.values()]
        table = Table([str(row) for row in shown], [name.replace("_", " ") for name in numbers], cells, "row")
        facts = (("Rows", f"{len(order):,}"), ("Sorted by", "Cook's distance"))
        return Page("Influence of single rows", facts, table, self.remarks)

    def _columns(self) -> tuple[dict[str, np.ndarray], Any, str]:
        numbers = {
            "leverage": self.leverages,
            "deleted_residual": self.deleted_residuals,
            "studentised": self.external_residuals,
            "cooks_distance": self.cooks_distance,
            "dffits": self.dffits,
        }
        return numbers, range(len(self.leverages)), "row"

    @property
    def leverages(self) -> np.ndarray:
        """``h_i = w_i * a_i' inv(A'WA) a_i``: between 0 and 1, sum ``p``."""
        return self.fit.leverages

    @cached_property
    def _gap(self) -> np.ndarray:
        """``1 - h_i``, nan where it is zero up to rounding."""
        return np.where(self.leverages > FULL_LEVERAGE, np.nan, 1 - self.leverages)

    @cached_property
    def deleted_residuals(self) -> np.ndarray:
        """``r_i / (1 - h_i)``: the error at row i of the fit that never saw row i."""
        return self.fit.raw_residuals / self._gap

    @cached_property
    def internal_residuals(self) -> np.ndarray:
        """Internally studentised, ``e_i / (s * sqrt(1 - h_i))``: unit variance, at most ``sqrt(n - p)``."""
        with np.errstate(invalid="ignore"):  # an exact fit has s = 0
            return self.fit.weighted_residuals / (np.sqrt(self.fit.scale) * np.sqrt(self._gap))

    @cached_property
    def deleted_scale(self) -> np.ndarray:
        """``s_(i)``: residual standard error of the fit without row i; nan if ``n - p = 1``."""
        df = self.fit.df_residual - 1
        left = self.fit.rss - self.fit.weighted_residuals**2 / self._gap
        negligible = left <= ROUNDING * self.fit.rss  # the row carries all the noise
        return np.sqrt(np.where(negligible, 0.0, left) / df) if df > 0 else np.full_like(left, np.nan)

    @cached_property
    def external_residuals(self) -> np.ndarray:
        """Externally studentised, ``e_i / (s_(i) * sqrt(1 - h_i))``: t with ``n - p - 1`` df under normal noise."""
        with np.errstate(invalid="ignore", divide="ignore"):  # s_(i) = 0: the others fit exactly, inf
            return self.fit.weighted_residuals / (self.deleted_scale * np.sqrt(self._gap))

    @cached_property
    def cooks_distance(self) -> np.ndarray:
        """``internal_i**2 * h_i / ((1 - h_i) p)``: squared move of all fitted values, in units of ``p * s2``."""
        return self.internal_residuals**2 * self.leverages / (self._gap * self.fit.n_parameters)

    @cached_property
    def dffits(self) -> np.ndarray:
        """``external_i * sqrt(h_i / (1 - h_i))``: move of the own fitted value in its standard errors."""
        return self.external_residuals * np.sqrt(self.leverages / self._gap)

    @cached_property
    def dfbetas(self) -> np.ndarray:
        """Move of each coefficient when row i leaves, in units of ``s_(i) * sqrt(inv(A'WA)_jj)``, shape ``(n, p)``."""
        root = self.fit.root
        unit = np.linalg.norm(root, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            push = np.sqrt(self.fit.weights) * self.fit.weighted_residuals / self._gap / self.deleted_scale
        moves = [push[rows, None] * (score @ root.T) for rows, score in self.fit.scores(self.fit.X)]
        return np.concatenate(moves) / unit

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why entries are nan or infinite, in words; empty if none is."""
        found = []
        full = np.flatnonzero(self.leverages > FULL_LEVERAGE)
        if len(full):
            shown = ", ".join(map(str, full[:5])) + (", ..." if len(full) > 5 else "")
            found.append(f"leverage 1 at row {shown}: fitted exactly whatever its y, so no studentised residual (nan)")
        if self.fit.df_residual == 1:
            found.append("n - p = 1: without a row no noise is left to measure, so external residuals are nan")
        elif np.any(self.deleted_scale == 0):
            found.append(
                "the other rows are fitted exactly: external residuals, DFFITS and DFBETAS are infinite or nan"
            )
        return tuple(found)


def variance_inflation(fit: LinearFit) -> np.ndarray:
    """Factor by which collinearity inflates the variance of each slope, shape ``(d,)``; 1 if a column stands alone.

    ``inv(A'WA)_jj * sum_i w_i (x_ij - mean_j)**2 = 1 / (1 - R2_j)`` with ``R2_j`` of column j regressed on the others:
    read from the factor, without ``d`` regressions.  About zero instead of the mean where the other columns do not
    contain the constant.  Catalogue A-01.

    >>> X, y = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1]]), np.array([1.0, 3, 2, 5])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> variance_inflation(LinearFit(X, y, np.array([0.5, 1.5]), 1.25, root)).round(9).tolist()
    [1.25, 1.25]
    """
    first = int(fit.fit_intercept)
    around = column_squares(fit)
    if fit.constant is not None and not fit.fit_intercept:  # the constant hides in the columns
        mean = np.asarray(fit.X.T @ fit.weights, dtype=float) / fit.weights.sum()
        needed = np.abs(fit.constant) * np.sqrt(around) > CONSTANT_TOLERANCE * np.sqrt(fit.weights.sum())
        around = np.where(needed, around, column_squares(fit, mean))
    return around * np.sum(fit.root[first:] ** 2, axis=1)


def column_squares(fit: LinearFit, further: np.ndarray | float = 0.0) -> np.ndarray:
    """``sum_i w_i (x_ij - centre_j - further_j)**2`` per column, shape ``(d,)``; ``centre`` as in the fit."""
    return np.sum([fit.weights[rows] @ (block - further) ** 2 for rows, block in fit.centred_blocks(fit.X)], axis=0)


def condition_number(fit: LinearFit) -> float:
    """Condition number of the columns, each centred (if there is an intercept) and scaled to length one; >= 1.

    Free of units and origin.  Above 30, some combination of columns is hardly seen in the data.  Catalogue A-01.

    >>> X, y = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1]]), np.array([1.0, 3, 2, 5])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> round(condition_number(LinearFit(X, y, np.array([0.5, 1.5]), 1.25, root)), 6)
    1.618034
    """
    first = int(fit.fit_intercept)
    if fit.X.shape[1] == 0:
        return 1.0
    spread = linalg.svdvals(np.sqrt(column_squares(fit))[:, None] * fit.root[first:, first:])
    return float(spread[0] / spread[-1])
