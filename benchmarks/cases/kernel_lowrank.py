"""Ridge on 1,000 Nystroem landmarks for many rows: our map and solver against scikit-learn's pipeline."""

from collections.abc import Mapping

import numpy as np

from benchmarks.case import Case, their_quality, times_faster
from benchmarks.kernel_problems import BANDWIDTH, smooth_sample
from benchmarks.problems import Answer, Problem, seeded_problem

TEST_ROWS = 10_000  # the last rows of the problem: not given to anybody


@seeded_problem("nystroem")
def nystroem(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """A smooth function of four of ``d`` Gaussian features, noise 0.2, and rows to test on beside the ``n`` to fit."""
    held_out = min(TEST_ROWS, n)
    X, y = smooth_sample(rng, n + held_out, d)
    parameters = {"held_out": held_out, "bandwidth": BANDWIDTH, "n_landmarks": min(1000, n)}
    return Problem(name, X, y, lam=0.1 / n, fit_intercept=True, parameters=parameters)


def prediction_facts(problem: Problem, answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """Mean squared error on the rows held out; ``error`` is how much worse than the best of all, relatively."""
    held_out = problem.y[-int(problem.parameters["held_out"]) :]
    errors = {who: float(np.mean((np.asarray(answer.coef) - held_out) ** 2)) for who, answer in answers.items()}
    best = min(errors.values())
    return {who: {"error": value / best - 1, "test_error": value} for who, value in errors.items()}


CASES = (
    Case(
        name="nystroem-ridge",
        title="Ridge on 1,000 Nystroem landmarks, n = 200,000, 10 features",
        problem="nystroem-200000x10",
        quick_problem="nystroem-400x10",
        contenders=("ours_lowrank:nystroem_ridge", "kernel_lowrank:scikit_learn"),
        quality=prediction_facts,
        targets=(
            times_faster("kernel_lowrank:scikit_learn", at_least=6),
            their_quality("error", "ours_lowrank:nystroem_ridge", at_most=1e-3),
        ),
        repeats=3,
        tolerance=1e-3,
    ),
)
