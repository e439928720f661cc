"""A yardstick, not a solver: one product ``X.T @ X``, the least that a Gram-based fit must pay."""

import numpy as np

from benchmarks.problems import Answer, Problem

name = "numpy X.T @ X"
packages = ("numpy",)
convention = "solves nothing: the Gram matrix alone, without centring"


def gram(problem: Problem) -> Answer:
    np.matmul(problem.X.T, problem.X)
    return Answer()
