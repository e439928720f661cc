"""Layer estimators: `LogisticRegression` for two or more classes, with inference where its theory holds."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import assert_all_finite, check_is_fitted, validate_data

from surefit.data.design import Design
from surefit.estimators.class_weight import class_factors
from surefit.estimators.designated import TrainingSet, linear_classifier, no_theorem_for_labels
from surefit.estimators.guaranteed import Guaranteed, certifiable
from surefit.estimators.labels import encode_labels, labels_of_scores
from surefit.estimators.lam_choice import LamChoice
from surefit.estimators.linear_model import column_names
from surefit.estimators.logistic_choice import (
    by_approximate_loo,
    by_held_out_loss,
    default_lams,
    given_folds,
    stratified_folds,
)
from surefit.estimators.summarised import Summarised, described, with_choice
from surefit.page import Fact
from surefit.parameters import checked_grid, cost_table, non_negative, positive, whole, within
from surefit.solvers.choose import Choice
from surefit.solvers.logistic import LogisticPath, checked_solver, choose_solver, logistic_path, solve_logistic
from surefit.solvers.logistic_problem import LogisticProblem, class_probabilities
from surefit.solvers.separation import Separation
from surefit.solvers.solution import Solution, Status
from surefit.theory.designated import Designated
from surefit.theory.inference import checked_choice
from surefit.theory.inference_penalised import after_lasso
from surefit.theory.logistic_inference import LogisticCovariance, LogisticFit, log_odds_of, logistic_table
from surefit.theory.logistic_penalised import penalised_table, summarise_penalised
from surefit.theory.logistic_summary import LogisticSummary, summarise_logistic
from surefit.theory.tables import CoefficientTable, ShrunkenTable, checked_level

LARGE = 2_000_000
"""Entries from which numbers that are not finite are found while fitting."""

CRITERIA = ("cv", "approximate_loo")
SELECTS = ("min", "one_se")


SCORES = "Coefficients are scores of the class in brackets; differences of two of them are log-odds."


class SeparationWarning(UserWarning):
    """The classes can be separated, so the unpenalised likelihood has no maximum."""


class LogisticRegression(Summarised, Guaranteed, ClassifierMixin, BaseEstimator):
    """Probabilities of classes: minimise ``mean(log-loss) + lam * (l1_ratio ||W||_1 + (1 - l1_ratio) ||W||**2)``.

    Two classes have one column of scores, the log-odds of the second; ``k > 2`` classes have ``k``, fitted together
    (softmax, never one against the rest).  The intercept is never penalised.  scikit-learn's ``C`` is
    ``1 / (2 n lam)`` for the squared penalty.  Catalogue A-29, A-30, A-31, T-79.

    Parameters
    ----------
    lam : penalty, ``>= 0``; 0 is maximum likelihood.  ``None``: chosen from ``lams`` by ``criterion``.
    l1_ratio : share of the absolute penalty, from 0 (squares) to 1 (lasso).
    lams : grid to choose from; ``None``: 50 values that suit the data.
    fit_intercept : learn the offsets.
    class_weight : ``None``, ``"balanced"`` or ``{label: factor}``; multiplies the sample weights.
    costs : (k, k), ``costs[i][j]`` is what predicting class ``j`` costs when class ``i`` is true; `predict` then
        minimises the expected cost.  A threshold ``t`` on the probability of the second class is
        ``[[0, t], [1 - t, 0]]``.  ``None``: the most probable class, the first of a tie.
    solver : ``"auto"`` (see `explain`), ``"newton"``, ``"newton-cg"``, ``"lbfgs"``, ``"prox-newton"``; for study
        ``"gradient"``, ``"stochastic"``, or a `GradientDescent` or `StochasticGradientDescent` of your own.
    tol : accuracy of the objective relative to itself: the decrease still expected, with an L1 part the duality gap.
        From ``1e-10`` on smooth fits also bring the norm of the gradient down to ``1e-8``, if rounding allows it.
    max_iter : limit of the solver's iterations; ``None``: the solver's own.
    criterion : ``"cv"``: log-loss on held-out rows; ``"approximate_loo"``: one Newton step away from the fit per row.
    cv : number of shuffled stratified folds (equal rows stay together), a splitter, or an iterable of splits.
    select : ``"min"``, or ``"one_se"``: the largest ``lam`` within one standard error of the cross-validated minimum.
    random_state : seed of the folds.

    Attributes
    ----------
    classes_ : labels in order.  coef_ : (1, d) or (k, d).  intercept_ : (1,) or (k,).  lam_ : the penalty used.
    solution_ : status, gap, objective, history, facts.  gap_ : how far the objective can be from its minimum at most.
    separation_ : None, or for ``lam=0`` the direction along which the likelihood grows without end: its ``coef``
        and ``intercept`` have the shapes of ``coef_`` and ``intercept_``.
    lam_path_, path_, criterion_path_, criterion_se_, lam_min_, lam_1se_ : as for `Lasso`, if ``lam`` was chosen.

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
        class_weight: Any = None,
        costs: Any = None,
        solver: Any = "auto",
        tol: float = 1e-10,
        max_iter: int | None = None,
        criterion: str = "cv",
        cv: Any = 5,
        select: str = "min",
        random_state: Any = 0,
    ):
        self.lam = lam
        self.l1_ratio = l1_ratio
        self.lams = lams
        self.fit_intercept = fit_intercept
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
        target_name = getattr(y, "name", None)
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
        weight = design.weight if sample_weight is None else design.weight.copy()  # kept, so out of the user's reach
        if self.class_weight is not None:
            weight = weight * class_factors(self.class_weight, self.classes_, codes, weight)[codes]
        problem = LogisticProblem.of(design.X, codes, 1.0, float(self.l1_ratio), weight, bool(self.fit_intercept))
        self._checked_costs()
        for name in ("lam_min_", "lam_1se_", "lam_path_", "criterion_path_", "criterion_se_", "path_"):
            self.__dict__.pop(name, None)
        self.lam_ = float(self.lam) if self.lam is not None else self._chosen(problem, weight, everything)
        at = problem.at_lam(self.lam_ * problem.absolute, self.lam_ * problem.square)
        choice = choose_solver(at) if self.solver == "auto" else Choice(str(self.solver), "asked for")
        if unseen and choice.name != "lbfgs":
            _refuse_infinite(X)
        self._choice = str(choice)
        self._accept(self._solved(at, unseen), answer_type)
        self._training: Any = (design.X, codes, weight, "y" if target_name is None else str(target_name))
        self._settings = (bool(self.fit_intercept), self.lam_ * self.l1_ratio > 0, self.lam is None)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: log-odds of the second class (n,), or one column per class (n, k)."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n, k), in the order of ``classes_``."""
        scores = self._scores(X)
        return np.column_stack([_odds(-scores), _odds(scores)]) if scores.shape[1] == 1 else class_probabilities(scores)

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

    def explain(self) -> str:
        """Which solver ran and why, and how it ended."""
        check_is_fitted(self, "coef_")
        s = self.solution_
        return f"{self._choice}; {s.status.value}, after {s.n_iter} iterations with a duality gap of {s.gap:.1e}"

    def logistic_fit(self) -> LogisticFit:
        """The record from which all inference starts: see `surefit.theory.logistic_inference`.

        Refuses, saying why, where its theory does not hold: an L1 part, separated classes without a penalty, an
        iteration that did not reach the maximum, a model loaded without its data, data changed since the fit.
        """
        check_is_fitted(self, "coef_")
        fit_intercept, selects, _ = self._settings
        if selects:
            raise ValueError(after_lasso("LogisticRegression with an L1 part", self.lam_, "LogisticRegression(lam=0)"))
        if self.separation_ is not None:
            raise ValueError(separation_text(self.separation_, column_names(self)))
        if self.solution_.status is not Status.CONVERGED:
            raise ValueError(f"standard errors hold at the maximum of the likelihood: {self.solution_.status.value}")
        if self._training is None:
            raise ValueError("the training data do not travel with a stored or copied model; fit again for its summary")
        X, codes, weight, target_name = self._training
        if not self._fit_record.unchanged(X, self.classes_[codes]):
            raise ValueError("X has been changed in place since the fit; fit again to have its summary")
        return LogisticFit(
            X, codes, self.solution_.coef.T, self.solution_.intercept, weight, fit_intercept, column_names(self),
            tuple(map(str, self.classes_)), target_name, self.solution_.facts["method"], self.lam_,
        )  # fmt: skip

    def inference(self, *, covariance: Any = None, level: float = 0.95) -> CoefficientTable | ShrunkenTable:
        """Standard errors and intervals, intercept first, class by class.

        Without a penalty: Wald tests of maximum likelihood.  With squares: of the shrunken target, not of the truth,
        and no p values.  With an L1 part: refused, saying why.  ``covariance`` is ``"classical"`` (``None`` without a
        penalty), ``"robust"`` (``None`` with one) or ``"hessian"``: see `LogisticFit.covariance_as`.
        """
        fit = self.logistic_fit()
        if fit.lam > 0:
            return penalised_table(fit, covariance or "robust", level, self._choices())
        return logistic_table(fit, level, covariance or "classical")

    def summary(self, *, covariance: Any = None, level: float = 0.95) -> LogisticSummary:
        """The table of `inference` with the facts of the fit; the coefficients alone, and why, where it refuses."""
        check_is_fitted(self, "coef_")
        checked_level(level)
        checked_choice("covariance", covariance or "robust", LogisticCovariance)
        try:
            fit = self.logistic_fit()
            _ = fit.inverse_hessian  # refuses where columns depend on each other
        except ValueError as refusal:
            labels = tuple(map(str, self.classes_))
            meaning = log_odds_of(labels) if len(labels) == 2 else SCORES
            return cast(LogisticSummary, described(self, str(refusal), (meaning,), LogisticSummary))
        if fit.lam > 0:
            return with_choice(summarise_penalised(fit, covariance or "robust", level, self._choices()), self)
        return with_choice(summarise_logistic(fit, level, covariance or "classical"), self)

    def _log_odds(self) -> bool:
        return len(self.classes_) == 2

    def _row_labels(self) -> tuple[str, ...]:
        return tuple(map(str, self.classes_))

    def _facts(self) -> list[Fact]:
        fact = ("Nonzero coefficients", f"{np.count_nonzero(self.coef_):,} of {self.coef_.size:,}")
        return [("Solved by", str(self.solution_.facts["method"])), *([fact] if self._settings[1] else [])]

    def _choices(self) -> tuple[str, ...]:
        return ("lam was chosen on the same rows",) if self._settings[2] else ()

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def _chosen(self, problem: LogisticProblem, weight: np.ndarray, everything: tuple[Design, np.ndarray]) -> float:
        """Publish the criterion along the path and return the ``lam`` it picks."""
        lams = default_lams(problem) if self.lams is None else checked_grid(self.lams)
        solve = lambda part: logistic_path(part, lams, self.solver, float(self.tol), self._limit())
        self.path_: LogisticPath = solve(problem)
        if len(lams) == 1:  # nothing to choose
            choice = LamChoice(lams, np.zeros(1), np.full(1, np.nan))
        elif self.criterion == "cv":
            numbered = isinstance(self.cv, int | np.integer)
            folds = (
                stratified_folds(problem, weight, self.cv, self.random_state)
                if numbered
                else given_folds(*everything, self.cv)
            )
            choice = by_held_out_loss(problem, weight, folds, solve)
        else:
            choice = by_approximate_loo(problem, weight, self.path_)
        self.lam_path_, self.criterion_path_, self.criterion_se_ = choice.lams, choice.curve, choice.se
        self.lam_min_, self.lam_1se_ = choice.lam_min, choice.lam_one_se
        return self.lam_min_ if self.select == "min" else self.lam_1se_

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

    def _checked_costs(self) -> np.ndarray | None:
        return None if self.costs is None else cost_table(self.costs, len(self.classes_))

    def _check_choices(self) -> None:
        lam: Any = self.lam
        if lam is not None:
            non_negative("lam", lam, "use lam=0 for maximum likelihood")
        within("l1_ratio", self.l1_ratio, (0, 1), "use 0 for squares and 1 for lasso")
        if self.criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(map(repr, CRITERIA))}; got {self.criterion!r}")
        if self.select not in SELECTS:
            raise ValueError(f"select must be one of {', '.join(map(repr, SELECTS))}; got {self.select!r}")
        if self.lam is None and self.select == "one_se" and self.criterion != "cv":
            raise ValueError("select='one_se' needs a criterion with a standard error; use criterion='cv'")
        positive("tol", self.tol, "1e-10 is a good value")
        if self.max_iter is not None:
            whole("max_iter", self.max_iter, "leave it None for the limit of the solver")
        checked_solver(self.solver)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_training": None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _refuse_infinite(X: Any) -> None:
    assert_all_finite(X, estimator_name="LogisticRegression", input_name="X")


def _large(X: Any) -> bool:
    """Whether ``X`` is so large an array of numbers that one more look at all of them is worth saving."""
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype in (np.float64, np.float32) and X.size >= LARGE


def _odds(score: np.ndarray) -> np.ndarray:
    return class_probabilities(score)[:, 0]


def separation_text(separation: Separation, names: tuple[str, ...]) -> str:
    """Which columns separate the classes, what follows, and what to do."""
    size = separation.reach
    order = np.argsort(-size, kind="stable")
    leading = [repr(names[j]) for j in order if size[j] > 1e-6 * size.max()] if size.max() > 0 else []
    shown = ", ".join(leading[:5]) + (", ..." if len(leading) > 5 else "")
    how = "separated" if separation.kind == "separable" else "separated but for rows on the boundary"
    return (
        f"the classes are {how} by a combination of {shown or 'the intercepts'}: the likelihood grows along "
        "separation_ without end, so it has no maximum, and coefficients have no standard errors; use lam > 0, or drop "
        "the columns that give the answer away"
    )
