"""Support-vector regression with a Gaussian kernel, judged by the optimality conditions in float64 from scratch."""

from collections.abc import Mapping

import numpy as np

from benchmarks.case import Case, their_quality, times_faster
from benchmarks.problems import Answer, Problem, seeded_problem

C, EPSILON, BANDWIDTH = 10.0, 0.1, float(np.sqrt(5.0))
ROWS = 1000


@seeded_problem("svr")
def svr(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """``y = sin(2 x1) + x2 x3 + cos(3 x4) / 2 + 0.2 noise`` on standard Gaussian features, ``C = 10``."""
    X = rng.standard_normal((n, d))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.cos(3 * X[:, 3]) / 2 + 0.2 * rng.standard_normal(n)
    return Problem(name, X, y, lam=0.5 / (n * C), parameters={"epsilon": EPSILON, "bandwidth": BANDWIDTH})


def dual_facts(problem: Problem, answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """Violation of the optimality conditions (``error``), and the dual objective relative to the first contender's."""
    values, facts = {}, {}
    for who, answer in answers.items():
        beta = np.asarray(answer.coef)
        scores = kernel_times(problem, beta)
        wanted = problem.y - scores
        grow = np.where(beta < C * (1 - 1e-12), wanted - np.where(beta >= 0, EPSILON, -EPSILON), -np.inf)
        shrink = np.where(beta > -C * (1 - 1e-12), wanted + np.where(beta <= 0, EPSILON, -EPSILON), np.inf)
        values[who] = float(beta @ problem.y - EPSILON * np.abs(beta).sum() - beta @ scores / 2)
        infeasible = max(float(np.max(np.abs(beta))) - C, abs(float(beta.sum())) / C, 0.0)
        facts[who] = {"error": max(float(grow.max() - shrink.min()), infeasible), "support": int(np.sum(beta != 0))}
    first = next(iter(values.values()))
    for who, value in values.items():
        facts[who]["dual_difference"] = abs(value / first - 1)
    return facts


def kernel_times(problem: Problem, beta: np.ndarray) -> np.ndarray:
    """``K beta`` by plain NumPy in float64, a block of rows at a time."""
    X, support = problem.X, np.flatnonzero(beta)
    Z, squares = X[support], np.sum(X[support] ** 2, axis=1)
    scores = np.empty(len(X))
    for first in range(0, len(X), ROWS):
        rows = X[first : first + ROWS]
        distances = np.sum(rows**2, axis=1)[:, None] + squares - 2 * rows @ Z.T
        scores[first : first + ROWS] = np.exp(-0.5 * distances / BANDWIDTH**2) @ beta[support]
    return scores


CASES = (
    Case(
        name="svr",
        title="support-vector regression, Gaussian kernel, 20,000 x 10, C = 10, epsilon = 0.1",
        problem="svr-20000x10",
        quick_problem="svr-300x10",
        contenders=("ours:svr", "libsvm:svr", "intelex:svr"),
        quality=dual_facts,
        targets=(
            times_faster("libsvm:svr", at_least=10),
            times_faster("intelex:svr", at_least=7),
            their_quality("dual_difference", "libsvm:svr", at_most=1e-6),
        ),
        repeats=2,
        tolerance=1e-3,
    ),
)
