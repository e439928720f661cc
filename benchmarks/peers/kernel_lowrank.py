"""scikit-learn's Nystroem features and ridge; the answer is the predictions for the rows held out."""

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from benchmarks.problems import Answer, Problem

name = "scikit-learn Nystroem"
packages = ("scikit-learn",)
own_process = True  # its threads spin after a product, and would slow the other down
convention = "alpha = n * lam, gamma = 1 / (2 bandwidth**2)"


def scikit_learn(problem: Problem) -> Answer:
    X, y, rest, parameters = split(problem)
    model = make_pipeline(
        Nystroem(
            gamma=0.5 / parameters["bandwidth"] ** 2,
            n_components=int(parameters["n_landmarks"]),
            random_state=0,
            n_jobs=-1,
        ),
        Ridge(alpha=len(y) * problem.lam, fit_intercept=problem.fit_intercept, copy_X=False),
    )
    return Answer(model.fit(X, y).predict(rest))


def split(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, float]]:
    """Rows and targets to fit, rows to predict, parameters."""
    n = len(problem.y) - int(problem.parameters["held_out"])
    return problem.X[:n], problem.y[:n], problem.X[n:], dict(problem.parameters)
