"""Venn-Abers probabilities: against an isotonic fit for every new score and both labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from surefit.theory.intervals.venn_abers import VennAbers, merged_probability


def refitted(scores, event, new):
    """The isotonic value at ``new`` with it added, as false and as true."""
    both = [
        IsotonicRegression().fit([*scores, new], [*np.asarray(event, float), label]).predict([new])[0]
        for label in (0.0, 1.0)
    ]
    return both


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=14),
    st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.5, 3.0, 5.5, 6.0, 8.0]), min_size=1, max_size=4),
)
def test_both_probabilities_are_isotonic_fits_with_the_new_row(rows, new):
    scores, event = [float(score) for score, _ in rows], [label for _, label in rows]
    lower, upper = VennAbers.of(scores, event).at(new)
    for value, low, high in zip(new, lower, upper, strict=True):
        np.testing.assert_allclose(refitted(scores, event, value), [low, high], atol=1e-12)


def test_probabilities_rise_with_the_score_and_enclose_the_plain_isotonic_fit():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=500)
    event = rng.random(500) < 1 / (1 + np.exp(-scores))
    grid = np.linspace(-4, 4, 301)
    lower, upper = VennAbers.of(scores, event).at(grid)
    assert np.all(np.diff(lower) >= 0)
    assert np.all(np.diff(upper) >= 0)
    assert np.all(lower < upper)
    plain = IsotonicRegression(out_of_bounds="clip").fit(scores, event).predict(scores)
    at_rows = VennAbers.of(scores, event).at(scores)
    assert np.all((at_rows[0] <= plain + 1e-12) & (plain <= at_rows[1] + 1e-12))


def test_the_merged_probability_has_the_smallest_worst_regret():
    """Regrets under log-loss if the event is false, ``ln(1 - p0) - ln(1 - p)``, and if it is true are equal."""
    lower, upper = np.array([0.1, 0.3]), np.array([0.2, 0.8])
    p = merged_probability(lower, upper)
    np.testing.assert_allclose(np.log(1 - lower) - np.log(1 - p), np.log(upper) - np.log(p), rtol=1e-12)


def test_one_event_per_score_is_wanted():
    with pytest.raises(ValueError, match="3 scores and 2 events"):
        VennAbers.of([1.0, 2.0, 3.0], [True, False])
