"""Nystroem and ridge, both ways; the answer is the predictions for the rows held out."""

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from benchmarks.problems import Answer, Problem
from surefit.features.lowrank import nystroem_map
from surefit.kernels import Gaussian
from surefit.solvers import nystroem_ridge as solver

name = "scikit-learn Nystroem"
packages = ("scikit-learn",)
convention = "alpha = n * lam, gamma = 1 / (2 bandwidth**2)"


def nystroem_ridge(problem: Problem) -> Answer:
    X, y, rest, parameters = _split(problem)
    kernel = Gaussian(parameters["bandwidth"])
    features = nystroem_map(kernel, X, int(parameters["n_landmarks"]), random_state=0)
    fit = solver.nystroem_ridge(features, X, y[:, None], problem.lam, fit_intercept=problem.fit_intercept)
    weights = features.landmark_weights(fit.coef[:, 0])
    return Answer(kernel.times(rest, features.landmarks, weights) + fit.intercept[0])


def scikit_learn(problem: Problem) -> Answer:
    X, y, rest, parameters = _split(problem)
    model = make_pipeline(
        Nystroem(gamma=0.5 / parameters["bandwidth"] ** 2, n_components=int(parameters["n_landmarks"]), random_state=0),
        Ridge(alpha=len(y) * problem.lam, fit_intercept=problem.fit_intercept),
    )
    return Answer(model.fit(X, y).predict(rest))


def _split(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, float]]:
    n = len(problem.y) - int(problem.parameters["held_out"])
    return problem.X[:n], problem.y[:n], problem.X[n:], dict(problem.parameters)
