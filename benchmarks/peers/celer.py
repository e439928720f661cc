"""celer: working sets with dual extrapolation."""

import time

import numpy as np
from scipy import sparse

from benchmarks.problems import Answer, Problem

name = "celer"
packages = ("celer",)
own_process = True  # nobody's threads in anybody's way
convention = "halves the mean loss: alpha = lam / 2; tol is relative to mean(y**2), twice the null objective: tol / 2"

TOL = 1e-6 / 2


def lasso_path(problem: Problem) -> Answer:
    from celer import celer_path

    X = problem.X if sparse.issparse(problem.X) else np.asfortranarray(problem.X)
    _, coefs, _ = celer_path(X, problem.y, "lasso", alphas=problem.lams[::-1] / 2, tol=TOL, prune=True)
    return Answer(coefs=coefs.T[::-1])


def lasso_path_by_columns(problem: Problem) -> Answer:
    """The same with the matrix in Fortran order from the start."""
    from celer import celer_path

    X = np.asfortranarray(problem.X)
    start = time.perf_counter()
    _, coefs, _ = celer_path(X, problem.y, "lasso", alphas=problem.lams[::-1] / 2, tol=TOL, prune=True)
    return Answer(coefs=coefs.T[::-1], seconds=time.perf_counter() - start)
