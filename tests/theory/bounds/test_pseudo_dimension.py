"""The bound by pseudo-dimension."""

import numpy as np
import pytest

from surefit.theory.bounds import pseudo_dimension_bound
from surefit.theory.bounds.record import deviation
from surefit.theory.bounds.shattering import squared_loss_dimension


def test_reference_number():
    """FX9, T-48."""
    np.testing.assert_allclose(pseudo_dimension_bound(0.0, 1000, 11).value, 0.386864479, atol=5e-10)


def test_fewer_rows_than_dimensions_are_refused():
    """T-48, E-009."""
    with pytest.raises(ValueError, match="more rows"):
        pseudo_dimension_bound(0.0, 10, 11)
    assert pseudo_dimension_bound(0.0, 11, 11).vacuous


@pytest.mark.verify
def test_it_holds_for_thresholds_and_not_without_the_dimension(protocol):
    """T-48: 0-1 losses of thresholds on uniform points with random labels have dimension <= 2; n = 30.  Without the
    term of the dimension there are more misses than chance allows."""
    rng, R = np.random.default_rng(0), protocol.repeats
    allowed = protocol.allowed(R)
    labels = np.sign(rng.uniform(-1, 1, size=(R, 30)))  # sorted by x, which carries no information
    walks = np.concatenate([np.zeros((R, 1)), np.cumsum(labels, axis=1)], axis=1)
    ups = (labels > 0).sum(axis=1, keepdims=True)
    errors = ups - walks  # label +1 left of the threshold: errors = ups - (ups left - downs left)
    best = np.minimum(errors.min(axis=1), (30 - errors).min(axis=1)) / 30
    assert np.sum(best + pseudo_dimension_bound(0.0, 30, 2).value < 0.5) <= allowed
    assert np.sum(best + deviation(30, 0.05) < 0.5) > allowed


def test_squared_losses_of_lines_become_informative_with_rows():
    bounds = [pseudo_dimension_bound(0.0, n, squared_loss_dimension(1)) for n in (10, 100, 1000, 10_000)]
    assert [bound.vacuous for bound in bounds] == [True, False, False, False]
    assert np.all(np.diff([bound.value for bound in bounds]) < 0)
