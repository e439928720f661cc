"""Other tuned numbers give other routes to the same digits."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.linear import limits
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.linear.subsets import SubsetProblem, best_leave_one_out, best_of_each_size
from tests.solvers.tuned import unexplained

RNG = np.random.default_rng(2)
X, Y = RNG.normal(size=(60, 5)), RNG.normal(size=(60, 1))


def test_every_number_has_a_sentence_of_its_own():
    assert not unexplained(limits)


@pytest.mark.parametrize(
    "change", [{}, {"SMALL_TABLE": 0}, {"DENSE_LIMIT": 0}, {"DENSE_LIMIT": 0, "GRAM_SIDE_LIMIT": 0}]
)
@pytest.mark.parametrize("lam", [0.0, 0.1])
def test_all_routes_agree(change, lam, monkeypatch):
    A = np.column_stack([np.ones(60), X])
    exact = np.linalg.solve(A.T @ A / 60 + lam * np.diag([0.0] + [1.0] * 5), A.T @ Y / 60)[1:]
    for name, value in change.items():
        monkeypatch.setattr(limits, name, value)
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(ridge(Design.of(rows), Y, lam).solution.coef, exact, rtol=1e-9)


@pytest.mark.parametrize("change", [{"QR_TOGETHER": 1}, {"BATCH_NUMBERS": 100}])
def test_subsets_are_the_same_however_many_are_visited_together(change, monkeypatch):
    problem = SubsetProblem(Design.of(np.round(X)), Y[:, 0], True)
    before = best_of_each_size(problem, 5), best_leave_one_out(problem, 5)
    for name, value in change.items():
        monkeypatch.setattr(limits, name, value)
    problem = SubsetProblem(Design.of(np.round(X)), Y[:, 0], True)
    after = best_of_each_size(problem, 5), best_leave_one_out(problem, 5)
    assert [fit.columns for fit in before[0]] == [fit.columns for fit in after[0]]
    assert before[1].columns == after[1].columns
