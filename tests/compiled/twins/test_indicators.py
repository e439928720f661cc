"""Sums by level: the compiled loops equal their twins bit for bit, and products with a matrix of indicators."""

import numpy as np
import pytest

from surefit.compiled import door
from surefit.compiled.twins import indicators as twins


def case(rows, sizes, width, seed=0):
    """Values, codes of columns with so many levels, some rows without an indicator, and weights of both signs."""
    rng = np.random.default_rng(seed)
    starts = np.cumsum([0, *sizes[:-1]])
    codes = np.array([rng.integers(-1, k, rows) for k in sizes], dtype=np.int32).reshape(len(sizes), rows)
    codes = np.where(codes >= 0, codes + starts[: len(sizes), None], -1).astype(np.int32)
    return rng.normal(size=(rows, width)), codes, rng.normal(size=rows), sum(sizes)


@pytest.mark.parametrize(
    ("rows", "sizes", "width"), [(1000, (3, 5, 2), 7), (50, (40,), 1), (9, (2, 2), 0), (0, (3,), 2)]
)
def test_loops_equal_their_twins_and_a_matrix_of_indicators(rows, sizes, width):
    values, codes, weight, levels = case(rows, sizes, width)
    sums, twin_sums = np.zeros((2, levels, width))
    pairs, twin_pairs = np.zeros((2, levels, levels))
    door.sums_by_level(values, codes, sums)
    door.pairs_of_levels(codes, weight, pairs)
    twins.sums_by_level(values, codes, twin_sums)
    twins.pairs_of_levels(codes, weight, twin_pairs)
    np.testing.assert_array_equal(sums, twin_sums)
    np.testing.assert_array_equal(pairs, twin_pairs)
    hot = (codes.T[:, :, None] == np.arange(levels)).any(axis=1).astype(float)
    np.testing.assert_allclose(sums, hot.T @ values, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(pairs, np.triu(hot.T @ (hot * weight[:, None])), rtol=1e-12, atol=1e-12)


def test_results_are_added_to_what_is_there():
    values, codes, weight, levels = case(30, (3, 4), 2)
    sums, pairs = np.ones((levels, 2)), np.ones((levels, levels))
    door.sums_by_level(values, codes, sums)
    door.pairs_of_levels(codes, weight, pairs)
    again = np.zeros((levels, 2))
    twins.sums_by_level(values, codes, again)
    np.testing.assert_allclose(sums - 1.0, again, atol=1e-12)
    assert pairs[levels - 1, 0] == 1.0  # an earlier column: nothing is added


@pytest.mark.compiled
def test_codes_beyond_the_levels_and_wrong_shapes_are_refused():
    values, codes, weight, levels = case(30, (3, 4), 2)
    with pytest.raises(ValueError, match="level that is not there"):
        door.sums_by_level(values, codes, np.zeros((levels - 1, 2)))
    with pytest.raises(ValueError, match="level that is not there"):
        door.pairs_of_levels(codes, weight, np.zeros((levels - 1, levels - 1)))
    with pytest.raises(ValueError, match="one entry per row"):
        door.sums_by_level(values[1:], codes, np.zeros((levels, 2)))
    with pytest.raises(ValueError, match="one row and column"):
        door.pairs_of_levels(codes, weight, np.zeros((levels, levels + 1)))
