"""Numbers that swallow all others of their column."""

import numpy as np
import pytest

from surefit.solvers.online.extents import Extents, Swallowing


@pytest.mark.parametrize("cut", [1, 3, 7])
def test_the_partition_changes_nothing_but_where_it_is_found(cut):
    rows = np.abs(np.random.default_rng(0).normal(size=(9, 2)))
    rows[4], rows[:, 1] = 0.0, 1e17 * rows[:, 1]
    extents = Extents()
    for block in (rows[:cut], rows[cut:]):
        assert extents.take(block) is None
    largest, second = np.sort(rows, axis=0)[:-3:-1]
    np.testing.assert_array_equal(extents.sizes, [largest, [0.0, second[1]]])


def test_small_units_and_zeros_are_no_reason():
    """Features such as exp(-x**2) go from 1e-22 to 1; a column may be zero until its first entry."""
    extents = Extents()
    assert extents.take(np.array([[1e-22, 0.0], [1.0, 0.0]])) is None
    assert extents.take(np.array([[1.0, 1e20]])) is None
    assert extents.take(np.array([[1.0, 1.0]])) == Swallowing(1, 1e20, None)
    assert extents.take(np.array([[1e16, 0.0]])) == Swallowing(0, 1e16, 0)
    assert extents.take(np.array([[2.0, 0.0], [1e20, 0.0], [1e20, 0.0]])) == Swallowing(0, 1e20, 1)  # nor do two hide
