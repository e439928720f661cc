"""surefit's kernel methods, through their public face."""

import time
from functools import cache

import numpy as np
from sklearn.model_selection import KFold

from benchmarks.kernel_problems import fresh_points
from benchmarks.problems import Answer, Problem, make_problem
from surefit import KernelRidge
from surefit.kernels import Gaussian

name = "surefit"
packages = ("surefit",)
own_process = True  # as the peers of these cases: nobody's threads in anybody's way
convention = "none to translate: mean((y - f(x))**2) + lam * ||f||**2"


def kernel_ridge(problem: Problem) -> Answer:
    """A relative residual of 3e-7, which leaves predictions within 1e-6 of the exact ones."""
    return Answer(_fitted(problem, 3e-7).dual_coef_)


def kernel_ridge_large(problem: Problem) -> Answer:
    return Answer(_fitted(problem, 1e-6, memory=5e9).dual_coef_)


def predict(problem: Problem) -> Answer:
    model, X = _model(problem.name), fresh_points(20_000, problem.X.shape[1])
    start = time.perf_counter()
    values = model.predict(X)
    return Answer(values, seconds=time.perf_counter() - start)


def gram_block(problem: Problem) -> Answer:
    half = len(problem.X) // 2
    Gaussian(problem.parameters["bandwidth"]).block(problem.X[:half], problem.X[half:])
    return Answer()


def selection(problem: Problem) -> Answer:
    """Nested five-fold: ``lam`` and bandwidth by exact leave-one-out inside each fold."""
    kernels = [Gaussian(b) for b in problem.parameters["bandwidths"]]  # type: ignore[attr-defined]
    errors = np.empty(len(problem.y))
    for train, test in KFold(5, shuffle=True, random_state=0).split(problem.X):
        model = KernelRidge(kernels, lams=problem.lams, fit_intercept=False).fit(problem.X[train], problem.y[train])
        errors[test] = problem.y[test] - model.predict(problem.X[test])
    return Answer(errors)


def _fitted(problem: Problem, tol: float, memory: float | None = None) -> KernelRidge:
    kernel, lam = Gaussian(problem.parameters["bandwidth"]), problem.lam
    model = KernelRidge(kernel, lam, fit_intercept=False, solver="exact", max_residual=tol, memory=memory)
    return model.fit(problem.X, problem.y)


@cache
def _model(problem_name: str) -> KernelRidge:
    return _fitted(make_problem(problem_name), 1e-8)
