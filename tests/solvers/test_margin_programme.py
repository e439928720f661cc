"""The linear programmes of separation: against vertices of the box by brute force, and where nothing separates."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from surefit.solvers.margin_programme import largest_total, widest_margin

SMALL = st.integers(-3, 3)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=1, max_size=6))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_no_direction_of_a_fine_grid_has_a_wider_margin(rows):
    """Catalogue A-37."""
    rows = np.array(rows, dtype=float)
    direction, margin = widest_margin(rows)
    assert np.all(np.abs(direction) <= 1 + 1e-9)
    assert margin == pytest.approx(max(float(np.min(rows @ direction)), 0.0), abs=1e-8)
    grid = np.linspace(-1, 1, 9)
    best = max(float(np.min(rows @ w)) for w in product(grid, repeat=2))
    assert margin >= best - 1e-8


def test_rows_that_contradict_each_other_have_no_margin():
    direction, margin = widest_margin(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert margin == 0.0
    assert abs(direction[0]) < 1e-9


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_largest_total_keeps_every_margin_from_falling_below_zero(make):
    rows = np.random.default_rng(0).normal(size=(12, 4)) + 0.8
    found = largest_total(make(rows))
    assert np.min(rows @ found) >= -1e-9
    assert float(np.sum(rows @ found)) >= float(np.sum(rows @ widest_margin(make(rows))[0])) - 1e-9
