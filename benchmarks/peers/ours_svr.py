"""surefit's support-vector regression at the problem's lam, epsilon and bandwidth; an adapter of ``ours``."""

import numpy as np

from benchmarks.problems import Answer, Problem
from surefit import SVR
from surefit.kernels import Gaussian


def svr(problem: Problem) -> Answer:
    """``tol`` is relative to the mean distance of ``y`` from its median, here 0.99: LIBSVM's 1e-3, or stricter."""
    kernel = Gaussian(problem.parameters["bandwidth"])
    model = SVR(kernel, problem.lam, problem.parameters["epsilon"], max_violation=1e-3).fit(problem.X, problem.y)
    weights = np.zeros(len(problem.y))
    weights[model.support_] = model.dual_coef_
    return Answer(weights, model.intercept_)
