"""Grids and folds of logistic paths.  Catalogue S-05."""

import numpy as np
import pytest

from surefit.estimators.logistic_choice import default_lams, stratified_folds
from surefit.solvers.logistic import solve_logistic
from surefit.solvers.logistic_problem import LogisticProblem


def sample(k=3, n=60):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 4)), np.sort(np.arange(n) % k)


@pytest.mark.parametrize("k", [2, 3])
def test_the_largest_lam_of_an_l1_grid_just_removes_everything(k):
    X, codes = sample(k)
    lams = default_lams(LogisticProblem.of(X, codes, 1.0, 1.0))
    assert len(lams) == 50
    assert not np.any(solve_logistic(LogisticProblem.of(X, codes, 1.0001 * lams[0], 1.0)).coef)
    assert np.any(solve_logistic(LogisticProblem.of(X, codes, lams[1], 1.0)).coef)


def test_the_largest_lam_for_squares_shrinks_to_less_than_half():
    X, codes = sample(2)
    lams = default_lams(LogisticProblem.of(X, codes, 1.0))
    free, bound = (solve_logistic(LogisticProblem.of(X, codes, lam)).coef for lam in (0.0, lams[0]))
    assert np.linalg.norm(bound) < 0.5 * np.linalg.norm(free)


def test_columns_without_information_need_no_grid():
    assert default_lams(LogisticProblem.of(np.zeros((6, 2)), np.arange(6) % 2, 1.0)).tolist() == [1.0]


def test_folds_keep_the_classes_and_hold_every_row_out_once():
    X, codes = sample()
    problem = LogisticProblem.of(X, codes)
    folds = list(stratified_folds(problem, np.ones(60), 5, 0))
    assert len(folds) == 5
    for train, test in folds:
        assert np.bincount(codes[test]).tolist() == [4, 4, 4]
        assert len(np.intersect1d(train, test)) == 0
    assert np.sort(np.concatenate([test for _, test in folds])).tolist() == list(range(60))


def test_equal_rows_stay_together():
    X, codes = sample()
    twice, double = np.vstack([X, X]), np.append(codes, codes)
    for _, test in stratified_folds(LogisticProblem.of(twice, double), np.ones(120), 5, 0):
        assert set(test[test < 60]) == set(test[test >= 60] - 60)
