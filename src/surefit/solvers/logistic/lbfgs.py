"""Layer solvers: limited-memory BFGS for large logistic problems, started from a metric measured on a sample of rows.

In: a `LogisticProblem` without an L1 part and a start.  Out: a `Run`.  Each evaluation is one pass over the rows.  The
metric is the Cholesky factor of the Hessian on a sample (``metric.py``), so that few evaluations are needed however
the columns are correlated; where it would cost more than it saves, it is built only if the columns are seen to be
correlated or the iteration turns out to be long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from surefit.data.aligned import aligned
from surefit.progress import Task
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.metric import (
    Metric,
    diagonal_metric,
    entangled,
    metric_rows,
    sampled,
    single_metric,
)
from surefit.solvers.logistic.newton import CORRECT, STILL, STRICT, Run, newton
from surefit.solvers.logistic.problem import Evaluation, LogisticProblem
from surefit.threads import map_in_order, one_blas_thread

SINGLE = 1e-7
"""Relative error of an objective that was computed in single precision."""


class Steering:
    """The metric in use, and whether a better one is left to build.

    A cheap one is built at once, a dear one as soon as the columns are seen to be correlated or the pace is slow.
    """

    def __init__(self, problem: LogisticProblem, rows: LogisticProblem, V: np.ndarray):
        self.metric: Metric = diagonal_metric(problem)
        cheap = _cheap(problem)
        self.may_improve = cheap or problem.d <= limits.WIDEST
        if self.may_improve and (cheap or (not problem.is_sparse and entangled(rows))):
            self.improve(rows, V)

    def slow(self, errors: list[float], enough: float) -> bool:
        """Whether a better metric is left and the pace asks for it."""
        return self.may_improve and _long(errors, enough)

    def improve(self, rows: LogisticProblem, V: np.ndarray) -> None:
        """Measure the metric on a sample of the rows, if it can be."""
        self.may_improve = False
        self.metric = single_metric(rows, V) or self.metric


@one_blas_thread()  # passes over the rows run on threads of our own, and those of BLAS would spin against them
def lbfgs(problem: LogisticProblem, V: np.ndarray, tol: float, max_iter: int) -> Run:
    """Quasi-Newton steps until the decrease still expected is a quarter of ``tol``, relative to the null objective.

    Long iterations run on a copy of the rows in single precision until that is reached, the last steps on the rows.
    From ``tol = 1e-10`` on they go on until the gradient's norm is 1e-8, if rounding allows it.
    """
    start = _start(problem, V)
    rows = problem if start is not V else in_single(problem)
    at = rows.evaluate(start)
    if not at.value <= problem.null_value() * (1 + SINGLE):
        start, rows = V, problem
        at = problem.evaluate(V)
    V = start
    steering = Steering(problem, rows, V)
    run, tell, null = Run(V, "lbfgs"), Task("lbfgs", max_iter), max(problem.null_value(), np.finfo(float).tiny)
    pairs: list[Pair] = []
    for iteration in range(max_iter):
        if steering.slow(run.errors, limits.ENOUGH * tol):
            steering.improve(rows, V)
            pairs = []
        direction = -two_loops(at.gradient, pairs, steering.metric)
        slope = _dot(at.gradient, direction)
        error = -0.5 * slope / null
        run.record(at.value, error)
        tell(iteration, error)
        separated = not problem.penalised and at.value < CORRECT * float(problem.share.min())
        enough = error <= limits.ENOUGH * tol or separated
        done = (enough and (rows is not problem or _still(at, tol))) or not slope < 0
        done = done or (rows is not problem and _stalled(run.errors))
        moved, new = (V, None) if done else _searched(rows, V, direction, at, slope)
        if new is None and rows is problem:
            run.settled = enough
            break
        if new is None:
            rows, at = problem, problem.evaluate(V)
            continue
        change = new.gradient - at.gradient
        if _dot(moved - V, change) > 1e-14 * abs(slope):
            pairs = [*pairs[-(limits.MEMORY - 1) :], Pair.of(moved - V, change, steering.metric)]
        V, at = moved, new
    run.V, run.at = V, at if rows is problem else None
    return run


def _still(at: Evaluation, tol: float) -> bool:
    return tol > STRICT or float(np.linalg.norm(at.gradient)) <= STILL


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.vdot(a, b))


def in_single(problem: LogisticProblem) -> LogisticProblem:
    """The same problem on a copy of its rows in single precision, which are read in half the time."""
    if not problem.row_by_row or problem.X.size < limits.WORTH_SINGLE:
        return problem
    X = aligned(problem.X.shape, np.float32)
    size = max(limits.WORTH_SINGLE // problem.d, 1)

    def copy(start: int) -> None:
        with np.errstate(over="ignore"):
            np.copyto(X[start : start + size], problem.X[start : start + size], casting="same_kind")

    for _ in map_in_order(copy, range(0, problem.n, size)):
        pass
    return replace(problem, X=X)


@dataclass(frozen=True)
class Pair:
    """A step and the change of the gradient along it."""

    step: np.ndarray
    change: np.ndarray
    product: float
    """``<step, change>``."""
    length: float
    """Ratio of the step to the one that the metric gives for that change."""

    @staticmethod
    def of(step: np.ndarray, change: np.ndarray, metric: Metric) -> Pair:
        product = _dot(step, change)
        return Pair(step, change, product, product / max(_dot(change, metric(change)), np.finfo(float).tiny))


def two_loops(gradient: np.ndarray, pairs: list[Pair], metric: Metric) -> np.ndarray:
    """The inverse Hessian of BFGS, from ``metric`` and the remembered pairs, times the gradient.

    The metric is lengthened by the geometric mean over the pairs: the last one alone goes up and down.
    """
    g, shares = gradient.copy(), []
    for pair in reversed(pairs):
        share = _dot(pair.step, g) / pair.product
        g -= share * pair.change
        shares.append(share)
    scaled = metric(g)
    if pairs:
        scaled *= float(np.exp(np.mean(np.log([pair.length for pair in pairs]))))
    for pair, share in zip(pairs, reversed(shares), strict=True):
        scaled += pair.step * (share - _dot(pair.change, scaled) / pair.product)
    return scaled


def _searched(
    problem: LogisticProblem, V: np.ndarray, direction: np.ndarray, at: Evaluation, slope: float
) -> tuple[np.ndarray, Evaluation | None]:
    """A step that lowers value and slope enough (Wolfe, with room for rounding); None if none does."""
    low, high, step = 0.0, np.inf, 1.0
    slack = SINGLE if problem.X.dtype == np.float32 else 1e-14
    for _ in range(limits.TRIES):
        moved = V + step * direction
        new = problem.evaluate(moved)
        here = _dot(new.gradient, direction)
        if not new.value <= at.value + 1e-4 * step * slope + slack * abs(at.value):
            high = step
        elif here < 0.9 * slope:
            low = step
        else:
            return moved, new
        if np.isinf(high):
            step *= 3.0
        else:
            zero = step * slope / (slope - here) if here > 0 else np.inf  # of the chord between the slopes
            step = min(max(zero, low + 0.1 * (high - low)), low + 0.5 * (high - low))
    return V, None


def _start(problem: LogisticProblem, V: np.ndarray) -> np.ndarray:
    """Newton's answer on samples of the rows, where there are many and few columns; ``V`` elsewhere."""
    few = problem.n < 8 * limits.START_ROWS[-1] or problem.d > limits.START_ROWS[-1] // 25
    if few or problem.is_sparse or problem.width > 1 or np.any(V[:-1]):
        return V
    start = V
    for rows, steps in zip(limits.START_ROWS, limits.START_STEPS, strict=True):
        sample = sampled(problem, rows)
        if np.min(sample.frequency) == 0:
            return V
        start = newton(replace(sample, X=np.ascontiguousarray(sample.X)), start, 1e-6, steps).V
    return start


def _cheap(problem: LogisticProblem) -> bool:
    """Whether a metric costs no more than a few passes over the rows."""
    return not problem.is_sparse and metric_rows(problem) * problem.d <= 40 * problem.n * problem.width


def _long(errors: list[float], enough: float) -> bool:
    """Whether at the pace so far many more evaluations are needed."""
    if len(errors) < limits.FIRST_LOOK:
        return False
    pace = np.log(max(errors[-1], 1e-300) / errors[0]) / (len(errors) - 1)
    return bool(pace >= 0 or np.log(enough / errors[-1]) / pace > limits.LONG)


def _stalled(errors: list[float]) -> bool:
    """Whether the last ten evaluations found nothing better: rounding is all that is left."""
    return len(errors) > 10 and min(errors[-10:]) >= min(errors[:-10])
