"""Good coordinates change the numbers, not the problem.  Catalogue A-29."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.logistic import limits
from surefit.solvers.logistic.coordinates import good_coordinates
from surefit.solvers.logistic.problem import LogisticProblem


def problem(k=2, l1_ratio=0.5, fit_intercept=True, as_sparse=False):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3)) * [1e-5, 1.0, 1e6] + [0.0, 3.0, 1e8]
    X = sparse.csr_array(X) if as_sparse else X
    return LogisticProblem.of(X, np.arange(40) % k, 0.1, l1_ratio, np.arange(40) + 1.0, fit_intercept)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_objectives_agree_there_and_back(k, fit_intercept, as_sparse):
    original = problem(k, fit_intercept=fit_intercept, as_sparse=as_sparse)
    there = good_coordinates(original)
    V = np.random.default_rng(1).standard_normal((4, there.problem.width)) * 0.1
    V[-1] *= fit_intercept
    back = there.restore(V)
    assert original.objective(back) == pytest.approx(there.problem.objective(V), rel=1e-9)
    again = there.restore(there.enter(back))
    np.testing.assert_allclose(again, back, rtol=1e-8, atol=1e-8)


def test_columns_of_the_copy_are_centred_and_of_size_one():
    X, p = good_coordinates(problem()).problem.X, problem().share
    np.testing.assert_allclose(p @ X, 0.0, atol=1e-14)
    assert np.all((np.abs(X).max(axis=0) >= 1) & (np.abs(X).max(axis=0) < 2))


def test_large_tame_designs_are_not_copied_and_wild_ones_are(monkeypatch):
    monkeypatch.setattr(limits, "WORTH_A_COPY", 10)
    X = np.random.default_rng(0).standard_normal((50, 2))
    codes = np.arange(50) % 2
    assert good_coordinates(LogisticProblem.of(X, codes)).problem.X is X
    for wild in (X * [1.0, 1e9], np.add(X, [0.0, 1e4])):
        assert good_coordinates(LogisticProblem.of(wild, codes)).problem.X is not wild


def test_a_constant_column_becomes_zero():
    X = np.column_stack([np.arange(6.0), np.full(6, 1 / 3)])
    assert not np.any(good_coordinates(LogisticProblem.of(X, np.arange(6) % 2)).problem.X[:, 1])
