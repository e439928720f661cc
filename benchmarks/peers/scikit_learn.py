"""scikit-learn's linear models."""

import time

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.linear_model import lasso_path as sklearn_lasso_path

from benchmarks.fresh_import import import_seconds
from benchmarks.problems import Answer, Problem

name = "scikit-learn"
packages = ("scikit-learn",)
own_process = True  # nobody's threads in anybody's way
convention = "Ridge sums the squared loss: alpha = n * lam; Lasso halves its mean: alpha = lam / 2"


def least_squares(problem: Problem) -> Answer:
    model = LinearRegression(fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def ridge(problem: Problem) -> Answer:
    """Its own choice of solver."""
    return _ridge(problem, "auto")


def ridge_cholesky(problem: Problem) -> Answer:
    return _ridge(problem, "cholesky")


def ridge_loo(problem: Problem) -> Answer:
    """Leave-one-out over the grid; keeping the curve costs one copied column per alpha, nothing beside the rest."""
    n = len(problem.y)
    model = RidgeCV(n * problem.lams, fit_intercept=problem.fit_intercept, store_cv_results=True)
    model.fit(problem.X, problem.y)
    curve = np.mean(model.cv_results_, axis=0)
    return Answer(model.coef_, model.intercept_, model.alpha_ / n, problem.lams, curve)


def lasso_path(problem: Problem) -> Answer:
    """Its tolerance is relative to ``||y||**2``, as ours is."""
    _, coefs, _ = sklearn_lasso_path(problem.X, problem.y, alphas=problem.lams[::-1] / 2, tol=1e-6, max_iter=100_000)
    return Answer(coefs=coefs.T[::-1])


def lasso_path_by_columns(problem: Problem) -> Answer:
    """The same with the matrix in Fortran order from the start, which it would otherwise make."""
    X = np.asfortranarray(problem.X)
    start = time.perf_counter()
    _, coefs, _ = sklearn_lasso_path(X, problem.y, alphas=problem.lams[::-1] / 2, tol=1e-6, max_iter=100_000)
    return Answer(coefs=coefs.T[::-1], seconds=time.perf_counter() - start)


def import_time(problem: Problem) -> Answer:
    return Answer(seconds=import_seconds("sklearn.linear_model"))


def _ridge(problem: Problem, solver: str) -> Answer:
    model = Ridge(len(problem.y) * problem.lam, fit_intercept=problem.fit_intercept, solver=solver)
    model.fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)
