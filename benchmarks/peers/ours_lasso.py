"""Our lasso path through its public face, in a process of its own as those of its peers."""

import time

import numpy as np

from benchmarks.problems import Answer, Problem
from surefit import lasso_path as public_path

name = "surefit"
packages = ("surefit",)
convention = (
    "none to translate: mean((y - X w)**2) + lam * sum(|w|); tol on the duality gap relative to the null objective"
)
own_process = True


def lasso_path(problem: Problem) -> Answer:
    return Answer(coefs=_coefs(problem.X, problem))


def lasso_path_by_columns(problem: Problem) -> Answer:
    """The same with the matrix in Fortran order from the start."""
    X = np.asfortranarray(problem.X)
    start = time.perf_counter()
    coefs = _coefs(X, problem)
    return Answer(coefs=coefs, seconds=time.perf_counter() - start)


def _coefs(X: np.ndarray, problem: Problem) -> np.ndarray:
    return public_path(X, problem.y, lams=problem.lams, fit_intercept=problem.fit_intercept, tol=1e-6).coefs
