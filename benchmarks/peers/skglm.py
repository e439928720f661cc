"""skglm: working sets with Anderson acceleration."""

import numpy as np
from scipy import sparse

from benchmarks.problems import Answer, Problem

name = "skglm"
packages = ("skglm",)
own_process = True  # nobody's threads in anybody's way
convention = "halves the mean loss: alpha = lam / 2; tol bounds the subgradient, chosen as loose as the gap allows"

TOL = 1e-3  # of the smallest lam


def lasso_path(problem: Problem) -> Answer:
    from skglm import Lasso

    X = problem.X if sparse.issparse(problem.X) else np.asfortranarray(problem.X)
    model = Lasso(fit_intercept=False, tol=TOL * problem.lams[0], max_iter=200)
    _, coefs, *_ = model.path(X, problem.y, problem.lams[::-1] / 2)
    return Answer(coefs=coefs.T[::-1])
