"""Other tuned numbers give other ways to the same likelihood."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.logistic import limits
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic
from tests.solvers.tuned import changed, unexplained

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 12)) * (RNG.random((80, 12)) < 0.6)
CODES = (X[:, 0] + RNG.logistic(size=80) > 0).astype(int)
PROBLEMS = [
    (LogisticProblem.of(X, CODES, 0.01), "newton"),
    (LogisticProblem.of(X, CODES, 0.01), "lbfgs"),
    (LogisticProblem.of(sparse.csr_array(X), CODES, 0.05, 1.0), "prox-newton"),
    (LogisticProblem.of(X, CODES, 0.05, 0.5), "prox-newton"),
]
BEST = [solve_logistic(problem, solver, 1e-12).objective for problem, solver in PROBLEMS]


def test_every_number_has_a_sentence_of_its_own():
    assert not unexplained(limits)


@pytest.mark.parametrize(("name", "value"), changed(limits))
def test_gaps_are_right_whatever_the_number(name, value, monkeypatch):
    monkeypatch.setattr(limits, name, value)
    for (problem, solver), objective in zip(PROBLEMS, BEST, strict=True):
        found = solve_logistic(problem, solver, 1e-8)
        assert -1e-11 <= found.objective - objective <= min(found.gap, 1e-7) + 1e-12
