"""scikit-learn's Nystroem features and ridge; the answer is the predictions for the rows held out.

It gets the landmarks that ours draws, before the clock starts: draws alone change the error by four per cent.
"""

import time
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from benchmarks.problems import Answer, Problem
from surefit.data.fingerprints import distinct_rows

name = "scikit-learn Nystroem"
packages = ("scikit-learn",)
own_process = True  # its threads spin after a product, and would slow the other down
convention = "alpha = n * lam, gamma = 1 / (2 bandwidth**2); the landmarks that ours draws"


class Drawn(np.random.RandomState):
    """A source of random numbers whose permutations begin with given rows."""

    def __init__(self, rows: np.ndarray):
        super().__init__(0)
        self.rows = rows

    def permutation(self, x: Any) -> np.ndarray:
        return np.append(self.rows, np.setdiff1d(np.arange(x), self.rows))


def scikit_learn(problem: Problem) -> Answer:
    X, y, rest, parameters = split(problem)
    rows, _ = distinct_rows(X)
    count = int(parameters["n_landmarks"])
    drawn = rows[np.random.default_rng(0).choice(len(rows), count, replace=False)] if count < len(rows) else rows
    begin = time.perf_counter()
    model = make_pipeline(
        Nystroem(
            gamma=0.5 / parameters["bandwidth"] ** 2,
            n_components=count,
            random_state=Drawn(drawn),
            n_jobs=-1,
        ),
        Ridge(alpha=len(y) * problem.lam, fit_intercept=problem.fit_intercept, copy_X=False),
    )
    predicted = model.fit(X, y).predict(rest)
    return Answer(predicted, seconds=time.perf_counter() - begin)


def split(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, float]]:
    """Rows and targets to fit, rows to predict, parameters."""
    n = len(problem.y) - int(problem.parameters["held_out"])
    return problem.X[:n], problem.y[:n], problem.X[n:], dict(problem.parameters)
