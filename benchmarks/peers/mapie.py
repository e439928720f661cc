"""MAPIE around scikit-learn's models: jackknife+ by n refits."""

import numpy as np
from mapie.regression import CrossConformalRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut
from threadpoolctl import threadpool_limits

from benchmarks.kernel_problems import fresh_points
from benchmarks.problems import Answer, Problem

name = "MAPIE"
packages = ("mapie", "scikit-learn")
convention = "scikit-learn's alpha = n * lam for all refits; method='plus' with LeaveOneOut; a process for each core"
own_process = True


def ridge_intervals(problem: Problem) -> Answer:
    return _jackknife_plus(Ridge(len(problem.y) * problem.lam), problem)


def kernel_ridge_intervals(problem: Problem) -> Answer:
    gamma = 0.5 / problem.parameters["bandwidth"] ** 2
    return _jackknife_plus(KernelRidge(alpha=len(problem.y) * problem.lam, kernel="rbf", gamma=gamma), problem)


def _jackknife_plus(model: Ridge | KernelRidge, problem: Problem) -> Answer:
    intervals = CrossConformalRegressor(model, confidence_level=0.9, method="plus", cv=LeaveOneOut(), n_jobs=-1)
    with threadpool_limits(1):  # its refits are small: threads of the BLAS would be in their way
        intervals.fit_conformalize(problem.X, problem.y)
        _, ends = intervals.predict_interval(fresh_points(1_000, problem.X.shape[1]))
    return Answer(np.ascontiguousarray(ends[:, :, 0].T))
