"""LIBSVM, as scikit-learn ships it, with a cache of 2 GB."""

import numpy as np

from benchmarks.problems import Answer, Problem

name = "scikit-learn SVR (LIBSVM)"
packages = ("scikit-learn",)
convention = "sums the loss: C = 1 / (2 n lam), gamma = 1 / (2 bandwidth**2); tol=1e-3 in the units of y"
own_process = True


def svr(problem: Problem) -> Answer:
    from sklearn.svm import SVR

    return fitted(SVR, problem)


def fitted(SVR, problem: Problem) -> Answer:
    """The answer of a class with scikit-learn's face."""
    gamma, n = 0.5 / problem.parameters["bandwidth"] ** 2, len(problem.y)
    model = SVR(
        gamma=gamma, C=0.5 / (n * problem.lam), epsilon=problem.parameters["epsilon"], tol=1e-3, cache_size=2000
    )
    model.fit(problem.X, problem.y)
    weights = np.zeros(n)
    weights[model.support_] = np.ravel(model.dual_coef_)
    return Answer(weights, float(np.ravel(model.intercept_)[0]))
