"""Layer solvers: logistic regression with an L1 part, by prox-Newton on a working set of coefficients.

In: a `LogisticProblem` and a start.  Out: a `Run`.  Each round replaces the loss by its second-order model at the
current scores and minimises model plus penalty over the working set, on the Gram matrix (dense designs, several
classes) or on the sparse columns themselves; one pass over all columns then finds the coefficients that must join, and
the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled.door import gram_descent, logistic_sweeps
from surefit.data.scores import class_probabilities
from surefit.progress import Task
from surefit.solvers.lasso.columns import sparse_products
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.newton import Run
from surefit.solvers.logistic.problem import ROUNDING, Evaluation, LogisticProblem, losses_and_pulls
from surefit.solvers.normal_equations import weighted_gram


@dataclass
class State:
    """A point, its scores ``(n, width)`` and the objective there."""

    V: np.ndarray
    scores: np.ndarray
    value: float


@dataclass(frozen=True)
class Aim:
    """How exactly the problem on a working set is to be solved."""

    gap: float
    """The gap of the present point, over all columns."""
    wanted: float
    """The gap to be reached."""
    ahead: float
    """Sweeps may leave ``ahead * wanted``; infinite if the working set lacks columns that are needed anyway."""
    finer: float
    """Factor of what models may leave; it falls after rounds that did not help."""


def proximal_newton(
    problem: LogisticProblem, V: np.ndarray, tol: float, max_iter: int, before: Run | None = None
) -> Run:
    """Minimise with an L1 part until the duality gap is ``tol`` of the null objective.  Catalogue A-29, A-30, A-31.

    ``before`` is the run that ended at ``V`` on the same data under another penalty, if there was one: what it saw
    there last need not be looked at again.
    """
    run, tell, null = Run(V, "prox-newton"), Task("prox-newton", max_iter), problem.null_value()
    scores = scores_of_few(problem, V)
    last = None if before is None else before.at
    seen = None if last is None else problem.penalised_by_squares(V, last.risk, last.slope)
    state = State(V, scores, (problem.risk_of(scores) if seen is None else seen.risk) + problem.penalty(V))
    working = V[:-1] != 0
    best, idle, ahead, finer = np.inf, 0, limits.AHEAD, 1.0
    for iteration in range(max_iter):
        at = seen if iteration == 0 and seen is not None else evaluated(problem, state)
        gap = problem.gap(state.V, at, state.scores)
        error = gap / max(null, np.finfo(float).tiny)
        run.record(state.value, error)
        tell(iteration, error)
        run.settled = error <= tol
        if gap < 0.5 * best:
            best, idle = gap, 0
        else:
            idle, finer = idle + 1, finer * limits.FINER
        run.at, run.gap = at, gap
        if run.settled or idle >= limits.PATIENCE:
            break
        working, complete = joined(problem, working, state.V, at)
        aim = Aim(gap, tol * null, ahead if complete else np.inf, finer)
        state = descended(problem, state, working, aim)
        ahead *= limits.TIGHTER if complete else 1.0
    else:
        run.at = run.gap = None  # the last step was not looked at
    run.V = state.V
    return run


def scores_of_few(problem: LogisticProblem, V: np.ndarray) -> np.ndarray:
    """``X W + b`` from the columns that have a coefficient."""
    columns = np.flatnonzero(np.any(V[:-1], axis=1))
    if problem.is_sparse and len(columns) > limits.FEW_OF_ALL * problem.d:
        return problem.scores(V)
    return np.asarray(problem.by_columns[:, columns] @ V[columns]) + V[-1]


def evaluated(problem: LogisticProblem, state: State) -> Evaluation:
    """Value and gradient from scores that are already there."""
    loss, pull = losses_and_pulls(state.scores, problem.codes)
    pull *= problem.share[:, None]
    X = problem.by_columns
    slopes = sparse_products(X, pull.T).T if problem.is_sparse else X.T @ pull
    slope = np.vstack([slopes, pull.sum(axis=0) * problem.fit_intercept])
    return problem.penalised_by_squares(state.V, float(problem.share @ loss), slope)


def joined(problem: LogisticProblem, working: np.ndarray, V: np.ndarray, at: Evaluation) -> tuple[np.ndarray, bool]:
    """The working set with those that violate the optimality conditions or nearly do, the worst first.

    It is at most doubled (and ten more); the second answer says whether all violators could join.
    """
    larger = (V[:-1] != 0) | working
    missed = np.abs(at.gradient[:-1]) - problem.absolute[:, None]
    missed[larger] = -np.inf
    most = int(np.count_nonzero(V[:-1])) + 10
    wanted = np.flatnonzero(missed > -limits.NEAR * problem.absolute[:, None])
    complete = np.count_nonzero(missed > 0) <= most
    if len(wanted) > most:
        wanted = wanted[np.argpartition(-missed.ravel()[wanted], most)[:most]]
    larger.ravel()[wanted] = True
    return larger, bool(complete)


def descended(problem: LogisticProblem, state: State, working: np.ndarray, aim: Aim) -> State:
    """A point that solves the problem on the working set, as exactly as all columns together will need."""
    features, classes = np.nonzero(working)
    columns = np.unique(features)
    gap, wanted, ahead = aim.gap, aim.wanted, aim.ahead
    if problem.is_sparse and problem.width == 1:
        state, settled = swept(problem, state, columns, min(ahead * wanted, max(limits.AHEAD * wanted, 0.1 * gap)))
        if settled or ahead == np.inf or len(columns) > limits.GRAM_LIMIT:
            return state
    enough = 0.1 * aim.finer * min(max(gap, wanted), 0.01 * state.value)
    return modelled(problem, state, (features, classes, columns), max(enough, limits.FINEST * state.value))


def swept(problem: LogisticProblem, state: State, columns: np.ndarray, enough: float) -> tuple[State, bool]:
    """Coordinate sweeps over sparse columns until they estimate the gap at ``enough``, and whether they came so far."""
    X, V, scores = problem.by_columns, state.V.copy(), state.scores[:, 0].copy()
    coef = V[:-1, 0].copy()
    limit = limits.SWEEPS
    if len(columns) <= limits.GRAM_LIMIT:  # as many as cost what the Newton steps would
        entries = int(np.diff(X.indptr)[columns].sum())
        limit = int(np.clip(len(columns) ** 3 / (8 * entries + 1), limits.FEW_SWEEPS, limits.SWEEPS))
    value, V[-1, 0], left, _ = logistic_sweeps(
        X.indptr, X.indices, X.data, columns, problem.codes, problem.share, problem.absolute, 2 * problem.square,
        problem.fit_intercept, (enough, limit), coef, scores, float(V[-1, 0]),
    )  # fmt: skip
    V[:-1, 0] = coef
    return State(V, scores[:, None], value), left <= enough


def modelled(
    problem: LogisticProblem, state: State, variables: tuple[np.ndarray, np.ndarray, np.ndarray], enough: float
) -> State:
    """Steps to the minimum of second-order models until one lowers the objective by less than ``enough``."""
    features, classes, columns = variables
    X = problem.by_columns[:, columns]
    model_step = GramModel(problem, X, (features, np.searchsorted(columns, features), classes))
    for _ in range(limits.MODEL_ROUNDS):
        target = model_step(state, enough)
        moved = _halved(problem, X, columns, state, target)
        fell = state.value - moved.value
        state = moved
        if fell <= enough:
            break
    return state


def _halved(problem: LogisticProblem, X: Any, columns: np.ndarray, state: State, target: np.ndarray) -> State:
    """The farthest of the points 1, 1/2, 1/4, ... of the way to ``target`` that does not raise the objective."""
    step = target - state.V
    move = np.asarray(X @ step[columns]) + step[-1]
    share = 1.0
    for _ in range(limits.HALVINGS):
        V = target if share == 1.0 else state.V + share * step
        scores = state.scores + share * move
        value = problem.risk_of(scores) + problem.penalty(V)
        if value <= state.value * (1 + ROUNDING):
            return State(V, scores, value)
        share *= 0.5
    return state


class GramModel:
    """The second-order model through the Gram matrix of the working variables (feature, class) and the intercepts."""

    def __init__(self, problem: LogisticProblem, X: Any, variables: tuple[np.ndarray, np.ndarray, np.ndarray]):
        self.problem, self.X = problem, X
        self.features, self.place, self.classes = variables
        levels = problem.width if problem.fit_intercept else 0
        self.threshold = np.append(problem.absolute[self.features], np.zeros(levels))
        self.ridge = np.append(2 * problem.square[self.features], np.zeros(levels))

    def __call__(self, state: State, enough: float) -> np.ndarray:
        problem, size = self.problem, len(self.threshold)
        q = class_probabilities(state.scores)
        _, pull = losses_and_pulls(state.scores, problem.codes)
        pull *= problem.share[:, None]
        slope = np.asarray(self.X.T @ pull)[self.place, self.classes]
        here = state.V[self.features, self.classes]
        if problem.fit_intercept:
            slope, here = np.append(slope, pull.sum(axis=0)), np.append(here, state.V[-1])
        gram = self._gram(q)
        moment = gram @ here - slope
        coef, corr = here.copy(), moment - gram @ here
        factor, order = np.zeros((size, size)), np.zeros(size, dtype=np.int64)
        square = float(here @ moment) * 2 + 1.0  # any constant: only differences of the objective matter
        gram_descent(
            gram, moment, square, self.threshold, self.ridge, False, (0.02 * enough, 500), coef, corr, factor, order, 0
        )
        target = state.V.copy()
        target[self.features, self.classes] = coef[: len(self.features)]
        if problem.fit_intercept:
            target[-1] = coef[len(self.features) :]
        return target

    def _gram(self, q: np.ndarray) -> np.ndarray:
        """The Hessian of the mean loss in the working variables."""
        problem, n_slopes = self.problem, len(self.features)
        ones = np.ones((problem.n, 1))
        A = sparse.hstack([self.X, ones], format="csr") if problem.is_sparse else np.hstack([self.X, ones])
        place, classes = self.place, self.classes
        if problem.fit_intercept:
            place = np.append(place, np.full(problem.width, A.shape[1] - 1))
            classes = np.append(classes, np.arange(problem.width))
        gram = np.zeros((len(place), len(place)))
        for a in range(problem.width):
            for b in range(a + 1):
                rows, cols = np.flatnonzero(classes == a), np.flatnonzero(classes == b)
                bend = q[:, a] * (1 - q[:, a]) if a == b else q[:, a] * q[:, b]
                block = weighted_gram(A, problem.share * bend)[np.ix_(place[rows], place[cols])]
                gram[np.ix_(rows, cols)] = block if a == b else -block
                gram[np.ix_(cols, rows)] = gram[np.ix_(rows, cols)].T
        gram[np.arange(n_slopes), np.arange(n_slopes)] *= 1 + 1e-13
        return gram
