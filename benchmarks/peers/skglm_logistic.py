"""skglm: working sets with Anderson acceleration; prox-Newton for the logistic loss, warm started along the path."""

import numpy as np

from benchmarks.problems import Answer, Problem

name = "skglm"
packages = ("skglm",)
convention = "mean of the loss as ours: alpha = lam"
own_process = True


def path(problem: Problem) -> Answer:
    from scipy import sparse
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    X = sparse.csc_matrix(problem.X)
    model = GeneralizedLinearEstimator(Logistic(), L1(1.0), ProxNewton(tol=4e-8, fit_intercept=False, warm_start=True))
    coefs = []
    for lam in problem.lams[::-1]:
        model.penalty.alpha = lam
        coefs.append(np.ravel(model.fit(X, 2.0 * problem.y - 1).coef_).copy())
    return Answer(coefs=np.array(coefs[::-1]))
