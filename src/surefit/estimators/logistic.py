"""Layer estimators: `LogisticRegression` for two or more classes, with inference where its theory holds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from surefit.data.design import Design
from surefit.data.fingerprints import n_distinct
from surefit.data.scores import all_probabilities, labels_of_scores, linear_scores
from surefit.data.tables import validate_data
from surefit.data.units import column_spreads
from surefit.estimators.blocks.logistic import LogisticOfBlocks
from surefit.estimators.kinds.labels import class_factors, encode_labels
from surefit.estimators.kinds.linear import column_names
from surefit.estimators.kinds.logistic_report import ReportsLogistic, Training, separation_text
from surefit.estimators.kinds.planned import Planned, n_folds
from surefit.guarantee.certifiable import Guaranteed, certifiable
from surefit.guarantee.theorems.classifiers import linear_classifier
from surefit.guarantee.theorems.training_rows import TrainingSet, no_theorem_for_labels
from surefit.parameters import as_number, checked_grid, cost_table, non_negative, positive, switch, whole, within
from surefit.selection.choice import LamChoice, values_around, walked_down, warn_of_choice
from surefit.selection.folds import CV, folds_of
from surefit.selection.grids import logistic_grid
from surefit.selection.logistic import (
    CHOOSING,
    CHOOSING_SPARSE,
    EXACTLY,
    HeldOutLoss,
    LogisticEnd,
    by_approximate_loo,
)
from surefit.selection.record import Selection, Selects, check_selects
from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.linear.factor import check_sizes
from surefit.solvers.logistic.plan import logistic_plan
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.separation import Separation
from surefit.solvers.logistic.solve import (
    LogisticPath,
    PathWalk,
    checked_solver,
    choose_by_shape,
    choose_solver,
    joined_paths,
    solve_logistic,
)
from surefit.solvers.solution import Solution, Status
from surefit.theory.certificates.training_set import Designated
from surefit.warnings import SeparationWarning

LARGE = 2_000_000
"""Entries from which numbers that are not finite are found while fitting."""

CRITERIA = ("cv", "approximate_loo")


class LogisticRegression(
    LogisticOfBlocks, Planned, Selects, ReportsLogistic, Guaranteed, ClassifierMixin, BaseEstimator
):
    """Probabilities of classes: minimise ``mean(log-loss) + lam * (l1_ratio ||W||_1 + (1 - l1_ratio) ||W||**2)``.

    Two classes have one column of scores, the log-odds of the second; ``k > 2`` classes have ``k``, fitted together
    (softmax, never one against the rest).  The intercept is never penalised.  scikit-learn's ``C`` is
    ``1 / (2 n lam)`` for the squared penalty.  Catalogue A-29, A-30, A-31, T-79.

    Parameters
    ----------
    lam : penalty, ``>= 0``; 0 is maximum likelihood.  ``None``: chosen from ``lams`` by ``criterion``.
    l1_ratio : share of the absolute penalty, from 0 (squares) to 1 (lasso).
    lams : grid to choose from; ``None``: from where hardly anything is left, two values a decade and four more around
        the best (with an L1 part ten a decade), until the criterion has clearly risen again or the penalty is less
        than a ten-thousandth of the log-loss.
        A choice at such an end is maximum likelihood, and no reason for a warning; at an end of a grid of yours it is.
    fit_intercept : learn the offsets.
    standardise : penalise ``s_j W_j`` in place of ``W_j``, with ``s_j`` the standard deviation of column ``j``, so that
        no column's unit matters; ``coef_`` stays in your units.
    class_weight : ``None``, ``"balanced"`` or ``{label: factor}``; multiplies the sample weights.
    costs : (k, k), ``costs[i][j]`` is what predicting class ``j`` costs when class ``i`` is true; `predict` then
        minimises the expected cost.  A threshold ``t`` on the probability of the second class is
        ``[[0, t], [1 - t, 0]]``.  ``None``: the most probable class, the first of a tie.
    solver : ``"auto"`` (see `plan`), ``"newton"``, ``"newton-cg"``, ``"lbfgs"``, ``"prox-newton"``; for study
        ``"gradient"``, ``"stochastic"``, or a `GradientDescent` or `StochasticGradientDescent` of your own.
    tol : largest duality gap accepted, as a share of the objective of the best constant; without an L1 part the
        decrease of the objective that is still expected.
        From ``1e-10`` on smooth fits also bring the norm of the gradient down to ``1e-8``, if rounding allows it.
    max_iter : limit of the solver's iterations; ``None``: the solver's own.
    criterion : ``"cv"``: log-loss on held-out rows; ``"approximate_loo"``: one Newton step away from the fit per
        row, equal rows together.
    cv : number of shuffled stratified folds (equal rows stay together), a splitter, or an iterable of splits.
    select : ``"min"``, or ``"one_se"``: the largest ``lam`` within one standard error of the cross-validated minimum.
    random_state : seed of the folds and of the rows that ``certify`` holds out.

    Attributes
    ----------
    classes_ : labels in order.  coef_ : (1, d) or (k, d).  intercept_ : (1,) or (k,).  lam_ : the penalty used.
    solution_ : status, gap, objective, history, facts.  gap_ : how far the objective can be from its minimum at most.
    separation_ : None, or for ``lam=0`` the direction along which the likelihood grows without end: its ``coef``
        and ``intercept`` have the shapes of ``coef_`` and ``intercept_``.
    selection_ : the `Selection`, or None if ``lam`` was given.  lam_path_, path_, criterion_path_, criterion_se_,
        lam_min_, lam_1se_ : what is in it, as for `Lasso`; ``path_`` along a default grid to a tolerance of 1e-6, which
        is enough to judge it.

    >>> X, y = [[0.0]] * 4 + [[1.0]] * 4, ["yes", "no", "no", "no", "yes", "yes", "yes", "no"]
    >>> model = LogisticRegression(lam=0).fit(X, y)
    >>> model.coef_.round(9), model.predict_proba([[1.0]]).round(9)
    (array([[2.19722458]]), array([[0.25, 0.75]]))
    """

    _title = "Logistic regression"

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        lam: float | None = None,
        *,
        l1_ratio: float = 0.0,
        lams: Any = None,
        fit_intercept: bool = True,
        standardise: bool = False,
        class_weight: Any = None,
        costs: Any = None,
        solver: Any = "auto",
        tol: float = 1e-10,
        max_iter: int | None = None,
        criterion: str = "cv",
        cv: Any = CV,
        select: str = "min",
        random_state: Any = 0,
    ):
        self.lam = lam
        self.l1_ratio = l1_ratio
        self.lams = lams
        self.fit_intercept = fit_intercept
        self.standardise = standardise
        self.class_weight = class_weight
        self.costs = costs
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.random_state = random_state

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> LogisticRegression:
        """Fit to ``X`` (n, d), dense or sparse, and labels ``y`` (n,) of any kind."""
        self._check_choices()
        unseen = _large(X)  # whether its numbers are finite will be seen while they are fitted
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=not unseen
        )
        answer_type = X.dtype
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        self.classes_, codes = encode_labels(y, design.weight)
        everything, counted = (design, codes), design.counted()
        if unseen and (counted is not design or self.lam is None):
            _refuse_infinite(X)
        if counted is not design:
            codes, design = codes[design.weight > 0], counted
        given = design.weight if sample_weight is None else design.weight.copy()  # kept, so out of the user's reach
        weight = given
        if self.class_weight is not None:
            weight = given * class_factors(self.class_weight, self.classes_, codes, given)[codes]
        problem = LogisticProblem.of(design.X, codes, 1.0, float(self.l1_ratio), weight, bool(self.fit_intercept))
        units = column_spreads(Design(design.X, weight)) if self.standardise else None
        if units is not None:
            problem = problem.with_penalty(problem.absolute * units, problem.square * units**2)
        self._checked_costs()
        self.selection_ = self._chosen(problem, weight, everything) if self.lam is None else None
        self.lam_ = as_number(self.lam) if self.selection_ is None else self.selection_.chosen
        at = problem.with_penalty(self.lam_ * problem.absolute, self.lam_ * problem.square)
        choice = choose_solver(at) if self.solver == "auto" else SolverChoice(str(self.solver), "asked for")
        if unseen and choice.name != "lbfgs":
            _refuse_infinite(X)
        self._choice = choice
        self._accept(self._solved(at, unseen), answer_type)
        balanced = isinstance(self.class_weight, str)
        self._remember(factored=Training(design.X, codes, weight, given, balanced))
        self._settings = (bool(self.fit_intercept), self.lam_ * self.l1_ratio > 0, self.lam is None, units)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: log-odds of the second class (n,), or one column per class (n, k)."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n, k), in the order of ``classes_``."""
        return all_probabilities(self._scores(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities, finite where the probabilities underflow."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        shifted = scores - scores.max(axis=1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, or the one of least expected cost."""
        costs = self._checked_costs() if hasattr(self, "classes_") else None
        if costs is not None:
            return self.classes_[np.argmin(self.predict_proba(X) @ costs, axis=1)]
        scores = self.decision_function(X)
        return labels_of_scores(self.classes_, scores)

    def _designated(self, rows: TrainingSet) -> Designated:
        if len(self.classes_) > 2 or self.costs is not None:
            reason = "the theorem for linear classifiers is about two classes and the more probable one"
            return no_theorem_for_labels(rows, reason)
        signs = np.where(rows.y == self.classes_[1], 1.0, -1.0)
        return linear_classifier(rows, self.coef_, self.intercept_[0], signs, bool(self.fit_intercept))

    def _planned(self, shape: Shape) -> Plan:
        width = 1 if shape.outputs <= 2 else shape.outputs
        asked = SolverChoice(str(self.solver), "asked for")
        penalised, is_sparse = self.lam is None or as_number(self.lam) > 0, shape.stored is not None
        choice = (
            choose_by_shape((shape.n, shape.d, width), penalised and self.l1_ratio > 0, penalised, is_sparse)
            if isinstance(self.solver, str) and self.solver == "auto"
            else asked
        )
        folds = n_folds(self.cv) if self.criterion == "cv" else 0
        return logistic_plan(choice, replace(shape, outputs=width), self.lam is None, folds)

    def _solver_and_reason(self) -> tuple[str, str]:
        return self._choice.name, self._choice.reason

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return linear_scores(X, self.coef_, self.intercept_)

    def _chosen(self, problem: LogisticProblem, weight: np.ndarray, everything: tuple[Design, np.ndarray]) -> Selection:
        """The criterion along the path, which is walked on while its end is the best."""
        check_sizes(Design.of(problem.X))
        grid = logistic_grid(problem)
        first = grid.first if self.lams is None else checked_grid(self.lams)
        walk, paths = self._walk(problem), []
        criterion = self._criterion(problem, weight, everything) if len(first) > 1 else None

        def judge(lams: np.ndarray) -> LamChoice:
            paths.append(walk.down(lams))
            if criterion is None:  # nothing to choose
                return LamChoice(lams, np.zeros(len(lams)), np.full(len(lams), np.nan))
            return criterion(paths[-1])

        nothing = judge(np.array([grid.top])) if self.lams is None and grid.top is not None else None
        choice = judge(first)
        if self.lams is None and criterion is not None:
            matters = lambda: LogisticEnd.of(problem, paths[-1]).matters(problem)
            prints = self._prints_of(problem.X, self.classes_[problem.codes])
            n_rows = n_distinct(prints)  # copies say nothing new
            held_back = lambda: LogisticEnd.of(problem, paths[-1]).held_back(problem, n_rows)
            choice = walked_down(choice, judge, matters, grid.per_decade, grid.decades, held_back)
            choice = choice.joined(judge(values_around(choice, grid.refined)))
        choice = choice if nothing is None else nothing.joined(choice)
        order = np.argsort(-choice.lams, kind="stable") if self.lams is None else np.arange(len(choice.lams))
        choice, path = choice.at(order), joined_paths(paths, order)
        at_low = choice.best == int(np.argmin(choice.lams))
        low = ("low",) if at_low and LogisticEnd.of(problem, path).matters(problem) else ()
        warn_of_choice(choice, self.lams is not None, self, low if self.lams is None else ("high", *low))
        return Selection.of(choice, self.criterion, self.select, "log-loss", path=path)

    def _walk(self, problem: LogisticProblem) -> PathWalk:
        """A path for choosing: of a default grid only as accurate as its criterion needs, by the quickest solver."""
        if self.lams is not None:
            return PathWalk(problem, self.solver, float(self.tol), self._limit())
        selects = bool(np.any(problem.absolute))
        large = problem.X.size * problem.n_classes > EXACTLY
        quick = self.solver == "auto" and not problem.is_sparse and not selects and large
        tol = max(float(self.tol), CHOOSING_SPARSE if selects else CHOOSING)
        return PathWalk(problem, "lbfgs" if quick else self.solver, tol, self._limit())

    def _criterion(
        self, problem: LogisticProblem, weight: np.ndarray, everything: tuple[Design, np.ndarray]
    ) -> Callable[[LogisticPath], LamChoice]:
        """From a path on all rows to the criterion along it."""
        if self.criterion != "cv":
            return lambda path: by_approximate_loo(problem, path)
        folds = folds_of(*everything, self.cv, self.random_state, labelled=True, groups=self._fit_groups)
        held_out = HeldOutLoss(problem, weight, folds, self._walk)
        return lambda path: held_out(path.lams)

    def _solved(self, problem: LogisticProblem, unseen: bool) -> Solution:
        """The minimum; an ``unseen`` number that is not finite makes the gradient so, and is refused then."""
        try:
            with np.errstate(invalid="ignore" if unseen else None):
                solution = solve_logistic(problem, self.solver, float(self.tol), self._limit())
        except ValueError:
            _refuse_infinite(problem.X)
            raise
        if unseen and not np.isfinite(solution.objective + solution.facts["gradient_norm"]):
            _refuse_infinite(problem.X)
        return solution

    def _limit(self) -> int | None:
        return None if self.max_iter is None else int(self.max_iter)

    def _accept(self, solution: Solution, answer_type: Any) -> None:
        self.solution_, self.gap_, self.n_iter_ = solution, solution.gap, max(solution.n_iter, 1)
        with np.errstate(over="ignore"):
            self.coef_ = solution.coef.T.astype(answer_type)
            self.intercept_ = np.asarray(solution.intercept).astype(answer_type)
        found = solution.facts.get("separation")
        self.separation_: Separation | None = None if found is None else replace(found, coef=found.coef.T)
        if self.separation_ is not None:
            warnings.warn(separation_text(self.separation_, column_names(self)), SeparationWarning, stacklevel=4)
        elif solution.status in (Status.MAX_ITER, Status.DIVERGED):
            warnings.warn(f"LogisticRegression: {solution.status.value}", ConvergenceWarning, stacklevel=4)
        elif solution.status is Status.ROUNDING:
            remedy = "centre the columns" if self.fit_intercept else "use fit_intercept=True, or centre the columns"
            remedy = remedy if self.lam_ else f"{remedy}, drop some, or use lam > 0"
            warnings.warn(
                f"LogisticRegression may be {solution.gap:.1e} above the least objective, {solution.objective:.4g} "
                "here: columns are nearly alike, or their means or outliers dwarf their spread, so that rounding hides "
                f"the way down; {remedy}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _checked_costs(self) -> np.ndarray | None:
        return None if self.costs is None else cost_table(self.costs, len(self.classes_))

    def _check_choices(self) -> None:
        lam: Any = self.lam
        if lam is not None:
            non_negative("lam", lam, "use lam=0 for maximum likelihood")
        within("l1_ratio", self.l1_ratio, (0, 1), "use 0 for squares and 1 for lasso")
        check_selects(self, CRITERIA)
        switch("standardise", self.standardise)
        positive("tol", self.tol, "1e-10 is a good value")
        if self.max_iter is not None:
            whole("max_iter", self.max_iter, "leave it None for the limit of the solver")
        checked_solver(self.solver)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _refuse_infinite(X: Any) -> None:
    assert_all_finite(X, estimator_name="LogisticRegression", input_name="X")


def _large(X: Any) -> bool:
    """Whether ``X`` is so large an array of numbers that one more look at all of them is worth saving."""
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype in (np.float64, np.float32) and X.size >= LARGE
