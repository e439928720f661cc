"""celer: working sets with dual extrapolation, along a path with warm starts."""

from benchmarks.problems import Answer, Problem

name = "celer"
packages = ("celer",)
convention = "sums the loss: alpha = n * lam; no intercept; tol relative to the null objective"
own_process = True

FEW_ROWS = 1_000
"""Below this many rows the tolerance that leaves 1e-9 of the objective on a large design leaves more."""


def path(problem: Problem) -> Answer:
    from celer import celer_path
    from scipy import sparse

    n = len(problem.y)
    alphas, tol = n * problem.lams[::-1], 6e-5 if n > FEW_ROWS else 1e-6
    X = sparse.csc_matrix(problem.X)
    settings = {"tol": tol, "max_iter": 100, "prune": True, "use_PN": True}
    _, coefs, _ = celer_path(X, 2.0 * problem.y - 1, pb="logreg", alphas=alphas, **settings)
    return Answer(coefs=coefs.T[::-1])
