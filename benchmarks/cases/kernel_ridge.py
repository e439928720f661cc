"""Kernel ridge: exact fits of 8,000 and 50,000 points, prediction, kernel blocks, and choosing lam with bandwidth."""

from collections.abc import Mapping

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.datasets import load_diabetes
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from benchmarks.case import Case, Outcome, Target, peak_megabytes, their_quality, times_faster
from benchmarks.kernel_problems import fresh_points
from benchmarks.problems import Answer, Problem, seeded_problem

Facts = dict[str, dict[str, float]]


@seeded_problem("diabetes")
def diabetes(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """The first rows of the diabetes data, standardised; grids of 50 lams and 9 bandwidths (5 and 3 for few rows)."""
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:n], ((y - y.mean()) / y.std())[:n]
    n_lams, n_bandwidths = (50, 9) if n > 100 else (5, 3)
    bandwidths = {"bandwidths": np.geomspace(0.5, 128, n_bandwidths)}
    return Problem(name, X, y, lams=np.geomspace(1e-7, 1, n_lams), parameters=bandwidths)  # type: ignore[arg-type]


def prediction_facts(problem: Problem, answers: Mapping[str, Answer]) -> Facts:
    """Largest difference (``error``) of predictions at 1,000 fresh points from a float64 Cholesky solution, refined."""
    gamma, X = 0.5 / problem.parameters["bandwidth"] ** 2, problem.X
    K = rbf_kernel(X, gamma=gamma)
    K[np.diag_indices(len(X))] += len(X) * problem.lam
    factor = cho_factor(K)
    exact = cho_solve(factor, problem.y)
    exact += cho_solve(factor, problem.y - K @ exact)
    block = rbf_kernel(fresh_points(1_000, X.shape[1]), X, gamma=gamma)
    return {who: {"error": float(np.max(np.abs(block @ (a.coef - exact))))} for who, a in answers.items()}


def residual_facts(problem: Problem, answers: Mapping[str, Answer]) -> Facts:
    """``||y - (K + n lam I) alpha|| / ||y||`` in float64 (``error``), a strip of K at a time."""
    gamma, X, y = 0.5 / problem.parameters["bandwidth"] ** 2, problem.X, problem.y
    facts = {}
    for who, answer in answers.items():
        residual = y - len(y) * problem.lam * answer.coef
        for first in range(0, len(y), 1_000):
            rows = slice(first, first + 1_000)
            residual[rows] -= rbf_kernel(X[rows], X, gamma=gamma) @ answer.coef
        facts[who] = {"error": float(np.linalg.norm(residual) / np.linalg.norm(y))}
    return facts


def agreement(problem: Problem, answers: Mapping[str, Answer]) -> Facts:
    """Largest difference from the peer's predictions, which are in float64 throughout."""
    reference = list(answers.values())[-1].coef
    return {who: {"error": float(np.max(np.abs(answer.coef - reference)))} for who, answer in answers.items()}


def nested_facts(problem: Problem, answers: Mapping[str, Answer]) -> Facts:
    """Mean squared error of the nested cross-validation, and its relative excess over the peer's (``error``)."""
    scores = {who: float(np.mean(np.square(answer.coef))) for who, answer in answers.items()}  # type: ignore[arg-type]
    last = list(scores.values())[-1]
    return {who: {"error": score / last - 1.0, "nested_error": score} for who, score in scores.items()}


def share_of_memory(contender: str, at_most: float) -> Target:
    """Our peak memory over theirs is at most so much."""

    def share(outcome: Outcome) -> float:
        return (outcome.ours.peak_bytes or 0) / (outcome.records[contender].peak_bytes or 1)

    return Target(f"our memory / {contender}", share, at_most, False, contender)


CASES = (
    Case(
        name="kernel-ridge",
        title="Exact kernel ridge, 8,000 points, Gaussian kernel, alpha = 0.1",
        problem="kernel-8000x10",
        quick_problem="kernel-300x10",
        contenders=("ours_kernel:kernel_ridge", "scikit_learn_kernel:kernel_ridge"),
        quality=prediction_facts,
        targets=(
            times_faster("scikit_learn_kernel:kernel_ridge", at_least=5),
            share_of_memory("scikit_learn_kernel:kernel_ridge", at_most=0.6),
            their_quality("error", "ours_kernel:kernel_ridge", at_most=1e-6),
        ),
        tolerance=1e-6,
        measures_memory=True,
    ),
    Case(
        name="kernel-ridge-large",
        title="Exact kernel ridge, 50,000 points (a float64 Gram matrix would take 20 GB), residual 1e-6",
        problem="kernel-50000x10",
        quick_problem="kernel-2500x10",
        contenders=("ours_kernel:kernel_ridge_large",),
        quality=residual_facts,
        targets=(
            Target("seconds", lambda outcome: outcome.ours.timing.best, 120.0, False),
            peak_megabytes(at_most=6_000),
        ),
        repeats=1,
        tolerance=1e-6,
        measures_memory=True,
    ),
    Case(
        name="kernel-predict",
        title="KernelRidge.predict of 20,000 points from 8,000",
        problem="kernel-8000x10",
        quick_problem="kernel-300x10",
        contenders=("ours_kernel:predict", "scikit_learn_kernel:predict"),
        quality=agreement,
        targets=(times_faster("scikit_learn_kernel:predict", at_least=6),),
        tolerance=1e-6,
    ),
    Case(
        name="kernel-block",
        title="Gaussian kernel block, 4,000 x 4,000 pairs in 10 dimensions",
        problem="kernel-8000x10",
        quick_problem="kernel-300x10",
        contenders=(
            "ours_kernel:gram_block",
            "scikit_learn_kernel:gram_block",
            "scikit_learn_kernel:gram_block_threads",
        ),
        targets=(
            times_faster("scikit_learn_kernel:gram_block", at_least=3),
            times_faster("scikit_learn_kernel:gram_block_threads", at_least=3),
        ),
        repeats=9,
    ),
    Case(
        name="kernel-selection",
        title="lam (50) and bandwidth (9) on diabetes, nested five-fold cross-validation",
        problem="diabetes-442x10",
        quick_problem="diabetes-80x10",
        contenders=("ours_kernel:selection", "scikit_learn_kernel:selection"),
        quality=nested_facts,
        targets=(
            times_faster("scikit_learn_kernel:selection", at_least=20),
            their_quality("error", "ours_kernel:selection", at_most=0.0),
        ),
        repeats=2,
        tolerance=0.5,
    ),
)
