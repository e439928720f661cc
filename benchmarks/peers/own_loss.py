"""surefit's ERM with a built-in loss, and with the same loss as a user would write it: ten lines, nothing compiled."""

import numpy as np

from benchmarks.problems import Answer, Problem
from surefit.estimators.erm import ERM
from surefit.objective import L1, Huber, Loss, Penalty, SquaredL2

name = "surefit ERM"
packages = ("surefit",)
convention = "none to translate: mean(loss) + lam * penalty; the Huber threshold is parameters['threshold']"


class OwnHuber(Loss):
    """What a user writes: facts, value, derivative, curvature; no conjugate."""

    convex = smooth = symmetric = True
    smoothness = 2.0

    def __init__(self, threshold: float):
        self.threshold = threshold

    def value(self, y, f):
        r = np.abs(f - y)
        return np.where(r <= self.threshold, r**2, self.threshold * (2 * r - self.threshold))

    def derivative(self, y, f):
        return 2 * np.clip(f - y, -self.threshold, self.threshold)

    def curvature(self, y, f):
        return np.where(np.abs(f - y) < self.threshold, 2.0, 0.0)


def user_smooth(problem: Problem) -> Answer:
    return _fitted(OwnHuber(problem.parameters["threshold"]), SquaredL2(), problem)


def built_in_smooth(problem: Problem) -> Answer:
    return _fitted(Huber(problem.parameters["threshold"]), SquaredL2(), problem)


def user_sparse(problem: Problem) -> Answer:
    return _fitted(OwnHuber(problem.parameters["threshold"]), L1(), problem)


def built_in_sparse(problem: Problem) -> Answer:
    return _fitted(Huber(problem.parameters["threshold"]), L1(), problem)


def _fitted(loss: Loss, penalty: Penalty, problem: Problem) -> Answer:
    model = ERM(loss, penalty, lam=problem.lam, fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)
