"""Our ridge on Nystroem features, on the landmarks that scikit-learn would draw; predictions for the rows held out."""

from sklearn.utils import check_random_state

from benchmarks.peers.kernel_lowrank import split
from benchmarks.problems import Answer, Problem
from surefit.kernels import Gaussian
from surefit.kernels.low_rank import nystroem_map
from surefit.solvers.kernel import nystroem as solver

name = "surefit"
packages = ("surefit",)
convention = "none to translate: mean((y - f(x))**2) + lam * ||f||**2"
own_process = True  # as its peer


def nystroem_ridge(problem: Problem) -> Answer:
    X, y, rest, parameters = split(problem)
    kernel = Gaussian(parameters["bandwidth"])
    landmarks = check_random_state(0).permutation(len(X))[: int(parameters["n_landmarks"])]  # as scikit-learn draws
    features = nystroem_map(kernel, X[landmarks], len(landmarks))
    fit = solver.nystroem_ridge(features, X, y[:, None], problem.lam, fit_intercept=problem.fit_intercept)
    weights = features.landmark_weights(fit.coef[:, 0])
    return Answer(kernel.times(rest, features.landmarks, weights) + fit.intercept[0])
