"""surefit's `LogisticRegression` through its public face; its L1 path, which has none, with the checks of one."""

import numpy as np
from sklearn.utils import check_X_y

from benchmarks.problems import Answer, Problem
from surefit import LogisticRegression
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import logistic_path

name = "surefit"
packages = ("surefit",)
convention = "none to translate: mean(log-loss) + lam * penalty(W)"
own_process = True  # as every peer


def fit(problem: Problem) -> Answer:
    model = LogisticRegression(problem.lam, fit_intercept=problem.fit_intercept, tol=1e-9).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def path(problem: Problem) -> Answer:
    X, y = check_X_y(problem.X, problem.y, accept_sparse="csr", dtype=np.float64)
    base = LogisticProblem.of(X, y, 1.0, 1.0, fit_intercept=problem.fit_intercept)
    found = logistic_path(base, problem.lams, tol=1e-6)
    return Answer(coefs=found.coefs[:, 0])
