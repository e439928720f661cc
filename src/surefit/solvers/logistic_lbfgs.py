"""Layer solvers: limited-memory BFGS for large logistic problems, started from a metric measured on a sample of rows.

In: a `LogisticProblem` without an L1 part and a start.  Out: a `Run`.  Each evaluation is one pass over the rows.  The
metric is the Cholesky factor of the Hessian on a sample (single precision, class by class), so that few evaluations are
needed however the columns are correlated; where it would cost more than it saves, it is built only once the iteration
turns out to be long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import linalg

from surefit.data.threads import map_in_order
from surefit.progress import Task
from surefit.solvers.logistic_newton import CORRECT, Run, newton
from surefit.solvers.logistic_problem import Evaluation, LogisticProblem, class_probabilities

MEMORY = 20
"""Pairs of steps and gradient changes that are remembered."""

FIRST_LOOK, LONG = 6, 15
"""Evaluations after which the pace is judged, and how many more make an expensive metric worth its while."""

WIDEST = 8000
"""Columns up to which a metric is built at all: it is a matrix of that size."""

START_ROWS, START_STEPS = 10_000, 4
"""Rows on which a start is looked for, and Newton steps there: more would fit the noise of the sample."""

WORTH_A_COPY = 2_000_000
"""Entries from which a copy of the rows in single precision pays."""

SINGLE = 1e-7
"""Relative error of a value computed from it."""

TRIES = 25

Metric = Callable[[np.ndarray], np.ndarray]


def lbfgs(problem: LogisticProblem, V: np.ndarray, tol: float, max_iter: int) -> Run:
    """Quasi-Newton steps until the decrease still expected is a tenth of ``tol``, relative to the objective.

    Long iterations run on a copy of the rows in single precision until that is reached, the last steps on the rows.
    """
    start, short = _start(problem, V), _cheap(problem)
    rows = problem if start is not V else in_single(problem)
    at = rows.evaluate(start)
    if not at.value <= problem.null_value() * (1 + SINGLE):
        start, rows = V, problem
        at = problem.evaluate(V)
    V = start
    metric = (sampled_metric(rows, V) if short else None) or diagonal_metric(problem, V)
    run, tell = Run(V, "lbfgs"), Task("lbfgs", max_iter)
    pairs: list[tuple[np.ndarray, np.ndarray]] = []
    for iteration in range(max_iter):
        if not short and problem.d <= WIDEST and _long(run.errors, 0.1 * tol):
            metric, pairs, short = sampled_metric(rows, V) or metric, [], True
        direction = -two_loops(at.gradient, pairs, metric)
        slope = float(np.sum(at.gradient * direction))
        error = -0.5 * slope / max(at.value, np.finfo(float).tiny)
        run.record(at.value, error)
        tell(iteration, error)
        separated = not problem.penalised and at.value < CORRECT * float(problem.share.min())
        done = error <= 0.1 * tol or separated or not slope < 0
        done = done or (rows is not problem and _stalled(run.errors))
        moved, new = (V, None) if done else _searched(rows, V, direction, at, slope)
        if new is None and rows is problem:
            run.settled = error <= 0.1 * tol or separated
            break
        if new is None:
            rows, at = problem, problem.evaluate(V)
            continue
        change = new.gradient - at.gradient
        if float(np.sum((moved - V) * change)) > 1e-14 * abs(slope):
            pairs = [*pairs[-(MEMORY - 1) :], (moved - V, change)]
        V, at = moved, new
    run.V, run.at = V, at if rows is problem else None
    return run


def in_single(problem: LogisticProblem) -> LogisticProblem:
    """The same problem on a copy of its rows in single precision, which are read in half the time."""
    if not problem.row_by_row or problem.X.size < WORTH_A_COPY:
        return problem
    with np.errstate(over="ignore"):
        return replace(problem, X=problem.X.astype(np.float32))


def two_loops(gradient: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray]], metric: Metric) -> np.ndarray:
    """The inverse Hessian of BFGS, from ``metric`` and the remembered pairs, times the gradient."""
    g, shares = gradient.copy(), []
    for step, change in reversed(pairs):
        share = float(np.sum(step * g)) / float(np.sum(step * change))
        g -= share * change
        shares.append(share)
    scaled = metric(g)
    if pairs:
        step, change = pairs[-1]
        scaled *= float(np.sum(step * change)) / max(float(np.sum(change * metric(change))), np.finfo(float).tiny)
    for (step, change), share in zip(pairs, reversed(shares), strict=True):
        scaled += step * (share - float(np.sum(change * scaled)) / float(np.sum(step * change)))
    return scaled


def _searched(
    problem: LogisticProblem, V: np.ndarray, direction: np.ndarray, at: Evaluation, slope: float
) -> tuple[np.ndarray, Evaluation | None]:
    """A step that lowers value and slope enough (Wolfe, with room for rounding); None if none does."""
    low, high, step = 0.0, np.inf, 1.0
    slack = SINGLE if problem.X.dtype == np.float32 else 1e-14
    for _ in range(TRIES):
        moved = V + step * direction
        new = problem.evaluate(moved)
        here = float(np.sum(new.gradient * direction))
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
    """Newton's answer on a sample of the rows, where there are many and few columns; ``V`` elsewhere."""
    few = problem.n < 8 * START_ROWS or problem.d > START_ROWS // 25
    if few or problem.is_sparse or problem.width > 1 or np.any(V[:-1]):
        return V
    sample = sampled(problem, START_ROWS)
    if np.min(sample.frequency) == 0:
        return V
    return newton(sample, V, 1e-6, START_STEPS).V


def sampled(problem: LogisticProblem, rows: int) -> LogisticProblem:
    """Every so-many-th row, about ``rows`` of them."""
    step = max(problem.n // rows, 1)
    share = problem.share[::step]
    return replace(problem, X=problem.X[::step], codes=problem.codes[::step], share=share / share.sum())


def _cheap(problem: LogisticProblem) -> bool:
    """Whether a metric costs no more than a few passes over the rows."""
    return not problem.is_sparse and _metric_rows(problem) * problem.d <= 40 * problem.n * problem.width


def _long(errors: list[float], enough: float) -> bool:
    """Whether at the pace so far many more evaluations are needed."""
    if len(errors) < FIRST_LOOK:
        return False
    pace = np.log(max(errors[-1], 1e-300) / errors[0]) / (len(errors) - 1)
    return bool(pace >= 0 or np.log(enough / errors[-1]) / pace > LONG)


def _stalled(errors: list[float]) -> bool:
    """Whether the last ten evaluations found nothing better: rounding is all that is left."""
    return len(errors) > 10 and min(errors[-10:]) >= min(errors[:-10])


def _metric_rows(problem: LogisticProblem) -> int:
    return min(problem.n, max(3 * problem.d, problem.n // 8))


def diagonal_metric(problem: LogisticProblem, V: np.ndarray) -> Metric:
    """Division by the mean squares of the columns of a few rows, times the curvature of the null model."""
    few = sampled(problem, 500)
    bend = problem.frequency * (1 - problem.frequency) if problem.width > 1 else np.array([np.prod(problem.frequency)])
    square = np.append(few.mean_square, 1.0)[:, None] * bend + np.append(2 * problem.square, 0.0)[:, None]
    square = np.where(square > 0, square, 1.0)
    return lambda G: G / square


def sampled_metric(problem: LogisticProblem, V: np.ndarray) -> Metric | None:
    """Solves with the Hessian of a sample of rows in single precision; None if that has no factor.

    For several classes the Hessian is taken as ``S x G``, the mean covariance of the class indicators (k, k) times the
    Gram matrix of the columns: in the eigenbasis of ``S`` it falls into ``k`` blocks.
    """
    sample = sampled(problem, _metric_rows(problem))
    q = class_probabilities(sample.scores(V))
    if problem.width == 1:
        gram, levels, basis = _single_gram(sample, sample.share * (q * (1 - q))[:, 0]), np.ones(1), np.ones((1, 1))
    else:
        spread = np.diag(sample.share @ q) - (sample.share[:, None] * q).T @ q
        gram, (levels, basis) = _single_gram(sample, sample.share), np.linalg.eigh(spread)
    floor = 1e-6 * float(levels.max())  # the class scores may move together: no gradient points there
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            factors = [_factor(np.float32(max(level, floor)) * gram, problem) for level in levels]
    except (linalg.LinAlgError, ValueError):
        return None

    def solve(G: np.ndarray) -> np.ndarray:
        turned = G @ basis
        columns = [_solved(L, (turned[:, k] / unit).astype(np.float32)) / unit for k, (L, unit) in enumerate(factors)]
        solved = np.column_stack(columns) @ basis.T
        if not problem.fit_intercept:
            solved[-1] = 0.0
        return solved

    return solve


def _factor(H: np.ndarray, problem: LogisticProblem) -> tuple[np.ndarray, np.ndarray]:
    """Cholesky factor of ``H`` plus the squares of the penalty at unit diagonal, and the units."""
    H[np.diag_indices_from(H)] += np.append(2 * problem.square, 0.0).astype(np.float32)
    unit = np.sqrt(np.maximum(np.diag(H), np.finfo(np.float32).tiny))
    H /= unit
    H /= unit[:, None]
    H[np.diag_indices_from(H)] += np.float32(1e-6)
    return linalg.cho_factor(H, lower=True, overwrite_a=True)[0], unit.astype(float)


def _solved(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``(L L')**-1 b``; for one right-hand side two sweeps beat the general solver."""
    half = linalg.blas.strsv(L, b, lower=1, overwrite_x=1)
    return linalg.blas.strsv(L, half, lower=1, trans=1, overwrite_x=1)


def _single_gram(sample: LogisticProblem, weight: np.ndarray) -> np.ndarray:
    """``A' diag(weight) A`` in single precision, ``A`` with a column of ones, over blocks of rows."""
    root = np.sqrt(weight / weight.max())
    size = max(6_000_000 // (sample.d + 1), 64)

    def block(start: int) -> np.ndarray:
        rows = slice(start, start + size)
        scaled = np.empty((len(root[rows]), sample.d + 1), dtype=np.float32)
        X = sample.X[rows].toarray() if sample.is_sparse else sample.X[rows]
        np.multiply(X, root[rows, None], out=scaled[:, :-1], casting="unsafe")
        scaled[:, -1] = root[rows]
        return scaled.T @ scaled

    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(sum(map_in_order(block, range(0, sample.n, size)))) * np.float32(weight.max())
