"""Layer solvers: stochastic gradient descent as in textbooks, for any `Problem`.

In: a `Problem` in the user's own coordinates.  Out: a `Solution` whose history shows the start and every epoch.  There
is no tolerance to reach: all epochs are run, and the gap says how good the result is.  Penalties and several scores are
treated as in `surefit.solvers.any_loss.descent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled.door import sgd_squared
from surefit.objective.problem import Problem
from surefit.objective.regression import Squared
from surefit.progress import Task
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.curve import LossCurve
from surefit.solvers.any_loss.descent import Descent, checked_step, origin, smooth_square
from surefit.solvers.any_loss.judge import constant_fit
from surefit.solvers.any_loss.proximal import Composite
from surefit.solvers.solution import Solution, Status

METHOD = "stochastic gradient descent"


@dataclass(frozen=True)
class StochasticGradientDescent:
    """A few rows at a time: ``v <- v - s_t * gradient of their mean loss``, ``s_t = step / (1 + t)**decay``.

    With a constant step (``decay=0``) and noisy targets the iterates hover around the solution; ``decay > 0`` or
    ``average=True`` (the mean of all iterates) settles them.  ``order`` is ``"permutation"`` (each epoch visits every
    row once) or ``"uniform"`` (independent draws); ``batch`` rows make a step.  A row's weight multiplies its gradient.
    ``step=None`` takes ``1 / L`` with ``L`` the curvature of the row where it is largest, penalty included; for single
    rows a quarter of that, unless the loss is squared; for a loss without such a bound the reciprocal of the longest
    row.  Least squares, a row at a time, is stable for twice ``1 / L``.  Catalogue A-08, C-05, E-096, E-108.

    >>> from surefit.objective import Absolute, L1
    >>> problem = Problem(np.eye(4), np.array([1.0, 3, 2, 5]), Absolute(), L1(), 0.01)
    >>> StochasticGradientDescent(epochs=50, seed=1).solve(problem).status.name
    'EPOCHS_DONE'
    """

    step: float | None = None
    epochs: int = 100
    decay: float = 0.0
    average: bool = False
    order: str = "permutation"
    seed: int = 0
    batch: int = 1

    def solve(self, problem: Problem) -> Solution:
        """Approximately minimise the objective of ``problem``, from zero."""
        return self.run(problem).solution(problem)

    def run(
        self, problem: Problem, start: np.ndarray | None = None, tell: Callable[[int, float], None] | None = None
    ) -> Descent:
        """The same without a gap, from ``start`` (zero unless given); ``tell`` hears of every epoch."""
        self._check()
        composite = Composite(problem, LossCurve(problem.loss, problem.y), explicit=problem.penalty.smooth)
        V = origin(problem) if start is None else start
        step = checked_step(self.step) if self.step is not None else _row_step(problem, self.batch)
        walk = _compiled_walk if self._is_compiled(problem, start) else _walk
        run = Descent(V, METHOD, step, Status.EPOCHS_DONE)
        tell = tell or Task(METHOD, self.epochs, "epoch")
        _note(run, composite, V)
        for epoch, run.V in enumerate(walk(self, composite, V, step)):
            _note(run, composite, run.V)
            tell(epoch + 1, run.lengths[-1])
            if not np.isfinite(run.objectives[-1]):
                run.status = Status.DIVERGED
                break
        return run

    def _check(self) -> None:
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {self.epochs}")
        if self.batch < 1:
            raise ValueError(f"batch must be at least 1, got {self.batch}; it counts the rows of a step")
        if self.order not in ("permutation", "uniform"):
            raise ValueError(f"order must be 'permutation' or 'uniform', got {self.order!r}")
        if not 0.0 <= self.decay < np.inf:
            raise ValueError(f"decay must be >= 0, got {self.decay}; 0 keeps the step constant")

    def _is_compiled(self, problem: Problem, start: np.ndarray | None) -> bool:
        return isinstance(problem.loss, Squared) and problem.lam == 0 and self.batch == 1 and start is None

    def orders(self, n: int) -> Iterator[np.ndarray]:
        """For each epoch the rows in the order in which they are visited."""
        rng = np.random.default_rng(self.seed)
        for _ in range(self.epochs):
            yield rng.permutation(n) if self.order == "permutation" else rng.integers(n, size=n)


def stochastic(problem: Problem, tol: float = 0.0, max_iter: int = 100) -> Solution:
    """`StochasticGradientDescent` by small batches for ``max_iter`` epochs; the mean over the second half of them.

    There is no tolerance to reach: ``tol`` is not used, and the gap says how good the result is.  Catalogue A-16.
    """
    level, null = constant_fit(problem)
    decay, half = 0.0 if problem.loss.smooth else limits.DECAY, max_iter // 2
    first = StochasticGradientDescent(epochs=max(half, 1), decay=decay, batch=limits.BATCH)
    tell = Task(METHOD, max_iter, "epoch")
    run = first.run(problem, np.append(np.zeros(problem.X.shape[1]), level), tell)
    if max_iter > 1 and run.status is not Status.DIVERGED:
        later = replace(first, step=run.step, epochs=max_iter - half, average=True, seed=1)
        second = later.run(problem, run.V, lambda epoch, error: tell(half + epoch, error))
        second.objectives, second.lengths = run.objectives[:-1] + second.objectives, run.lengths[:-1] + second.lengths
        run = second
    found = run.solution(problem)
    residual = problem.residual(found.coef, found.intercept) if np.isfinite(found.objective) else np.inf
    facts = {**found.facts, "method": "stochastic", "residual": residual, "null_objective": null}
    history = {"objective": found.history["objective"], "error": found.history["gradient_norm"]}
    return replace(found, facts=MappingProxyType(facts), history=MappingProxyType(history))


def _walk(
    settings: StochasticGradientDescent, composite: Composite, V: np.ndarray, step: float
) -> Iterator[np.ndarray]:
    """The iterate, or the mean of all of them, after each epoch."""
    problem = composite.problem
    X = problem.X.tocsr() if sparse.issparse(problem.X) else problem.X
    relative = problem.weights * X.shape[0]
    mean, t = V.copy(), 0
    for order in settings.orders(X.shape[0]):
        for first in range(0, len(order), settings.batch):
            rows = order[first : first + settings.batch]
            slope = _slope_of(composite, X[rows], rows, relative[rows] / len(rows), V)
            V = composite.moved(V, slope, step / (1.0 + t) ** settings.decay)
            t += 1
            mean += (V - mean) / t
        yield mean.copy() if settings.average else V


@np.errstate(over="ignore", invalid="ignore")
def _slope_of(composite: Composite, some: Any, rows: np.ndarray, weights: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Gradient of the mean loss of some rows; a penalty in the gradient counts in full."""
    problem = composite.problem
    pull = problem.loss.derivative(problem.y[rows], np.asarray(some @ V[:-1]) + V[-1])
    pull = weights * pull if pull.ndim == 1 else weights[:, None] * pull
    level = np.asarray(pull.sum(axis=0))[None] * problem.fit_intercept
    slope = np.concatenate([np.asarray(some.T @ pull), level])
    if composite.explicit and problem.lam > 0:
        slope[:-1] += problem.lam * problem.penalty.gradient(V[:-1])
    return slope


def _compiled_walk(
    settings: StochasticGradientDescent, composite: Composite, V: np.ndarray, step: float
) -> Iterator[np.ndarray]:
    """The same for least squares, a row at a time from zero, by a compiled loop."""
    problem = composite.problem
    X = np.ascontiguousarray(problem.X.toarray() if sparse.issparse(problem.X) else problem.X, dtype=np.float64)
    n, y = len(X), np.ascontiguousarray(problem.y, dtype=np.float64)
    coef, mean, levels = np.zeros(X.shape[1]), np.zeros(X.shape[1]), (0.0, 0.0)
    for epoch, order in enumerate(settings.orders(n)):
        levels = sgd_squared(
            X, y, n * problem.weights, order.astype(np.int64), coef, mean, levels, epoch * n, step,
            float(settings.decay), problem.fit_intercept,
        )  # fmt: skip
        yield np.append(mean, levels[1]) if settings.average else np.append(coef, levels[0])


def _note(run: Descent, composite: Composite, V: np.ndarray) -> None:
    """Record objective and gradient at ``V``."""
    value, slope = composite.smooth(V)
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.linalg.norm(V - composite.moved(V, slope, run.step))) / run.step
        run.record(composite.objective(V, value), length)


def _row_step(problem: Problem, batch: int) -> float:
    """``1 / L``, ``L`` the largest curvature of the objective on one row; else the reciprocal of the longest row."""
    X = problem.X
    squares = X.multiply(X) if sparse.issparse(X) else np.square(X)
    lengths = np.asarray(squares.sum(axis=1)).ravel() + problem.fit_intercept
    longest = float(np.max(problem.weights * len(lengths) * lengths, initial=0.0))
    bend, square = problem.loss.smoothness, smooth_square(problem) or 0.0
    if not np.isfinite(bend):
        start = np.full(len(problem.y), constant_fit(problem)[0])
        with np.errstate(divide="ignore"):
            bend = float(np.max(problem.loss.curvature(problem.y, start)))
    if not longest > 0:
        return 1.0
    share = 1.0 if isinstance(problem.loss, Squared) else min(1.0, batch / limits.CALM_ROWS)
    return share / (bend * longest + square if 0 < bend < np.inf else np.sqrt(longest) + square)
