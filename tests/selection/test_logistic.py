"""Grids of logistic paths.  Catalogue S-05."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from surefit import LogisticRegression
from surefit.selection.logistic import default_grid
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic


def sample(k=3, n=60):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 4)), np.sort(np.arange(n) % k)


@pytest.mark.parametrize("k", [2, 3])
def test_the_largest_lam_of_an_l1_grid_just_removes_everything(k):
    X, codes = sample(k)
    lams = default_grid(LogisticProblem.of(X, codes, 1.0, 1.0)).first
    assert len(lams) == 11
    assert not np.any(solve_logistic(LogisticProblem.of(X, codes, 1.0001 * lams[0], 1.0)).coef)
    assert np.any(solve_logistic(LogisticProblem.of(X, codes, lams[1], 1.0)).coef)


def test_the_largest_lam_for_squares_shrinks_to_less_than_half():
    X, codes = sample(2)
    lams = default_grid(LogisticProblem.of(X, codes, 1.0)).first
    free, bound = (solve_logistic(LogisticProblem.of(X, codes, lam)).coef for lam in (0.0, lams[0]))
    assert np.linalg.norm(bound) < 0.5 * np.linalg.norm(free)


def test_columns_without_information_need_no_grid():
    assert default_grid(LogisticProblem.of(np.zeros((6, 2)), np.arange(6) % 2, 1.0)).first.tolist() == [1.0]


@pytest.mark.parametrize("offset", [1e4, 1e8])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_grid_does_not_move_with_the_origin_of_a_column(offset, form):
    rng = np.random.default_rng(0)
    x = np.round(rng.standard_normal((200, 1)), 3)
    codes = (x[:, 0] + rng.logistic(size=200) > 0).astype(int)
    here, there = (default_grid(LogisticProblem.of(form(x + move), codes, 1.0)).first for move in (0.0, offset))
    np.testing.assert_allclose(there, here, rtol=1e-6)
    chosen = [LogisticRegression(cv=StratifiedKFold(5)).fit(form(x + move), codes).lam_ for move in (0.0, offset)]
    assert chosen[1] == pytest.approx(chosen[0], rel=1e-6)


@pytest.mark.parametrize("constant", [0.1, 1e8 + 0.1, -1e-9])
def test_constants_need_no_grid_wherever_they_are(constant):
    X = np.full((7, 2), constant)
    assert default_grid(LogisticProblem.of(X, np.arange(7) % 2, 1.0)).first.tolist() == [1.0]


@pytest.mark.parametrize("k", [2, 3])
def test_approximate_leave_one_out_does_not_move_with_the_origin_of_a_column(k):
    """The Hessian in the user's units has no digits left where means dwarf spreads."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = (X[:, 0] + rng.logistic(size=200) > 0) * 1 + (X[:, 1] > 0.7) * (k > 2)
    here, there = (LogisticRegression(criterion="approximate_loo").fit(X + move, y) for move in (0.0, 1e6))
    assert there.lam_ == pytest.approx(here.lam_, rel=1e-3)
    np.testing.assert_allclose(there.criterion_path_, here.criterion_path_, rtol=1e-4)
