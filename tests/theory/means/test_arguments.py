"""Checked losses and roots that err on the safe side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.theory.means.arguments import failure_probability, safe_root, unit_losses


@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=8), st.sampled_from([1, 3, 9]))
def test_a_root_is_found_from_above(roots, power):
    roots = np.array(roots)
    excess = lambda p: p**power - roots**power
    found = safe_root(excess, np.zeros_like(roots), np.ones_like(roots))
    assert np.all(excess(found) >= 0)
    np.testing.assert_allclose(found, roots, atol=1e-11)


def test_a_step_is_found_from_above():
    found = safe_root(lambda p: np.where(p >= 0.3, 1.0, -np.inf), np.zeros(1), np.ones(1))
    assert 0.3 <= found[0] < 0.3 + 1e-11


def test_without_a_root_the_ends_answer():
    assert safe_root(lambda p: p - 2.0, np.zeros(1), np.ones(1)) == 1.0
    assert safe_root(lambda p: p + 2.0, np.zeros(1), np.ones(1)) == 0.0


@pytest.mark.parametrize("upper", [0.0, -1.0, np.inf, np.nan])
def test_an_impossible_range_is_refused(upper):
    with pytest.raises(ValueError, match="upper must be finite"):
        unit_losses([0.1], upper)


def test_a_declared_range_divides():
    np.testing.assert_array_equal(unit_losses([0, 5], 10.0), [0.0, 0.5])
    assert failure_probability(0.05) == 0.05
