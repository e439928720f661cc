"""celer: working sets with dual extrapolation, along a path with warm starts."""

import os

from benchmarks.problems import Answer, Problem

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

name = "celer"
packages = ("celer",)
convention = "sums the loss: alpha = n * lam; no intercept; tol relative to the null objective"
own_process = True


def path(problem: Problem) -> Answer:
    from celer import celer_path
    from scipy import sparse

    alphas = len(problem.y) * problem.lams[::-1]
    X = sparse.csc_matrix(problem.X)
    _, coefs, _ = celer_path(X, 2.0 * problem.y - 1, pb="logreg", alphas=alphas, tol=1e-6, max_iter=100)
    return Answer(coefs=coefs.T[::-1])
