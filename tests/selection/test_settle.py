"""Kernels settled from distinct rows, and equal rows taken as one."""

import numpy as np
import pytest

from surefit import KernelRidge
from surefit.kernels import Gaussian, Linear
from surefit.selection.choice import ChoiceWarning
from surefit.selection.settle import merged, settled

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))


def test_a_bandwidth_is_that_of_the_distinct_rows():
    """Rows that are repeated or weigh nothing do not move the median distance."""
    kernels = [Gaussian("median"), Gaussian("median") + Linear(), Gaussian(2.0)]
    repeated = np.vstack([X, X[:7], X[:1], X[3:4] + 100.0])
    weight = np.append(RNG.uniform(0.5, 2, 38), 0.0)
    assert settled(kernels, repeated, weight, KernelRidge()) == settled(kernels, X, np.ones(30), KernelRidge())


def test_what_is_settled_is_a_copy():
    kernel = Gaussian(2.0)
    (ready,) = settled([kernel], X, np.ones(30), KernelRidge())
    kernel.bandwidth = 5.0
    assert ready.bandwidth == 2.0


def test_equal_rows_have_no_distance_to_take_a_bandwidth_from():
    with pytest.raises(ValueError, match="there is one sample, or all rows are equal; give the bandwidth as a number"):
        settled([Gaussian("median")], np.ones((5, 2)), np.ones(5), KernelRidge())


def test_only_a_bandwidth_that_is_chosen_minds_the_units():
    far = X * [1.0, 1e4, 1.0]
    with pytest.warns(ChoiceWarning, match=r"column 1 makes up 99\.99 % of all squared distances"):
        settled([Gaussian("median")], far, np.ones(30), KernelRidge())
    settled([Gaussian(1.0)], far, np.ones(30), KernelRidge())


def test_merged_rows_have_the_same_sum_of_squares_for_every_function():
    """``sum_i w_i (y_i - f(x_i))^2`` over all rows is that over distinct rows, plus what no function fits."""
    rows, weight = X[RNG.integers(0, 6, 40)], RNG.uniform(0.1, 3, 40)
    targets = RNG.normal(size=(40, 2))
    found = merged(rows, targets, weight)
    assert len(found.X) <= 6
    for _ in range(3):
        slope = RNG.normal(size=(3, 2))
        all_rows = np.average(np.sum((targets - rows @ slope) ** 2, axis=1), weights=weight)
        distinct = np.average(np.sum((found.targets - found.X @ slope) ** 2, axis=1), weights=found.weight)
        assert all_rows == pytest.approx(distinct + found.within, rel=1e-12)


def test_a_coefficient_is_shared_out_to_copies_by_weight():
    found = merged(np.array([[1.0], [2.0], [1.0]]), np.zeros((3, 1)), np.array([1.0, 5.0, 3.0]))
    np.testing.assert_allclose(found.spread(np.array([[8.0], [2.0]])), [[2.0], [2.0], [6.0]])
