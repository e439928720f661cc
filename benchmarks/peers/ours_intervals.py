"""surefit's prediction intervals, through their public face."""

import numpy as np

from benchmarks.kernel_problems import fresh_points
from benchmarks.problems import Answer, Problem
from surefit import KernelRidge, Ridge
from surefit.kernels import Gaussian

name = "surefit"
packages = ("surefit",)
convention = "none to translate; left-out fits keep n * lam"


def ridge_intervals(problem: Problem) -> Answer:
    return _jackknife_plus(Ridge(problem.lam), problem)


def kernel_ridge_intervals(problem: Problem) -> Answer:
    return _jackknife_plus(
        KernelRidge(Gaussian(problem.parameters["bandwidth"]), problem.lam, fit_intercept=False), problem
    )


def _jackknife_plus(model: Ridge | KernelRidge, problem: Problem) -> Answer:
    """The fit included."""
    found = model.fit(problem.X, problem.y).predict_interval(fresh_points(1_000, problem.X.shape[1]), 0.9)
    return Answer(np.array([found.lower, found.upper]))
