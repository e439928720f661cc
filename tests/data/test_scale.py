"""Sizes of numbers: powers of two, largest entries of columns, medians."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data import scale
from surefit.data.design import Design
from surefit.data.scale import column_sizes, power_of_two, weighted_median


def test_powers_of_two_bracket_their_argument():
    sizes = np.array([1e-300, 0.3, 1.0, 7.9, 1e300])
    powers = power_of_two(sizes)
    assert np.all((powers <= sizes) & (sizes < 2 * powers))
    assert np.all(np.frexp(powers)[0] == 0.5)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_column_sizes_are_largest_absolute_values(make):
    X = np.array([[1.0, -5.0, 0.0], [2.0, 3.0, 0.0]])
    np.testing.assert_array_equal(column_sizes(Design.of(make(X))), [2.0, 5.0, 0.0])


@pytest.mark.parametrize("order", ["C", "F"])
def test_sizes_of_columns_in_parts_are_those_in_one(order, monkeypatch):
    A = np.asarray(np.random.default_rng(4).standard_normal((1201, 7)), order=order)
    monkeypatch.setattr(scale, "FEWEST_ENTRIES", 1000)
    np.testing.assert_array_equal(column_sizes(Design.of(A)), np.max(np.abs(A), axis=0))


def test_a_weighted_median_repeats_its_entries():
    rng = np.random.default_rng(2)
    values, weights = rng.standard_normal(15), rng.integers(0, 5, size=15)
    repeated = np.repeat(values, weights)
    assert weighted_median(values, weights.astype(float)) == np.sort(repeated)[(len(repeated) - 1) // 2]
