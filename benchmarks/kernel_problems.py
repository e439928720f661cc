"""The seeded kernel problem of every kernel case: ``y = sin(2 x1) + x2 x3 + cos(3 x4) / 2 + 0.2 noise``."""

import numpy as np

from benchmarks.problems import Problem, seeded_problem

BANDWIDTH = float(np.sqrt(5.0))  # scikit-learn's gamma = 1 / (2 bandwidth**2) = 0.1
SUM_LAM = 0.1  # n * lam: scikit-learn's alpha


def smooth_sample(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal features and targets with noise of deviation 0.2."""
    X = rng.standard_normal((n, d))
    signal = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.cos(3 * X[:, 3]) / 2
    return X, signal + 0.2 * rng.standard_normal(n)


def fresh_points(n: int, d: int) -> np.ndarray:
    """Points nobody was fitted to."""
    return np.random.default_rng(7).standard_normal((n, d))


@seeded_problem("kernel")
def kernel(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """Kernel ridge at ``n * lam = 0.1`` with the Gaussian kernel of gamma = 0.1."""
    X, y = smooth_sample(rng, n, d)
    return Problem(name, X, y, lam=SUM_LAM / n, fit_intercept=False, parameters={"bandwidth": BANDWIDTH})
