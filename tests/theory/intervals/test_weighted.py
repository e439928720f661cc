"""Conformal quantiles of scores that count unequally."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.theory.intervals.conformal import conformal_rank, ranked
from surefit.theory.intervals.weighted import group_weights, shift_promise, weighted_quantile


@given(st.integers(10, 60), st.sampled_from([0.5, 0.8, 0.9]))
def test_equal_weights_are_split_conformal(n, coverage):
    scores = np.random.default_rng(n).random(n)
    assert weighted_quantile(scores, np.full(n, 3.0), coverage, 3.0)[0] == ranked(scores, conformal_rank(n, coverage))


@given(st.lists(st.integers(1, 4), min_size=4, max_size=12), st.integers(0, 5))
def test_whole_weights_are_copies_of_rows(weights, new):
    """A row of weight k counts as k equal rows; the new row's weight lies at infinity."""
    weights = np.array(weights)
    scores = np.random.default_rng(len(weights)).random(len(weights))
    copied = np.sort(np.concatenate([np.repeat(scores, weights), np.full(new, np.inf)]))
    rank = int(np.ceil(0.7 * len(copied) - 1e-9))
    assert weighted_quantile(scores, weights, 0.7, new)[0] == copied[rank - 1]


def test_rows_of_a_group_share_its_weight():
    weights = group_weights(np.array([7, 7, 1, 7, 2, 2]))
    np.testing.assert_allclose(weights, [1 / 3, 1 / 3, 1, 1 / 3, 0.5, 0.5])


def test_the_sentence_says_whether_weights_are_known():
    known, estimated = shift_promise(100, 0.9, True), shift_promise(100, 0.9, False)
    assert "declared as known" in known.assumptions[0]
    assert estimated.statement.startswith("If the estimated weights are right")
    assert (known.guaranteed, estimated.guaranteed) == (0.9, 0.0)


def test_coverage_is_checked():
    with pytest.raises(ValueError, match="coverage must lie between 0 and 1"):
        weighted_quantile(np.ones(3), np.ones(3), 90)
