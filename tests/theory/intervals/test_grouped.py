"""Intervals for rows of new groups: against refits without each group, and what few groups can say."""

import numpy as np
import pytest

from surefit.data.design import Design
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals.grouped import group_jackknife_plus
from surefit.theory.intervals.jackknife import jackknife_plus
from surefit.theory.intervals.response import LinearResponse


def sample(sizes, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(groups), 2))
    y = X @ [1.0, -1.0] + rng.normal(size=len(sizes))[groups] + 0.3 * rng.normal(size=len(groups))
    return X, y, groups


def response(X, y, n_lam=2.0):
    return LinearResponse(spectral_factor(Design.of(X), True, n_lam), y, n_lam / len(y))


def test_intervals_equal_those_of_refits_without_each_group():
    X, y, groups = sample([1, 5, 2, 9, 3, 4])
    new, coverage = np.array([[0.3, -0.2], [2.0, 1.0]]), 0.8
    found = group_jackknife_plus(response(X, y), new, groups, coverage)
    low, high, weights = [], [], []
    for k in range(6):
        keep = groups != k
        left_out = response(X[keep], y[keep])
        error = np.abs(y[~keep] - left_out.at(X[~keep]).prediction)
        low += [left_out.at(new).prediction - one for one in error]
        high += [left_out.at(new).prediction + one for one in error]
        weights += [1 / (7 * np.sum(~keep))] * int(np.sum(~keep))
    low, high, weights = np.array(low), np.array(high), np.array(weights)
    for j in range(2):
        up = min(v for v in high[:, j] if weights[high[:, j] <= v].sum() >= coverage - 1e-12)
        down = max(v for v in low[:, j] if weights[low[:, j] >= v].sum() >= coverage - 1e-12)
        assert (found.lower[j], found.upper[j]) == pytest.approx((down, up), abs=1e-8)


def test_groups_of_one_row_are_jackknife_plus():
    X, y, _ = sample([40])
    plain, grouped = jackknife_plus(response(X, y), X[:5]), group_jackknife_plus(response(X, y), X[:5], np.arange(40))
    np.testing.assert_allclose([grouped.lower, grouped.upper], [plain.lower, plain.upper], rtol=1e-9)


def test_few_groups_are_refused_however_many_rows_they_have():
    X, y, groups = sample([100, 100, 100])
    with pytest.raises(ValueError, match=r"3 groups are too few for 0.9 coverage of new groups: at least 9 needed"):
        group_jackknife_plus(response(X, y), X[:1], groups)
