"""scikit-learn's kernel methods."""

import time
from functools import cache

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold

from benchmarks.kernel_problems import fresh_points
from benchmarks.problems import Answer, Problem, make_problem

name = "scikit-learn"
packages = ("scikit-learn",)
convention = "alpha = n * lam, gamma = 1 / (2 bandwidth**2)"
own_process = True  # its threads spin after a product, and would slow us down


def kernel_ridge(problem: Problem) -> Answer:
    return Answer(_fitted(problem).dual_coef_)


def predict(problem: Problem) -> Answer:
    model, X = _model(problem.name), fresh_points(20_000, problem.X.shape[1])
    start = time.perf_counter()
    values = model.predict(X)
    return Answer(values, seconds=time.perf_counter() - start)


def gram_block(problem: Problem) -> Answer:
    half = len(problem.X) // 2
    rbf_kernel(problem.X[:half], problem.X[half:], gamma=_gamma(problem))
    return Answer()


def gram_block_threads(problem: Problem) -> Answer:
    """On all cores, as its pairwise functions offer."""
    half = len(problem.X) // 2
    pairwise_kernels(problem.X[:half], problem.X[half:], metric="rbf", gamma=_gamma(problem), n_jobs=-1)
    return Answer()


def selection(problem: Problem) -> Answer:
    """Nested five-fold: grid search by five-fold inside each fold."""
    bandwidths = np.asarray(problem.parameters["bandwidths"])
    errors = np.empty(len(problem.y))
    for train, test in KFold(5, shuffle=True, random_state=0).split(problem.X):
        grid = {"gamma": 0.5 / bandwidths**2, "alpha": len(train) * problem.lams}
        search = GridSearchCV(KernelRidge(kernel="rbf"), grid, scoring="neg_mean_squared_error")
        search.fit(problem.X[train], problem.y[train])
        errors[test] = problem.y[test] - search.predict(problem.X[test])
    return Answer(errors)


def _gamma(problem: Problem) -> float:
    return 0.5 / problem.parameters["bandwidth"] ** 2


def _fitted(problem: Problem) -> KernelRidge:
    model = KernelRidge(kernel="rbf", gamma=_gamma(problem), alpha=len(problem.y) * problem.lam)
    return model.fit(problem.X, problem.y)


@cache
def _model(problem_name: str) -> KernelRidge:
    return _fitted(make_problem(problem_name))
