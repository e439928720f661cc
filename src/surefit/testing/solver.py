"""Testing layer: ``check_solver``, which tries to refute what a solver says about its answers.

In: a function from `Problem` to `Solution`.  Out: nothing, or an ``AssertionError`` whose sentence says what is wrong
and on which problem.  Needs Hypothesis (``pip install surefit[testing]``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from hypothesis import strategies as st

from surefit.objective.loss import Loss
from surefit.objective.penalty import Penalty, SquaredL2
from surefit.objective.problem import Problem
from surefit.objective.regression import Squared
from surefit.solvers.solution import Solution, Status
from surefit.testing.drive import search

Solve = Callable[[Problem], Solution]
ROUNDING = 1e-11
SETTLED = (Status.EXACT, Status.CONVERGED)


@dataclass(frozen=True)
class _Suite:
    """The solver under test and the accuracy it promises when it says that it has converged."""

    solve: Solve
    tol: float


def check_solver(
    solve: Solve,
    *,
    losses: Sequence[Loss] = (Squared(),),
    penalties: Sequence[Penalty] = (SquaredL2(),),
    tol: float = 1e-8,
    examples: int = 30,
) -> None:
    """Try to refute every claim of ``solve(problem) -> Solution``; silent if all hold.

    Checks, on small problems with and without weights, intercept, penalty and independent columns: the shapes and that
    everything is finite; that ``problem`` is left as it was; that ``objective`` is the objective; that no point tried
    is better than the answer by more than the reported ``gap``, nor, if the status says converged, by more than ``tol``
    (relative to the objective at zero); that a weight of ``k`` is ``k`` copies of the row; that the same problem gets
    the same answer.  Targets are drawn from what each loss accepts.  Catalogue P-08.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.least_squares import ridge
    >>> def direct(problem):
    ...     design = Design.of(problem.X, problem.sample_weight)
    ...     answer = ridge(design, problem.y[:, None], problem.lam, problem.fit_intercept).solution
    ...     return replace(answer, coef=answer.coef[:, 0], intercept=float(answer.intercept[0]))
    >>> check_solver(direct)
    """
    suite = _Suite(solve, tol)
    claims = [_answers_in_shape, _leaves_the_problem_alone, _reports_its_objective, _weights_are_repetitions]
    claims += [_gap_is_honest, _repeats_itself]
    for loss in losses:
        for penalty in penalties:
            search([partial(claim, suite) for claim in claims], _problems(loss, penalty), examples)


@st.composite
def _problems(draw: st.DrawFn, loss: Loss, penalty: Penalty) -> Problem:
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2, size=d)
    if d > 1 and draw(st.booleans()):
        X[:, -1] = X[:, 0]
    y = _targets(rng, loss, n)
    weight = rng.integers(0, 4, size=n).astype(float) if draw(st.booleans()) else None
    if weight is not None:
        weight[0] = 1.0
    lam = draw(st.sampled_from([1e-3, 0.1, 1.0]))
    return Problem(X, y, loss, penalty, lam, weight, draw(st.booleans()))


def _targets(rng: np.random.Generator, loss: Loss, n: int) -> np.ndarray:
    """Real numbers, or labels where the loss wants them."""
    for candidate in (rng.normal(size=n), rng.choice([-1.0, 1.0], size=n), rng.choice([0.0, 1.0], size=n)):
        try:
            return np.asarray(loss.check_targets(candidate))
        except ValueError:
            continue
    raise AssertionError(f"{loss!r} accepts neither real targets nor labels -1/1 nor 0/1; this suite has no others")


def _described(problem: Problem) -> str:
    n, d = problem.X.shape
    extras = ["weights"] * (problem.sample_weight is not None) + ["intercept"] * problem.fit_intercept
    return (
        f"{problem.loss!r} + {problem.lam:g} {problem.penalty!r} on {n} x {d} with {' and '.join(extras) or 'no more'}"
    )


def _answers_in_shape(suite: _Suite, problem: Problem) -> None:
    answer = suite.solve(problem)
    d = problem.X.shape[1]
    if np.shape(answer.coef) != (d,) or np.ndim(answer.intercept) != 0:
        raise AssertionError(
            f"coef must have shape ({d},) and intercept be a number, got {np.shape(answer.coef)} and "
            f"{np.shape(answer.intercept)} for {_described(problem)}"
        )
    if not (np.all(np.isfinite(answer.coef)) and np.isfinite(answer.intercept)):
        raise AssertionError(f"the answer contains NaN or infinity for {_described(problem)}")
    if not problem.fit_intercept and answer.intercept != 0.0:
        raise AssertionError(f"intercept is {answer.intercept:g} although none was asked for: {_described(problem)}")


def _leaves_the_problem_alone(suite: _Suite, problem: Problem) -> None:
    before = [np.array(part) for part in (problem.X, problem.y, problem.weights)]
    suite.solve(problem)
    for name, old, new in zip(("X", "y", "weights"), before, (problem.X, problem.y, problem.weights), strict=True):
        if not np.array_equal(old, new):
            raise AssertionError(f"solving changed {name} in place; work on a copy")


def _reports_its_objective(suite: _Suite, problem: Problem) -> None:
    answer = suite.solve(problem)
    true = problem.primal(answer.coef, answer.intercept)
    if abs(answer.objective - true) > 1e-9 * max(1.0, abs(true)):
        raise AssertionError(f"objective says {answer.objective:.12g} and is {true:.12g} for {_described(problem)}")


def _gap_is_honest(suite: _Suite, problem: Problem) -> None:
    answer = suite.solve(problem)
    here = problem.primal(answer.coef, answer.intercept)
    if not answer.gap >= 0:
        raise AssertionError(f"gap must be >= 0, got {answer.gap} for {_described(problem)}")
    scale = max(problem.primal(np.zeros_like(answer.coef)), abs(here), 1e-300)
    lead = max(here - value for value in _challengers(problem, answer))
    if lead > answer.gap + ROUNDING * scale:
        raise AssertionError(
            f"a point was found that is better by {lead:.3g}, but the gap says {answer.gap:.3g}: {_described(problem)}"
        )
    if answer.status in SETTLED and lead > suite.tol * scale:
        raise AssertionError(
            f"the status says {answer.status.name}, but a point was found that is better by {lead:.3g} "
            f"(tol {suite.tol:g} of {scale:.3g}): {_described(problem)}"
        )


def _challengers(problem: Problem, answer: Solution) -> Iterator[float]:
    """Objectives at points near and far that might be better: coordinate moves, descent steps, random ones."""
    rng = np.random.default_rng(0)
    w, b = np.asarray(answer.coef, dtype=float), float(answer.intercept)
    slope_w, slope_b = problem.gradient(w, b)
    size = np.maximum(np.abs(w), np.max(np.abs(w), initial=0.0) * 1e-3 + 1e-6)
    directions = [np.append(row, 0.0) for row in np.diag(size)]
    directions += [np.append(-w, 0.0), np.append(-slope_w, -slope_b), np.append(0 * w, max(abs(b), 1e-3))]
    directions += [np.append(rng.normal(size=len(w)) * size, rng.normal() * max(abs(b), 1e-3)) for _ in range(4)]
    for direction in directions:
        for length in (1.0, 0.1, 1e-2, 1e-4, 1e-6):
            for sign in (1.0, -1.0):
                step = sign * length * direction
                yield problem.primal(w + step[:-1], b + step[-1] * problem.fit_intercept)


def _weights_are_repetitions(suite: _Suite, problem: Problem) -> None:
    if problem.sample_weight is None:
        return
    copies = np.asarray(problem.sample_weight).astype(int)
    repeated = replace(
        problem, X=np.repeat(problem.X, copies, axis=0), y=np.repeat(problem.y, copies), sample_weight=None
    )
    once, again = suite.solve(problem), suite.solve(repeated)
    slack = 2 * suite.tol * max(abs(once.objective), abs(again.objective), 1e-12)
    settled = once.status in SETTLED and again.status in SETTLED
    if settled and abs(once.objective - again.objective) > slack:
        raise AssertionError(
            f"a weight of k must be k copies of the row, but the objectives are {once.objective:.12g} with weights and "
            f"{again.objective:.12g} with copies: {_described(problem)}"
        )


def _repeats_itself(suite: _Suite, problem: Problem) -> None:
    first, second = suite.solve(problem), suite.solve(problem)
    if not np.array_equal(first.coef, second.coef) or first.intercept != second.intercept:
        raise AssertionError(f"the same problem got two different answers; fix the seed: {_described(problem)}")
