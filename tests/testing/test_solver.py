"""Every solver of ours passes; every planted mistake is caught by the sentence that names it."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.data.design import Design
from surefit.objective import L1, Logistic
from surefit.solvers.any_loss.descent import GradientDescent
from surefit.solvers.any_loss.stochastic import StochasticGradientDescent
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.solution import Solution, Status
from surefit.testing import check_solver


def flat(solution):
    return replace(solution, coef=solution.coef[:, 0], intercept=float(solution.intercept[0]))


def direct(problem, method="auto"):
    design = Design.of(problem.X, problem.sample_weight)
    return flat(ridge(design, problem.y[:, None], problem.lam, problem.fit_intercept, method).solution)


@pytest.mark.parametrize("method", ["auto", "qr", "svd"])
def test_the_direct_solvers_conform(method):
    check_solver(lambda problem: direct(problem, method), tol=1e-12)


def test_the_gradient_solvers_conform():
    """They may stop early, but must say so and know by how much."""
    check_solver(GradientDescent(max_iter=2000, tol=1e-9).solve, tol=1e-4, examples=15)
    check_solver(StochasticGradientDescent(epochs=5).solve, examples=15)


def shifted(problem):
    answer = direct(problem)
    moved = answer.coef + 0.01
    return replace(answer, coef=moved, objective=problem.primal(moved, answer.intercept))


def without_weights(problem):
    answer = direct(replace(problem, sample_weight=None))
    return replace(answer, objective=problem.primal(answer.coef, answer.intercept))


def in_place(problem):
    problem.X[0, 0] += 1.0
    return direct(problem)


RNG = np.random.default_rng(0)


def random_start(problem):
    answer = direct(problem)
    coef = answer.coef + 1e-13 * RNG.normal(size=len(answer.coef))
    return replace(answer, coef=coef)


@pytest.mark.parametrize(
    ("solve", "sentence"),
    [
        (lambda p: replace(direct(p), coef=direct(p).coef[:, None]), "coef must have shape"),
        (lambda p: replace(direct(p), coef=np.full(p.X.shape[1], np.nan)), "NaN or infinity"),
        (lambda p: replace(direct(p), intercept=1.0), "although none was asked for"),
        (in_place, "changed X in place"),
        (lambda p: replace(direct(p), objective=direct(p).objective + 0.1), "objective says"),
        (lambda p: replace(direct(p), gap=-1.0), "gap must be >= 0"),
        (shifted, "but the gap says"),
        (lambda p: replace(shifted(p), gap=np.inf), "the status says EXACT"),
        (without_weights, "a weight of k must be k copies"),
        (random_start, "two different answers"),
        (lambda p: Solution(np.zeros(p.X.shape[1]), 0.0, Status.EXACT, 0.0, p.primal(np.zeros(p.X.shape[1]))), "gap"),
    ],
)
def test_planted_mistakes_are_caught(solve, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_solver(solve)


def test_other_losses_and_penalties_can_be_asked_for():
    """A solver for squared loss is no solver for logistic loss, and labels are drawn for it."""
    with pytest.raises(AssertionError):
        check_solver(direct, losses=[Logistic()])
    with pytest.raises(AssertionError):
        check_solver(direct, penalties=[L1()])
