"""The comparison of sets with peers: what it measures without them."""

import numpy as np

from benchmarks.peers_sets import digits, timed
from surefit import calibrate


def test_the_best_of_three_times_comes_with_what_was_made():
    found, seconds = timed(lambda: 7)
    assert found == 7
    assert seconds >= 0


def test_sets_of_noisy_digits_cover_and_are_small():
    """One split of 500 held-out rows: coverage within four standard deviations of what it has on average."""
    model, X, y, new, truth = next(digits(1))
    found = calibrate(model, X, y, equal_rows_are_draws=True).predict_set(new, 0.9)
    assert 0.84 < np.mean(found.contains(truth)) < 0.96
    assert found.size.mean() < 2
