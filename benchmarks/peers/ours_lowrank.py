"""Our kernel ridge on Nystroem landmarks through its public face; predictions for the rows held out."""

from benchmarks.peers.kernel_lowrank import split
from benchmarks.problems import Answer, Problem
from surefit import KernelRidge
from surefit.kernels import Gaussian

name = "surefit"
packages = ("surefit",)
convention = "none to translate: mean((y - f(x))**2) + lam * ||f||**2"
own_process = True  # as its peer


def nystroem_ridge(problem: Problem) -> Answer:
    X, y, rest, parameters = split(problem)
    model = KernelRidge(
        Gaussian(parameters["bandwidth"]),
        problem.lam,
        fit_intercept=problem.fit_intercept,
        solver="nystroem",
        n_landmarks=int(parameters["n_landmarks"]),
    )
    return Answer(model.fit(X, y).predict(rest))
