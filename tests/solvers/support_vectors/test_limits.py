"""Other tuned numbers give other ladders to the same minimum."""

import numpy as np
import pytest

from surefit.kernels import Gaussian
from surefit.objective import EpsilonInsensitive
from surefit.solvers.support_vectors import limits
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.solvers.support_vectors.solve import solve_dual
from tests.solvers.tuned import changed, unexplained

RNG = np.random.default_rng(4)
X = RNG.normal(size=(150, 2))
PROBLEM = SupportVectorProblem(
    Gaussian(1.0), X, np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=150), np.ones(150), EpsilonInsensitive(0.1), 1e-3
)


def test_every_number_has_a_sentence_of_its_own():
    assert not unexplained(limits)


@pytest.mark.parametrize(("name", "value"), changed(limits, without=["SMALL", "STRIP"]))
def test_gaps_are_right_whatever_the_number(name, value, monkeypatch):
    best = solve_dual(PROBLEM, Budget(1e-9, 10**6, np.inf, 1e9)).objective
    monkeypatch.setattr(limits, "SMALL", 20)
    monkeypatch.setattr(limits, name, value)
    found = solve_dual(PROBLEM, Budget(1e-3, 10**6, np.inf, 1e9))
    assert -1e-10 <= found.objective - best <= found.gap
    assert found.gap <= 1e-3
