"""Layer estimators: `Lasso` and `ElasticNet`, for one ``lam`` or chosen from the whole path, and the paths."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_X_y, validate_data

from surefit.data.design import Design, checked_weight
from surefit.data.fingerprints import n_distinct
from surefit.data.plain import plain
from surefit.data.tables import explained, tell_of_labels
from surefit.data.units import column_spreads
from surefit.estimators.blocks.linear import LassoOfBlocks
from surefit.estimators.kinds.linear import OneTargetModel
from surefit.estimators.kinds.planned import n_folds
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.regressors import linear_ball
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.names import hinted
from surefit.page import Fact
from surefit.parameters import as_number, checked_grid, modest_targets, positive, switch
from surefit.progress import working
from surefit.selection.choice import LamChoice, walked_down, warn_of_choice
from surefit.selection.folds import CV, folds_of
from surefit.selection.grids import LASSO_PER_DECADE, lasso_lams
from surefit.selection.lasso import CrossValidation, LassoEnd, by_criterion, check_variance, pull_units
from surefit.selection.record import Selection, Selects, check_selects
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.lasso.path import SparsePath, SparsePenalty, joined_paths
from surefit.solvers.lasso.plan import lasso_plan
from surefit.solvers.lasso.problem import Known
from surefit.solvers.lasso.solve import elastic_net_path as solve_path
from surefit.solvers.lasso.squares import mean_squares
from surefit.solvers.lasso.walk import Start, end_of
from surefit.solvers.solution import SOLVED, Solution, status_in_units
from surefit.theory.certificates.training_set import Designated
from surefit.theory.fit.sparse_dof import sparse_degrees_of_freedom
from surefit.theory.inference.shrunken import after_lasso

CRITERIA = ("cv", "aic", "bic", "cp")

GOOD_TOL = "it bounds the duality gap, 1e-6 is a good value"


class SparseModel(LassoOfBlocks, Selects, OneTargetModel):
    """What `Lasso` and `ElasticNet` share; they add their parameters."""

    lam: float | None
    lams: Any
    fit_intercept: bool
    positive: bool
    penalty_weights: Any
    standardise: bool
    tol: float
    criterion: str
    cv: Any
    select: str
    variance: float | None
    random_state: Any

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> "SparseModel":
        """Fit to ``X`` (n, d), dense or sparse, and ``y`` (n,)."""
        self._check_choices()
        design, target, shape = self._validated(X, y, sample_weight)
        target = np.where(design.weight > 0, target, 0.0)  # rows that do not count have no say in its size
        penalty = self._penalty_on(design)
        self.selection_ = self._chosen(design, target, penalty) if self.lam is None else None
        if self.selection_ is None:
            self.lam_ = as_number(self.lam)
            path = self._solve(design, target, np.array([self.lam_]), penalty)
        else:
            self.lam_, path = self.selection_.chosen, self.selection_.path
        solution = _solution_at(path, self.lam_, design, target, penalty)
        if solution.status not in SOLVED:
            warnings.warn(f"{type(self).__name__}: {solution.ending}", ConvergenceWarning, stacklevel=3)
        self._publish(solution, shape)
        self.gap_ = solution.gap
        return self

    def _planned(self, shape: Shape) -> Plan:
        return lasso_plan(shape, self.lam is None, n_folds(self.cv) if self.criterion == "cv" else 0)

    def _solver_and_reason(self) -> tuple[str, str]:
        found = lasso_plan(Shape(self._fit_record.n, len(self.coef_)))
        return found.solver, found.reason

    def _designated(self, rows: TrainingSet) -> Designated:
        return linear_ball(rows, self.coef_, self.intercept_, 1, 2, bool(self.fit_intercept))

    def _no_errors(self) -> str:
        return after_lasso(type(self).__name__, self.lam_)

    def _facts(self) -> list[Fact]:
        nonzero = int(np.count_nonzero(self.coef_))
        return [("Nonzero coefficients", f"{nonzero:,} of {len(self.coef_):,}"), ("Duality gap", f"{self.gap_:.1e}")]

    def _dof(self) -> float | None:
        """That of the path; of a ``lam`` that was given, from the training rows, or as a stored model keeps it."""
        rows = self._fit_record.rows
        if self.selection_ is not None:
            return self.selection_.chosen_dof
        if rows is None:
            return self.solution_.facts.get("dof")
        if not self._fit_record.unchanged():
            return None
        X = validate_data(self, rows.X, accept_sparse="csr", dtype=np.float64, reset=False)
        coef, intercept, no_gap = self.solution_.coef.T, self.solution_.intercept, np.zeros(1)
        alone = SparsePath(np.array([self.lam_]), coef, intercept, no_gap, (self.solution_.status,), 0)
        design = Design.of(X, rows.weight)
        return float(sparse_degrees_of_freedom(design, alone, self._penalty_on(design), bool(self.fit_intercept))[0])

    def __getstate__(self) -> dict[str, Any]:
        """Rows do not travel, and what was not asked of them before would be lost."""
        state: dict[str, Any] = super().__getstate__()
        given = "_fit_record" in state and state.get("selection_") is None and self._fit_record.rows is not None
        if given and (dof := self._as_fitted()._dof()) is not None:
            found = state["solution_"]
            state["solution_"] = replace(found, facts=MappingProxyType({**found.facts, "dof": dof}))
        return state

    def _penalty_on(self, design: Design) -> SparsePenalty:
        return self._penalty(column_spreads(design) if self.standardise else None)

    def _penalty(self, units: np.ndarray | None) -> SparsePenalty:
        raise NotImplementedError

    def _solve(
        self, design: Design, y: np.ndarray, lams: np.ndarray, penalty: SparsePenalty, **from_before: Any
    ) -> SparsePath:
        return solve_path(design, y, lams, penalty, fit_intercept=self.fit_intercept, tol=self.tol, **from_before)

    def _chosen(self, design: Design, y: np.ndarray, penalty: SparsePenalty) -> Selection:
        """The criterion along the path, which is walked on while its end is the best."""
        modest_targets(y)  # every criterion is made of squares of them
        first = lasso_lams(design, y, penalty, self.fit_intercept) if self.lams is None else checked_grid(self.lams)
        judged = self._criterion(design, y, penalty)
        paths: list[SparsePath] = []
        offset = bool(self.fit_intercept)
        spread = pull_units(design, offset)

        def judge(lams: np.ndarray) -> LamChoice:
            paths.append(self._solve(design, y, lams, penalty, start=end_of(paths[-1]) if paths else None))
            return judged(paths[-1])

        def matters() -> bool:
            return LassoEnd.of(paths[-1], design, y, offset, spread).matters(penalty, self.tol)

        choice = judge(first)
        if self.lams is None and len(first) > 1:
            n_rows = n_distinct(self._prints_of(design.counted().X, y[design.weight > 0]))  # copies say nothing new
            held_back = lambda: LassoEnd.of(paths[-1], design, y, offset, spread).held_back(penalty, n_rows)
            choice = walked_down(choice, judge, matters, LASSO_PER_DECADE, held_back=held_back)
        if not np.any(choice.curve < np.inf):
            n = design.total_weight
            raise ValueError(f"no model of the path leaves a residual degree of freedom (n_samples = {n:g}); give lam")
        warn_of_choice(choice, self.lams is not None, self, self._open_ends(choice, matters))
        path = joined_paths(paths)
        dof = sparse_degrees_of_freedom(design, path, penalty, offset)
        return Selection.of(choice, self.criterion, self.select, "MSE", dof=dof, path=path)

    def _open_ends(self, choice: LamChoice, matters: Callable[[], bool]) -> tuple[str, ...]:
        """Ends of the grid beyond which there is more: above a default grid nothing is fitted."""
        low = ("low",) if choice.best == int(np.argmin(choice.lams)) and matters() else ()
        return low if self.lams is None else ("high", *low)

    def _criterion(self, design: Design, y: np.ndarray, penalty: SparsePenalty) -> Callable[[SparsePath], LamChoice]:
        """From a path on all rows to the criterion along it."""
        if self.criterion != "cv":
            name, variance, offset = self.criterion, self.variance, bool(self.fit_intercept)
            dof = lambda path: sparse_degrees_of_freedom(design, path, penalty, offset)
            return lambda path: by_criterion(name, design, y, path, dof(path), variance, offset)
        folds = folds_of(design, y, self.cv, self.random_state, groups=self._fit_groups)
        held_out = CrossValidation(design.counted(), y[design.weight > 0], folds, self.fit_intercept)

        def solve(
            rest: Design, target: np.ndarray, lams: np.ndarray, known: Known | None, start: Start | None
        ) -> SparsePath:
            return self._solve(rest, target, lams, penalty, known=known, start=start)

        return lambda path: held_out(path.lams, solve)

    def _check_choices(self) -> None:
        if self.lam is not None and not 0 <= as_number(self.lam) < np.inf:
            raise ValueError(f"lam must be a finite number >= 0, got {self.lam!r}; use lam=0 for plain least squares")
        check_selects(self, CRITERIA)
        switch("fit_intercept", self.fit_intercept)
        switch("standardise", self.standardise)
        positive("tol", self.tol, GOOD_TOL)
        check_variance(self.variance)


class Lasso(SparseModel):
    """Least squares with few nonzero coefficients: minimise ``mean((y - X w - b)**2) + lam * sum_j v_j |w_j|``.

    Catalogue A-22, T-84.  The intercept is never penalised.  scikit-learn's ``alpha`` is ``lam / 2``.

    Parameters
    ----------
    lam : penalty, ``>= 0``.  ``None``: chosen from ``lams`` by ``criterion``.
    lams : grid to choose from; ``None``: 100 values from the smallest ``lam`` that gives zero down to a hundredth of
        it (a thousandth with more distinct rows than columns), evenly spaced in logarithms; then ten for every decade
        below, while the smallest is the best and the penalty is more than a ten-thousandth of the mean squared error.
        A choice at such an end is least squares, and no reason for a warning; at an end of a grid of yours it is one.
    fit_intercept : learn the offset ``b``.
    positive : require ``w >= 0``; with ``lam=0`` this is non-negative least squares.
    penalty_weights : the ``v_j >= 0``, shape (d,); 0 leaves a column unpenalised.  ``None``: all one.
    standardise : penalise ``s_j w_j`` in place of ``w_j``, with ``s_j`` the standard deviation of column ``j`` (of all
        rows, for every fold), so that no column's unit matters; ``coef_`` stays in your units.
    tol : stop when the duality gap is at most ``tol`` times the objective of the best constant.
    criterion : ``"cv"``: mean squared error on held-out rows; ``"aic"``, ``"bic"``, ``"cp"`` with as many degrees of
        freedom as independent columns with a nonzero coefficient, and weights counted as rows.
    cv : number of shuffled folds (equal rows stay together), or a scikit-learn splitter, or an iterable of splits.
    select : ``"min"``: the minimiser of the criterion; ``"one_se"``: the largest ``lam`` within one standard error of
        the cross-validated minimum, with ``criterion="cv"`` only.
    variance : noise variance for ``"cp"``; ``None``: from least squares on all columns.
    random_state : seed of the folds and of the rows that ``certify`` holds out.

    Attributes
    ----------
    coef_, intercept_ : the fit.  lam_ : the penalty used.  solution_ : status, gap, objective.  gap_ : how far the
        objective can be from its minimum at most.
    selection_ : the `Selection`, or None if ``lam`` was given.  lam_path_, path_ : its grid and `SparsePath`.
        criterion_path_, criterion_se_ : the criterion along it and its standard error.  lam_min_, lam_1se_ : both
        choices, equal where there is no standard error.  dof_path_ : degrees of freedom, intercept included.  Of values
        of the criterion within 1e-5 of the smallest, the largest ``lam`` counts as the minimum, so that rounding does
        not choose.

    >>> model = Lasso(lam=0.5).fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5])
    >>> model.coef_.round(6), round(model.intercept_, 6)
    (array([0.9]), 1.4)
    """

    _title = "Lasso"

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        lam: float | None = None,
        *,
        lams: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        penalty_weights: Any = None,
        standardise: bool = False,
        tol: float = 1e-6,
        criterion: str = "cv",
        cv: Any = CV,
        select: str = "min",
        variance: float | None = None,
        random_state: Any = 0,
    ):
        self.lam = lam
        self.lams = lams
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.penalty_weights = penalty_weights
        self.standardise = standardise
        self.tol = tol
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.variance = variance
        self.random_state = random_state

    def _penalty(self, units: np.ndarray | None) -> SparsePenalty:
        return SparsePenalty(1.0, self.penalty_weights, self.positive, units)


class ElasticNet(SparseModel):
    """Lasso and ridge together: ``mean((y - X w - b)**2) + lam * sum_j v_j (l1_ratio |w_j| + (1 - l1_ratio) w_j**2)``.

    Catalogue A-22, P-01, P-02.  ``l1_ratio`` lies in (0, 1]; 1 is the `Lasso`, for 0 use `Ridge`.  Correlated columns
    share their coefficients.  No factor 1/2: the settings of other libraries translate with
    ``surefit.objective.convert_elastic_net``.  The two parts have different units, so another unit of ``y`` makes
    another model of one ``lam``; the default grid of ``lam`` reaches from zero to hardly shrunken in any units.
    The degrees of freedom of ``"aic"``, ``"bic"`` and ``"cp"`` are the trace of the smoother on the support.  All other
    parameters and attributes are those of `Lasso`.

    >>> model = ElasticNet(0.5, l1_ratio=0.5).fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5])
    >>> model.coef_.round(6), round(model.intercept_, 6)
    (array([0.833333]), 1.5)
    """

    _title = "Elastic net"

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        lam: float | None = None,
        *,
        l1_ratio: float = 0.5,
        lams: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        penalty_weights: Any = None,
        standardise: bool = False,
        tol: float = 1e-6,
        criterion: str = "cv",
        cv: Any = CV,
        select: str = "min",
        variance: float | None = None,
        random_state: Any = 0,
    ):
        self.lam = lam
        self.l1_ratio = l1_ratio
        self.lams = lams
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.penalty_weights = penalty_weights
        self.standardise = standardise
        self.tol = tol
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.variance = variance
        self.random_state = random_state

    def _penalty(self, units: np.ndarray | None) -> SparsePenalty:
        return SparsePenalty(self.l1_ratio, self.penalty_weights, self.positive, units)


@hinted
def lasso_path(  # noqa: PLR0913  the public face of one computation
    X: Any,
    y: Any,
    *,
    lams: Any = None,
    fit_intercept: bool = True,
    positive: bool = False,
    penalty_weights: Any = None,
    tol: float = 1e-6,
    sample_weight: Any = None,
) -> SparsePath:
    """Lasso solutions for every ``lam`` of a grid, with the duality gap of each.  Catalogue A-22, T-84.

    ``X`` (n, d) dense or sparse, ``y`` (n,), ``lams`` in any order (``None``: 100 values, see `Lasso`).  Row ``k`` of
    ``coefs`` belongs to ``lams[k]``.

    >>> path = lasso_path([[0.0], [1], [2], [3]], [1.0, 3, 2, 5], lams=[3.0, 1.25, 0.5])
    >>> path.coefs.ravel().round(6), path.intercepts.round(6)
    (array([0. , 0.6, 0.9]), array([2.75, 1.85, 1.4 ]))
    """
    penalty = SparsePenalty(1.0, penalty_weights, positive)
    return _path(X, y, lams, penalty, fit_intercept, tol, sample_weight)


@hinted
def elastic_net_path(  # noqa: PLR0913  the public face of one computation
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    lams: Any = None,
    fit_intercept: bool = True,
    positive: bool = False,
    penalty_weights: Any = None,
    tol: float = 1e-6,
    sample_weight: Any = None,
) -> SparsePath:
    """Elastic-net solutions for every ``lam`` of a grid, with the duality gap of each.  Catalogue A-22, P-02.

    As `lasso_path`, for the penalty ``l1_ratio * ||w||_1 + (1 - l1_ratio) * ||w||**2``.

    >>> path = elastic_net_path([[0.0], [1], [2], [3]], [1.0, 3, 2, 5], lams=[0.5])
    >>> path.coefs.ravel().round(6)
    array([0.833333])
    """
    penalty = SparsePenalty(l1_ratio, penalty_weights, positive)
    return _path(X, y, lams, penalty, fit_intercept, tol, sample_weight)


def _path(
    X: Any, y: Any, lams: Any, penalty: SparsePenalty, fit_intercept: bool, tol: float, sample_weight: Any
) -> SparsePath:
    switch("fit_intercept", fit_intercept)
    positive("tol", tol, GOOD_TOL)
    tell_of_labels(X, y=y, sample_weight=sample_weight)
    with explained(X, y, "a path"):
        X, y = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype=np.float64, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
    design = Design(plain(X), checked_weight(sample_weight, X.shape[0]))  # by columns as it came, as it is used
    grid = lasso_lams(design, y, penalty, fit_intercept) if lams is None else checked_grid(lams)
    with working("regularisation path"):
        return solve_path(design, y, grid, penalty, fit_intercept=fit_intercept, tol=tol)


def _solution_at(path: SparsePath, lam: float, design: Design, y: np.ndarray, penalty: SparsePenalty) -> Solution:
    k = path.place(lam)
    coef, intercept = path.coefs[k], path.intercepts[k]
    risk = mean_squares(design, y, coef, float(intercept), float(path.gaps[k]))
    objective = risk + (lam * penalty.value(coef) if lam > 0 else 0.0)
    status = status_in_units(path.statuses[k], objective)
    return Solution(coef[:, None], np.array([intercept]), status, float(path.gaps[k]), objective, path.n_iter)
