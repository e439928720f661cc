"""celer: working sets with dual extrapolation."""

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
    _, coefs, _ = celer_path(X, problem.y, "lasso", alphas=problem.lams[::-1] / 2, tol=TOL)
    return Answer(coefs=coefs.T[::-1])
