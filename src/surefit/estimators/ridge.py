"""Layer estimators: `Ridge`, for one ``lam``, for a whole grid, or for a bound on the norm."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.fingerprints import without_copies
from surefit.data.units import Units
from surefit.estimators.blocks.linear import RidgeOfBlocks
from surefit.estimators.kinds.dependence import warn_of_dependence
from surefit.estimators.kinds.linear import LinearModel, column_names
from surefit.estimators.kinds.planned import n_folds
from surefit.estimators.kinds.summarised import described
from surefit.estimators.online.ridge import StreamedRidge
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.factored import LinearRows
from surefit.guarantee.intervals import LinearIntervals
from surefit.guarantee.theorems.regressors import linear_ball
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.names import hinted
from surefit.parameters import as_number, checked_grid, switch
from surefit.progress import working
from surefit.selection.choice import FROM_THESE_ROWS
from surefit.selection.folds import CV, folds_of
from surefit.selection.record import Selection, Selects, check_selects
from surefit.selection.ridge import Judged, choose_ridge
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.linear.factor import SpectralFactor, check_underflow, spectral_factor
from surefit.solvers.linear.least_squares import ridge, ridge_on, solve_spectral
from surefit.solvers.linear.plan import linear_plan
from surefit.solvers.linear.solution_set import constrained_multiplier
from surefit.solvers.solution import Path, ScaledTarget
from surefit.theory.certificates.training_set import Designated
from surefit.theory.fit.smoother import degrees_of_freedom
from surefit.theory.inference.linear import Covariance, checked_choice
from surefit.theory.inference.stored import StoredPages
from surefit.theory.inference.summary import Summary
from surefit.theory.inference.tables import ShrunkenTable, checked_level


class Ridge(RidgeOfBlocks, StreamedRidge, Selects, LinearIntervals, LinearModel):  # type: ignore[misc]  # wraps() keeps the signatures
    """Least squares that shrinks: minimise ``mean((y - X w - b)**2) + lam * ||w||**2``.  Catalogue A-09, A-10, A-11.

    The intercept is never penalised.  scikit-learn's ``alpha`` is ``n * lam``.

    Parameters
    ----------
    lam : penalty, ``>= 0``.  ``None``: chosen from ``lams`` by ``criterion``.
    lams : grid to choose from; ``None``: 100 values from least squares to almost nothing, spaced by the data's own
        spectrum.
    radius : instead of ``lam``: minimise the mean squared error subject to ``||w|| <= radius``; ``lam_`` is then the
        multiplier that gives the same solution.
    fit_intercept : learn the offset ``b``.
    standardise : penalise ``s_j w_j`` in place of ``w_j``, with ``s_j`` the standard deviation of column ``j``, so that
        no column's unit matters; ``coef_`` stays in your units (``radius`` bounds the norm of the ``s_j w_j``).
    criterion : ``"loo"``: the mean squared exact leave-one-out error (with ``n * lam`` fixed), for all ``lam`` from one
        factorisation; ``"cv"``: the mean squared error on held-out folds, for rows that come in groups.
    cv : number of shuffled folds (equal rows stay together), or a scikit-learn splitter, or an iterable of splits.
    select : ``"min"``: the minimiser of the criterion; ``"one_se"``: the largest ``lam`` within one standard error.
    random_state : seed of the folds and of the rows that ``certify`` holds out.
    forget : for `partial_fit` alone: what the weight of every earlier row is multiplied by with each row; 1 forgets
        nothing.

    A weight of ``k`` is ``k`` copies of the row.  Leave-one-out leaves equal rows (features and target) out together, a
    weighted row with all its weight: a copy that stayed would be remembered.  A common factor of all weights changes
    nothing.

    Attributes
    ----------
    coef_, intercept_ : as in `LeastSquares`.  lam_ : the penalty used.  solution_ : status, gap, objective, method.
    selection_ : the `Selection`, or None if ``lam`` was not chosen: grid, criterion with its standard error, both
        choices, coefficients and degrees of freedom (trace of the hat matrix) along the grid.  lam_path_,
        criterion_path_, criterion_se_, lam_min_, lam_1se_, path_, dof_path_ : what is in it.

    >>> X, y = [[0.0], [1], [2], [3]], [1.0, 3, 2, 5]
    >>> model = Ridge(lam=1.25).fit(X, y)
    >>> model.coef_.round(12), round(model.intercept_, 12)
    (array([0.55]), 1.925)
    >>> chosen = Ridge(lams=[0.0, 0.1, 1.0]).fit(X, y)
    >>> chosen.lam_, chosen.criterion_path_.round(4)
    (0.0, array([2.2166, 2.3763, 3.1542]))
    """

    _title = "Ridge"

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        lam: float | None = None,
        *,
        lams: Any = None,
        radius: float | None = None,
        fit_intercept: bool = True,
        standardise: bool = False,
        criterion: str = "loo",
        cv: Any = CV,
        select: str = "min",
        random_state: Any = 0,
        forget: float = 1.0,
    ):
        self.lam = lam
        self.lams = lams
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.standardise = standardise
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.random_state = random_state
        self.forget = forget

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> "Ridge":
        """Fit to ``X`` (n, d), dense or sparse, and ``y`` (n,) or (n, k); the targets share one ``lam``."""
        self._check_choices()
        self._refuse_forgetting()
        self._stop_streaming()
        design, targets, shape = self._validated(X, y, sample_weight)
        everything, targets, design = (design, targets), targets[design.weight > 0], design.counted()
        self.selection_ = None
        self._units = Units.of(design, bool(self.fit_intercept)) if self.standardise else None
        scaled = design if self._units is None else self._units.design(design)
        if self.lam is not None:
            self.lam_ = float(self.lam)
            fit = ridge(scaled, targets, self.lam_, self.fit_intercept)
        elif self.radius is not None:
            self.lam_ = self._multiplier(scaled, targets, float(self.radius))
            fit = ridge(scaled, targets, self.lam_, self.fit_intercept)
        else:
            folds = (
                folds_of(*everything, self.cv, self.random_state, groups=self._fit_groups)
                if self.criterion == "cv"
                else None
            )
            distinct, answers = without_copies(scaled, targets, self._prints_of(design.X, targets))
            with working("choosing lam"):
                factor, self.selection_ = self._chosen(distinct, answers, Judged(scaled, targets, folds), shape)
            self.lam_ = self.selection_.chosen
            fit = ridge_on(factor, answers, self.lam_)
        solution = fit.solution
        if self._units is not None:
            units = self._units.scale[:, None]
            raw = solution.coef / units
            check_underflow(design, solution.coef / ScaledTarget.of(targets).size / units, raw)
            solution = replace(solution, coef=raw)
        self._publish(solution, shape)
        if self.lam_ == 0.0:
            warn_of_dependence(self, fit, shape[0])
        rows = LinearRows(design, targets, self.lam_, bool(self.fit_intercept), self._tuned(), self._units, fit)
        self._remember(factored=rows)
        return self

    def _planned(self, shape: Shape) -> Plan:
        if self.lam is not None:
            return linear_plan(shape, penalised=True)
        factors = 1 + n_folds(self.cv) if self.criterion == "cv" and self.radius is None else 1
        return linear_plan(shape, chooses=factors, penalised=True)

    def _designated(self, rows: TrainingSet) -> Designated:
        return linear_ball(rows, self.coef_, self.intercept_, 2, 2, bool(self.fit_intercept))

    @hinted
    def inference(self, *, covariance: Any = "HC3", level: float = 0.95) -> ShrunkenTable:
        """Standard errors and intervals of the shrunken target ``E[coef_]``, for one target; not of the truth.

        No p values: the bias that ``lam`` brings is unknown.  A ``lam`` chosen on the same rows counts as fixed, and
        the table says so.  Weights are read as precisions (variance ``s2 / w_i``) and never as numbers of rows;
        HC0 to HC3 also hold where they say only how much a row matters.
        """
        check_is_fitted(self, "coef_")
        self._refuse_stream("standard errors")
        checked_choice("covariance", covariance, Covariance)
        record = self._fit_record
        if record.factored is not None:
            record.refuse_changed("standard errors", record.factored.pair)
            return record.factored.shrunken_tables(column_names(self), (covariance,), level)[0]
        return record.pages.page(covariance, level)

    @hinted
    def summary(self, *, covariance: Any = "HC3", level: float = 0.95) -> Summary:
        """The table of `inference` with the facts of the fit; the coefficients alone, and why, where it refuses."""
        check_is_fitted(self, "coef_")
        self._refuse_stream("the facts of a summary")
        checked_level(level)
        checked_choice("covariance", covariance, Covariance)
        try:
            return described(self, self.inference(covariance=covariance, level=level))
        except ValueError as refusal:
            return described(self, str(refusal))

    def _features(self) -> Callable[[Any], Any] | None:
        return None if self._units is None else self._units.rows

    def _dof(self) -> float | None:
        return None if self.selection_ is None else self.selection_.chosen_dof

    def _pages_to_store(self) -> StoredPages | None:
        record, kinds = self._fit_record, get_args(Covariance)
        if record.factored is None:
            return None

        @cache
        def tables() -> dict[str, ShrunkenTable]:
            record.refuse_changed("standard errors", record.factored.pair)
            return dict(zip(kinds, record.factored.shrunken_tables(column_names(self), kinds, 0.95), strict=True))

        n, d = record.factored.size
        return StoredPages.of(lambda covariance: tables()[covariance], kinds, 2.0 * n * d * min(n, d))

    def _tuned(self) -> tuple[str, ...]:
        """What of this fit depends on its rows beyond the coefficients."""
        units = (FROM_THESE_ROWS,) if self.standardise else ()
        if self.lam is not None:
            return units
        chosen = "lam was chosen on the same rows" if self.radius is None else "lam follows from radius and these rows"
        return (chosen, *units)

    def _check_choices(self) -> None:
        switch("standardise", self.standardise)
        check_selects(self, ("loo", "cv"))
        if self.lam is not None and not 0 <= _number(self.lam) < np.inf:
            raise ValueError(f"lam must be a finite number >= 0, got {self.lam!r}; use lam=0 for plain least squares")
        if self.radius is not None and not 0 < _number(self.radius) < np.inf:
            raise ValueError(f"radius must be a number > 0, got {self.radius!r}; it bounds the coefficients' norm")

    def _multiplier(self, design: Design, targets: np.ndarray, radius: float) -> float:
        if targets.shape[1] > 1:
            raise ValueError("radius bounds the norm of one coefficient vector; fit one target at a time")
        return constrained_multiplier(spectral_factor(design, self.fit_intercept, 0.0), targets, radius)

    def _chosen(
        self, design: Design, targets: np.ndarray, judged: Judged, shape: Any
    ) -> tuple[SpectralFactor, Selection]:
        """A factor of the distinct rows, and what was chosen by the judgement of all of them."""
        grid = None if self.lams is None else checked_grid(self.lams)
        size = max(float(np.max(np.abs(targets), initial=0.0)), np.finfo(float).tiny)
        judged = replace(judged, targets=judged.targets / size)
        factor, found = choose_ridge(design, targets / size, bool(self.fit_intercept), grid, judged, self)
        coefs, intercepts = solve_spectral(factor, targets, found.lams)
        coefs = coefs if self._units is None else coefs / self._units.scale[:, None]
        path = _shaped_path(found.lams, coefs, intercepts, one_target=shape[1])
        dof = degrees_of_freedom(factor, found.lams).trace
        chosen = Selection.of(found, self.criterion, self.select, "MSE", dof=dof, path=path)
        return factor, chosen.in_units(size * size)


def _number(value: Any) -> float:
    """As a float; nan for whatever is no number, True and False included."""
    return np.nan if isinstance(value, bool) else as_number(value)


def _shaped_path(lams: np.ndarray, coefs: np.ndarray, intercepts: np.ndarray, one_target: bool) -> Path:
    """Rows of coefficients (L, d), or (L, k, d) for several targets."""
    coefs = coefs.transpose(0, 2, 1)
    return Path(lams, coefs[:, 0], intercepts[:, 0]) if one_target else Path(lams, coefs, intercepts)
