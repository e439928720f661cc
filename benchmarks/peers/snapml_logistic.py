"""Snap ML: parallel dual coordinate descent."""

import os

import numpy as np

from benchmarks.problems import Answer, Problem

name = "Snap ML"
packages = ("snapml",)
convention = "regularizer = 1 / C = 2 n lam; a thread for every core"
own_process = True


def fit(problem: Problem) -> Answer:
    from snapml import LogisticRegression

    model = LogisticRegression(
        regularizer=2 * len(problem.y) * problem.lam, fit_intercept=problem.fit_intercept, tol=1e-8, max_iter=10_000,
        n_jobs=os.cpu_count(),
    )  # fmt: skip
    model.fit(problem.X, problem.y)
    return Answer(np.asarray(model.coef_).reshape(1, -1), float(np.ravel(model.intercept_)[0]))
