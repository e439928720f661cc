"""Layer estimators: `Ridge`, for one ``lam``, for a whole grid, or for a bound on the norm."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from numbers import Real
from typing import Any, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.fingerprints import without_copies
from surefit.data.units import Units
from surefit.estimators.kinds.dependence import warn_of_dependence
from surefit.estimators.kinds.linear import LinearModel, column_names
from surefit.estimators.kinds.summarised import at_lam, described
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.intervals import LinearIntervals, TrainingRows, linear_rows, shrunken_tables
from surefit.guarantee.theorems.classifiers import TrainingSet
from surefit.guarantee.theorems.regressors import linear_ball
from surefit.parameters import checked_grid, switch
from surefit.progress import working
from surefit.selection.choice import FROM_THESE_ROWS, LamChoice, loo_of_constant, warn_of_choice
from surefit.solvers.linear.factor import DENSE_LIMIT, SpectralFactor, spectral_factor
from surefit.solvers.linear.least_squares import GRAM_SIDE_LIMIT, ridge, ridge_on, solve_spectral
from surefit.solvers.linear.solution_set import constrained_multiplier
from surefit.solvers.solution import Path
from surefit.theory.certificates.training_set import Designated
from surefit.theory.fit.loo import loo_curve
from surefit.theory.fit.smoother import degrees_of_freedom
from surefit.theory.inference.linear import Covariance, checked_choice
from surefit.theory.inference.stored import StoredPages
from surefit.theory.inference.summary import Summary
from surefit.theory.inference.tables import ShrunkenTable, checked_level

GRID_SIZE = 100

LEAST_SHRUNKEN = 1e-3
"""Share of an eigenvalue that a ``lam`` may be and still leave its direction as it is; and the reverse."""


class Ridge(LinearIntervals, LinearModel):
    """Least squares that shrinks: minimise ``mean((y - X w - b)**2) + lam * ||w||**2``.  Catalogue A-09, A-10, A-11.

    The intercept is never penalised.  scikit-learn's ``alpha`` is ``n * lam``.

    Parameters
    ----------
    lam : penalty, ``>= 0``.  ``None``: chosen by exact leave-one-out over ``lams``, all from one factorisation.
    lams : grid to choose from; ``None``: 100 values from least squares to almost nothing, spaced by the data's own
        spectrum.
    radius : instead of ``lam``: minimise the mean squared error subject to ``||w|| <= radius``; ``lam_`` is then the
        multiplier that gives the same solution.
    fit_intercept : learn the offset ``b``.
    standardise : penalise ``s_j w_j`` in place of ``w_j``, with ``s_j`` the standard deviation of column ``j``, so that
        no column's unit matters; ``coef_`` stays in your units (``radius`` bounds the norm of the ``s_j w_j``).

    A weight of ``k`` is ``k`` copies of the row.  Leave-one-out leaves equal rows (features and target) out together, a
    weighted row with all its weight: a copy that stayed would be remembered.  A common factor of all weights changes
    nothing.

    Attributes
    ----------
    coef_, intercept_ : as in `LeastSquares`.  lam_ : the penalty used.  solution_ : status, gap, objective, method.
    lam_path_, criterion_path_ : the grid and the mean squared exact leave-one-out error on it (with ``n * lam``
        fixed); path_ : coefficients along the grid; dof_path_ : trace of the hat matrix along it.

    >>> X, y = [[0.0], [1], [2], [3]], [1.0, 3, 2, 5]
    >>> model = Ridge(lam=1.25).fit(X, y)
    >>> model.coef_.round(12), round(model.intercept_, 12)
    (array([0.55]), 1.925)
    >>> chosen = Ridge(lams=[0.0, 0.1, 1.0]).fit(X, y)
    >>> chosen.lam_, chosen.criterion_path_.round(4)
    (0.0, array([2.2166, 2.3763, 3.1542]))
    """

    _title = "Ridge"

    def __init__(
        self,
        lam: float | None = None,
        *,
        lams: Any = None,
        radius: float | None = None,
        fit_intercept: bool = True,
        standardise: bool = False,
    ):
        self.lam = lam
        self.lams = lams
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.standardise = standardise

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "Ridge":
        """Fit to ``X`` (n, d), dense or sparse, and ``y`` (n,) or (n, k); the targets share one ``lam``."""
        self._check_choices()
        design, targets, shape = self._validated(X, y, sample_weight)
        targets, design = targets[design.weight > 0], design.counted()
        for name in ("lam_path_", "criterion_path_", "dof_path_", "path_"):
            self.__dict__.pop(name, None)
        self._units = Units.of(design, bool(self.fit_intercept)) if self.standardise else None
        scaled = design if self._units is None else self._units.design(design)
        if self.lam is not None:
            self.lam_ = float(self.lam)
            fit = ridge(scaled, targets, self.lam_, self.fit_intercept)
        elif self.radius is not None:
            self.lam_ = self._multiplier(scaled, targets, self.radius)
            fit = ridge(scaled, targets, self.lam_, self.fit_intercept)
        else:
            distinct, answers = without_copies(scaled, targets)
            with working("choosing lam by leave-one-out"):
                factor = self._choose(distinct, answers, shape)
            fit = ridge_on(factor, answers, self.lam_)
        solution = fit.solution
        if self._units is not None:
            solution = replace(solution, coef=solution.coef / self._units.scale[:, None])
        self._publish(solution, shape)
        if self.lam_ == 0.0:
            warn_of_dependence(self, fit, shape[0])
        self._rows = linear_rows(design, targets, self.lam_, bool(self.fit_intercept), self._tuned(), self._units)
        return self

    def _designated(self, rows: TrainingSet) -> Designated:
        return linear_ball(rows, self.coef_, self.intercept_, 2, 2, bool(self.fit_intercept))

    def inference(self, *, covariance: Any = "HC3", level: float = 0.95) -> ShrunkenTable:
        """Standard errors and intervals of the shrunken target ``E[coef_]``, for one target; not of the truth.

        No p values: the bias that ``lam`` brings is unknown.  A ``lam`` chosen on the same rows counts as fixed, and
        the table says so.  Weights are read as precisions (variance ``s2 / w_i``) and never as numbers of rows;
        HC0 to HC3 also hold where they say only how much a row matters.
        """
        check_is_fitted(self, "coef_")
        checked_choice("covariance", covariance, Covariance)
        if isinstance(self._rows, TrainingRows):
            return self._tables(self._rows, (covariance,), level)[0]
        return self._pages.page(covariance, level)

    def _tables(self, rows: TrainingRows, covariances: Any, level: float = 0.95) -> list[ShrunkenTable]:
        scaled = rows if self._units is None else replace(rows, design=self._units.design(rows.design))
        names, units = column_names(self), self._units
        found = shrunken_tables(scaled, self.lam_, bool(self.fit_intercept), names, covariances, level)
        return found if units is None else [table.divided_by(units.scale) for table in found]

    def summary(self, *, covariance: Any = "HC3", level: float = 0.95) -> Summary:
        """The table of `inference` with the facts of the fit; the coefficients alone, and why, where it refuses."""
        check_is_fitted(self, "coef_")
        checked_level(level)
        checked_choice("covariance", covariance, Covariance)
        try:
            return described(self, self.inference(covariance=covariance, level=level))
        except ValueError as refusal:
            return described(self, str(refusal))

    def _features(self) -> Callable[[Any], Any] | None:
        return None if self._units is None else self._units.rows

    def _dof(self) -> float | None:
        return at_lam(self, getattr(self, "dof_path_", None))

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if isinstance(self._rows, TrainingRows):
            rows, kinds, design = self._rows, get_args(Covariance), self._rows.design
            tables = cache(lambda: dict(zip(kinds, self._tables(rows, kinds), strict=True)))
            work = 2.0 * design.n * design.d * min(design.n, design.d)
            state["_pages"] = StoredPages.of(lambda covariance: tables()[covariance], kinds, work)
        return state

    def _tuned(self) -> tuple[str, ...]:
        """What of this fit depends on its rows beyond the coefficients."""
        units = (FROM_THESE_ROWS,) if self.standardise else ()
        if self.lam is not None:
            return units
        chosen = "lam was chosen on the same rows" if self.radius is None else "lam follows from radius and these rows"
        return (chosen, *units)

    def _check_choices(self) -> None:
        switch("standardise", self.standardise)
        if self.lam is not None and self.radius is not None:
            raise ValueError("give lam or radius, not both: each lam belongs to one radius")
        if self.lam is not None and not (_is_number(self.lam) and 0 <= self.lam < np.inf):
            raise ValueError(f"lam must be a finite number >= 0, got {self.lam!r}; use lam=0 for plain least squares")
        if self.radius is not None and not (_is_number(self.radius) and 0 < self.radius < np.inf):
            raise ValueError(f"radius must be a number > 0, got {self.radius!r}; it bounds the coefficients' norm")

    def _multiplier(self, design: Design, targets: np.ndarray, radius: float) -> float:
        if targets.shape[1] > 1:
            raise ValueError("radius bounds the norm of one coefficient vector; fit one target at a time")
        return constrained_multiplier(spectral_factor(design, self.fit_intercept, 0.0), targets, radius)

    def _choose(self, design: Design, targets: np.ndarray, shape: Any) -> SpectralFactor:
        """Set ``lam_`` to the minimiser of the exact leave-one-out curve, and publish the curve."""
        _refuse_too_large(design)
        if design.n < 2:
            raise ValueError("leave-one-out needs two different rows and there is one sample; give lam instead")
        grid = None if self.lams is None else checked_grid(self.lams)
        smallest = np.inf if grid is None else float(grid.min()) * design.total_weight
        factor = spectral_factor(design.settled() if self.fit_intercept else design, self.fit_intercept, smallest)
        lams = default_lams(factor) if grid is None else grid
        size = max(float(np.max(np.abs(targets), initial=0.0)), np.finfo(float).tiny)
        curve = loo_curve(factor, targets / size, lams)
        if not np.any(np.isfinite(curve)):
            raise ValueError(
                "leave-one-out is undefined for every lam of the grid (each left-out row decides its own fit); "
                "add larger lams or more rows"
            )
        coefs, intercepts = solve_spectral(factor, targets, lams)
        choice = LamChoice(lams, curve, np.full(len(lams), np.nan), loo_of_constant(targets / size, design.weight))
        self.lam_path_, self.lam_ = lams, choice.lam_min
        with np.errstate(over="ignore"):
            self.criterion_path_ = curve * size * size
        self.dof_path_ = degrees_of_freedom(factor, lams).trace
        coefs = coefs if self._units is None else coefs / self._units.scale[:, None]
        self.path_ = _shaped_path(lams, coefs, intercepts, one_target=shape[1])
        matters = factor.rank > 0 and choice.lam_min > LEAST_SHRUNKEN * _smallest_eigenvalue(factor)
        warn_of_choice(choice, True, self, () if grid is None else ("high", "low") if matters else ("high",))
        return factor


def default_lams(factor: SpectralFactor) -> np.ndarray:
    """A grid from where ridge is least squares to where nothing is left, by the eigenvalues of the covariance.

    From a thousandth of the smallest eigenvalue to a thousand times the largest, increasing, evenly spaced in
    logarithms.  At either end another decade would change nothing, so that a choice there is no reason for a warning.
    """
    if factor.rank == 0:
        return np.array([1.0])
    low = np.log10(LEAST_SHRUNKEN * _smallest_eigenvalue(factor))
    high = np.log10(factor.squared_singular()[0] / factor.A.design.total_weight / LEAST_SHRUNKEN)
    return np.logspace(low, high, GRID_SIZE)


def _smallest_eigenvalue(factor: SpectralFactor) -> float:
    """Of the covariance of the columns, as far as it has a rank."""
    return float(factor.squared_singular()[-1] / factor.A.design.total_weight)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _refuse_too_large(design: Design) -> None:
    if design.is_sparse and design.n * design.d > DENSE_LIMIT and min(design.n, design.d) > GRAM_SIDE_LIMIT:
        raise ValueError(
            f"choosing lam by exact leave-one-out factorises a {min(design.n, design.d)} x {min(design.n, design.d)} "
            f"matrix, too large for a sparse design; give lam, or reduce one side to {GRAM_SIDE_LIMIT} or fewer"
        )


def _shaped_path(lams: np.ndarray, coefs: np.ndarray, intercepts: np.ndarray, one_target: bool) -> Path:
    """Rows of coefficients (L, d), or (L, k, d) for several targets."""
    coefs = coefs.transpose(0, 2, 1)
    return Path(lams, coefs[:, 0], intercepts[:, 0]) if one_target else Path(lams, coefs, intercepts)
