"""Best thresholds against their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.data.simulate import threshold_model
from surefit.solvers.halfspaces.thresholds import threshold_risk


def test_risks_and_minimisers_of_the_separable_sample():
    """X-06, A-40: 1/2, 1/4, 0, 1/4, 1/2 on left-open, right-closed pieces; minimisers (-1, 3], not only (-1, 3)."""
    found = threshold_risk([-4, -1, 3, 4], [0, 0, 1, 1])
    assert found.cuts.tolist() == [-4, -1, 3, 4]
    assert found.risks.tolist() == [0.5, 0.25, 0, 0.25, 0.5]
    assert found.intervals == ((-1.0, 3.0),)
    assert found.risk == 0
    assert found.at([-4, -3.9, -1, 0, 3, 3.1, 4, 5]).tolist() == [0.5, 0.25, 0.25, 0, 0, 0.25, 0.25, 0.5]


def test_minimisers_of_the_sample_that_is_not_separable():
    """X-07: risk 1/4 on (-4, -1] and (3, 4]."""
    found = threshold_risk([-4, -1, 3, 4], [0, 1, 0, 1])
    assert found.risk == 0.25
    assert found.intervals == ((-4.0, -1.0), (3.0, 4.0))
    assert found.threshold == -2.5


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.booleans(), st.integers(0, 3)), min_size=1, max_size=12).filter(
        lambda rows: any(weight for *_, weight in rows)
    )
)
def test_every_threshold_has_the_risk_of_its_definition(rows):
    """A-40 with duplicates, contradictions and weights: brute force over thresholds at and between the points."""
    x, y, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    found = threshold_risk(x, y, weight)
    grid = np.arange(-4.0, 4.5, 0.5)
    brute = np.array([np.average((x >= a) != y, weights=weight) for a in grid])
    np.testing.assert_allclose(found.at(grid), brute, atol=1e-12)
    assert found.risk == pytest.approx(brute.min(), abs=1e-12)
    optimal = np.any([(grid > low) & (grid <= high) for low, high in found.intervals], axis=0)
    np.testing.assert_array_equal(optimal, brute <= brute.min() + 1e-9)
    assert np.average((x >= found.threshold) != y, weights=weight) == pytest.approx(found.risk, abs=1e-12)


def test_integer_weights_are_repetitions_and_zero_weights_absences():
    x, y, weight = [3.0, 1.0, 2.0, 0.5], [1, 0, 0, 1], [2, 1, 3, 0]
    once, again = threshold_risk(x, y, weight), threshold_risk(np.repeat(x, weight), np.repeat(y, weight))
    np.testing.assert_array_equal(once.cuts, again.cuts)
    np.testing.assert_allclose(once.risks, again.risks)


@pytest.mark.parametrize(("y", "interval", "threshold"), [([1, 1], (-np.inf, 1.0), 1.0), ([0, 0], (2.0, np.inf), None)])
def test_one_class_has_an_unbounded_interval_and_a_finite_threshold(y, interval, threshold):
    found = threshold_risk([1.0, 2.0], y)
    assert found.intervals == (interval,)
    assert found.threshold == (np.nextafter(2.0, np.inf) if threshold is None else threshold)


def test_neighbouring_floats_leave_a_threshold_between_them():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert threshold_risk([low, high], [0, 1]).threshold == high


def test_the_empirical_minimiser_approaches_the_zero_risk_threshold():
    """X-08, X-09: Risk(f_1) = 0.3413447461, Risk(f_0) = 0, and 1000 points leave a risk of less than 0.02.

    The risk of the middle of the interval exceeds 0.02 only if no point falls within 0.04 in probability on one side of
    0: probability at most 2 * 0.96**1000 = 4e-18.
    """
    sample = threshold_model(0, 1000)
    assert float(sample.risk(1.0)) == pytest.approx(0.3413447461, abs=5e-11)
    assert float(sample.risk(0.5)) == pytest.approx(0.1914624613, abs=5e-11)
    assert float(sample.risk(2.0)) == pytest.approx(0.4772498681, abs=5e-11)
    assert float(sample.risk(-1.0)) == float(sample.risk(1.0))
    assert float(sample.risk(0.0)) == 0
    found = threshold_risk(sample.x, sample.y)
    assert found.risk == 0
    assert float(sample.risk(found.threshold)) < 0.02


@pytest.mark.parametrize(
    ("x", "y", "weight", "message"),
    [
        ([1.0, 2.0], [0, 2], None, "0 or 1"),
        ([1.0, np.nan], [0, 1], None, "free of NaN"),
        ([1.0], [0, 1], None, "one length"),
        ([], [], None, "one length"),
        ([1.0, 2.0], [0, 1], [1.0, -1.0], ">= 0"),
        ([1.0, 2.0], [0, 1], [0.0, 0.0], "positive sum"),
    ],
)
def test_bad_samples_are_refused(x, y, weight, message):
    with pytest.raises(ValueError, match=message):
        threshold_risk(x, y, weight)


@pytest.mark.parametrize("heavy", [1e11, 1e13, 1e15])
def test_light_rows_count_beside_heavy_ones(heavy):
    """A-40: the best threshold is wrong about the light row in the middle, or about no row at all."""
    found = threshold_risk([0.0, 1, 2, 3], [0, 1, 0, 1], [heavy, 1, 2, heavy])
    assert found.intervals == ((2.0, 3.0),)
    assert found.risk == pytest.approx(1 / (2 * heavy + 3))
    clean = threshold_risk([0.0, 1, 2, 3], [0, 0, 1, 1], [heavy, 1, 1, heavy])
    assert clean.risk == 0
    assert clean.intervals == ((1.0, 2.0),)
