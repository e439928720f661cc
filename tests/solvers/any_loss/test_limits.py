"""Other tuned numbers give other ways to the same minimum."""

import numpy as np
import pytest

from surefit.objective import L1, Absolute, Huber, Problem, SquaredL2
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.solve import minimise
from tests.solvers.tuned import changed, unexplained

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(30, 6)), RNG.standard_t(2, size=30)
PROBLEMS = [
    Problem(X, Y, Huber(0.5), L1(), 0.1),
    Problem(X, Y, Absolute(), L1(), 0.1),
    Problem(X, Y, Huber(0.1), SquaredL2(), 0.01),
]
BEST = [minimise(problem).objective for problem in PROBLEMS]


def test_every_number_has_a_sentence_of_its_own():
    assert not unexplained(limits)


@pytest.mark.parametrize(("name", "value"), changed(limits))
def test_gaps_are_right_whatever_the_number(name, value, monkeypatch):
    monkeypatch.setattr(limits, name, value)
    for problem, objective in zip(PROBLEMS, BEST, strict=True):
        found = minimise(problem)
        assert -1e-9 <= found.objective - objective <= found.gap + 1e-12
        assert found.gap <= 1e-8
