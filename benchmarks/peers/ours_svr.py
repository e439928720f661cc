"""surefit's support-vector regression, with the lam, epsilon and bandwidth of the problem."""

import numpy as np

from benchmarks.problems import Answer, Problem
from surefit import SVR
from surefit.kernels import Gaussian

name = "surefit"
packages = ("surefit",)
convention = "none to translate: mean(max(|y - f| - epsilon, 0)) + lam * ||f||**2; tol is relative to the spread of y"


def svr(problem: Problem) -> Answer:
    kernel = Gaussian(problem.parameters["bandwidth"])
    model = SVR(kernel, problem.lam, problem.parameters["epsilon"], tol=1e-3).fit(problem.X, problem.y)
    weights = np.zeros(len(problem.y))
    weights[model.support_] = model.dual_coef_
    return Answer(weights, model.intercept_)
