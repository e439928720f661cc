"""Layer solvers: gradient descent as in textbooks, for any `Problem` with a smooth loss.

In: a `Problem` in the user's own coordinates.  Out: a `Solution` whose history shows the start and every iteration:
objective and norm of the gradient.  Nothing is centred or scaled: the intercept is one more coordinate that moves
with the others.  A penalty that is smooth is part of the gradient; of any other the prox is applied after every step,
since it has no gradient at its kinks (E-107).  A loss of several scores has a column of coefficients for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from scipy import sparse

from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.direct import direct, is_ridge
from surefit.solvers.any_loss.judge import Judge, constant_fit, gap_of
from surefit.solvers.any_loss.parts import parts_of
from surefit.solvers.any_loss.proximal import (
    LARGEST_STEP,
    SMALLEST_STEP,
    Composite,
    GapWatch,
    halved_step,
    smooth_curve,
)
from surefit.solvers.normal_equations import weighted_gram
from surefit.solvers.solution import Solution, Status

DIVERGES = 1e12
"""A gradient this many times as long as the first one is that of a step which is too long."""


@dataclass
class Descent:
    """Where a descent stands: ``V`` holds the coefficients and, in its last row, the intercept."""

    V: np.ndarray
    method: str
    step: float
    status: Status = Status.MAX_ITER
    objectives: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)

    def record(self, objective: float, length: float) -> None:
        """Note the objective and the length of the gradient."""
        self.objectives.append(float(objective))
        self.lengths.append(float(length))

    def solution(self, problem: Problem) -> Solution:
        """The record of a finished descent, with its gap: for least squares and ridge the distance to the minimum."""
        history = {"objective": np.array(self.objectives), "gradient_norm": np.array(self.lengths)}
        facts = MappingProxyType({"method": self.method, "step": self.step})
        objective, intercept = self.objectives[-1], self.V[-1]
        gap = np.inf if self.status is Status.DIVERGED else _gap(problem, self.V, objective)
        return Solution(
            self.V[:-1], float(intercept) if self.V.ndim == 1 else intercept, self.status, gap, objective,
            len(self.lengths) - 1, MappingProxyType(history), facts,
        )  # fmt: skip


@dataclass(frozen=True)
class GradientDescent:
    """Full gradient steps ``v <- v - step * gradient`` over coefficients and intercept.  Catalogue A-07, T-23, C-04.

    ``step=None`` takes ``1 / L`` with ``L`` a bound on the curvature of the objective: the largest eigenvalue of the
    Hessian for least squares.  There any step below ``2 / L`` converges, to the solution nearest to the start (the
    shortest one from zero).  Stops when the gradient has fallen to ``tol`` of its first length.  For the logistic loss
    this is the textbook's ascent on the likelihood (A-29, E-095).

    >>> GradientDescent(step=0.1, max_iter=2).max_iter
    2
    """

    step: float | None = None
    max_iter: int = 10_000
    tol: float = 1e-10

    def solve(self, problem: Problem) -> Solution:
        """Minimise the objective of ``problem``, whose loss is smooth, from zero."""
        return self.run(problem).solution(problem)

    def run(self, problem: Problem) -> Descent:
        """The same without a gap."""
        if self.max_iter < 0 or not self.tol >= 0:
            raise ValueError(f"max_iter and tol must be >= 0, got {self.max_iter} and {self.tol}")
        composite = Composite(problem, smooth_curve(problem, "gradient descent"), explicit=problem.penalty.smooth)
        step = checked_step(self.step) if self.step is not None else _stable_step(problem)
        tell = Task("gradient descent", self.max_iter)
        first, ended = np.inf, Status.MAX_ITER

        def done(V: np.ndarray, length: float, iteration: int) -> bool:
            nonlocal first, ended
            first = length if iteration == 0 else first
            tell(iteration, length)
            if length <= self.tol * first:
                ended = Status.CONVERGED
            elif not length <= DIVERGES * first:
                ended = Status.DIVERGED
            return ended is not Status.MAX_ITER

        run = _descended(composite, origin(problem), step, self.max_iter, done)
        return replace(run, status=ended)


def gradient_descent(problem: Problem, tol: float = 1e-6, max_iter: int = 20_000) -> Solution:
    """Proximal gradient steps whose lengths are found by halving, until the gap is small.  Catalogue A-16, A-07.

    >>> from surefit.objective import Logistic, SquaredL2
    >>> X, t = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, -1, -1, -1, 1, 1, 1, -1.0])
    >>> gradient_descent(Problem(X, t, Logistic(), SquaredL2(), 0.05), tol=1e-12).coef.round(6)
    array([0.772876])
    """
    level, null = constant_fit(problem)
    watch = GapWatch(Judge(problem, "gradient", tol, null), max_iter)
    composite = Composite(problem, smooth_curve(problem, "gradient"))
    start = np.append(np.zeros(problem.X.shape[1]), level)
    run = _descended(composite, start, None, max_iter, lambda V, length, iteration: watch(V, iteration))
    return watch.judge.solution(run.V[:-1], float(run.V[-1]), watch.trace, n_iter=len(run.lengths) - 1)


def _descended(
    composite: Composite,
    start: np.ndarray,
    step: float | None,
    max_iter: int,
    done: Callable[[np.ndarray, float, int], bool],
) -> Descent:
    """Steps of one length, or found by halving if ``step`` is None, until ``done(V, length of the gradient, k)``."""
    V, length_of_step = start, 1.0 if step is None else step
    run = Descent(V, "gradient descent", length_of_step)
    for iteration in range(max_iter + 1):
        value, slope = composite.smooth(V)
        if step is not None:
            moved = composite.moved(V, slope, step)
        else:
            longest = min(limits.GROWTH * length_of_step, LARGEST_STEP)
            moved, length_of_step = halved_step(composite, V, value, slope, longest)
        with np.errstate(over="ignore", invalid="ignore"):
            length = float(np.linalg.norm(V - moved)) / max(length_of_step, SMALLEST_STEP)
        run.record(composite.objective(V, value), length)
        if done(V, length, iteration) or iteration == max_iter or length_of_step <= SMALLEST_STEP:
            break
        V = moved
    return replace(run, V=V, step=length_of_step)


def origin(problem: Problem) -> np.ndarray:
    """Zero coefficients and intercept: a column of them for every class if the loss is one of several scores."""
    rows = problem.X.shape[1] + 1
    return np.zeros(rows if problem.loss.targets != "classes" else (rows, int(np.max(problem.y)) + 1))


def _stable_step(problem: Problem) -> float | None:
    """``1 / L``, ``L`` a bound on the largest eigenvalue of the Hessian; None for a loss or penalty that has none."""
    square = smooth_square(problem)
    if not np.isfinite(problem.loss.smoothness) or square is None:
        return None
    largest = problem.loss.smoothness * _largest_eigenvalue(problem) + square
    return 1.0 / largest if largest > 0 else 1.0


def smooth_square(problem: Problem) -> float | None:
    """A bound on the curvature of a penalty that belongs to the gradient, None if there is none."""
    if problem.lam == 0 or not problem.penalty.smooth:
        return 0.0
    parts = parts_of(problem)
    return None if parts is None else 2 * float(np.max(parts.square, initial=0.0))


def _largest_eigenvalue(problem: Problem) -> float:
    """Of ``A' diag(p) A``, ``A`` the design with a column of ones if there is an intercept; by its smaller side."""
    X, p = problem.X, problem.weights
    if problem.fit_intercept:
        ones = np.ones((X.shape[0], 1))
        X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
    if X.shape[1] > X.shape[0]:
        root = np.sqrt(p)
        gram = X @ X.T
        gram = (np.asarray(gram.todense()) if sparse.issparse(gram) else gram) * root * root[:, None]
    else:
        gram = weighted_gram(X, p)
    return float(np.linalg.eigvalsh(gram)[-1])


def _gap(problem: Problem, V: np.ndarray, objective: float) -> float:
    """How far the objective is above its minimum at most; for squares the minimum is computed directly."""
    if V.ndim > 1 or not is_ridge(problem):
        return gap_of(problem, V[:-1], V[-1])
    best = direct(problem)
    rounding = 1e-14 * (objective + float(np.max(np.abs(problem.y), initial=0.0)) ** 2 * 1e-14)
    return max(objective - best.objective, 0.0) + best.gap + rounding


def checked_step(step: float) -> float:
    if not step > 0:
        raise ValueError(f"step must be > 0, got {step}; leave it None to have it chosen")
    return float(step)
