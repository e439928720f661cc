"""Rows are held out one by one: what the others are, their order, their storage and their last bits do not matter."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit.guarantee.seen.division import division, division_seed, row_shuffle
from surefit.theory.means.concentration import clopper_pearson

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(300, 4)), RNG.integers(0, 2, 300)


def held_out(rows, y, wanted=60, random_state=None):
    return division(rows, y, np.arange(len(y)), wanted, random_state).held_out


def test_so_many_are_held_out_and_the_others_trained_on():
    found = division(X, Y, np.arange(10, 300), 58)
    assert len(found.held_out) == 58
    assert sorted([*found.held_out, *found.training]) == list(range(10, 300))
    assert np.all(np.diff(found.training) > 0)


@pytest.mark.parametrize(
    "store",
    [
        sparse.csr_array,
        sparse.csc_matrix,
        lambda rows: sparse.csr_array(
            (
                np.tile(rows.ravel() / 2, 2).reshape(2, 300, 4).transpose(1, 0, 2).ravel(),
                np.tile(np.arange(4), 600),
                np.arange(0, 2401, 8),
            ),
            shape=(300, 4),
        ),
        pd.DataFrame,
        np.ndarray.tolist,
        np.asfortranarray,
        lambda rows: rows.astype(np.float32),
        lambda rows: rows * (1 + 2e-16),
        lambda rows: np.exp(np.log(np.abs(rows))) * np.sign(rows),
    ],
)
def test_storage_precision_and_last_bits_hold_out_the_same_rows(store):
    np.testing.assert_array_equal(held_out(store(X), Y), held_out(X, Y))
    assert row_shuffle(store(X), Y) == row_shuffle(X, Y)


def test_what_a_subtraction_leaves_of_equal_numbers_does_not_count():
    left = np.column_stack([X, np.zeros(300)])
    other = np.column_stack([X, RNG.normal(size=300) * 1e-16])
    np.testing.assert_array_equal(held_out(left, Y), held_out(other, Y))


def test_words_among_features_and_targets_are_rows_too():
    names, words = np.where(Y == 1, "yes", "no"), np.column_stack([X.astype(object), RNG.choice(list("abc"), 300)])
    first = held_out(words, names)
    order = RNG.permutation(300)
    np.testing.assert_array_equal(order[held_out(words[order], names[order])], first)
    nudged = words.copy()
    nudged[:, 0] = words[:, 0] * (1 + 2e-16)
    np.testing.assert_array_equal(held_out(nudged, names), first)


@pytest.mark.parametrize("seed", [None, 0, 1, 2**70])
def test_edits_move_no_other_row_but_at_the_end_of_those_held_out(seed):
    """With ``wanted`` to match: a row less of those held out is one less to hold out."""
    first = set(held_out(X, Y, 60, seed))
    for gone in range(10):
        kept = np.delete(np.arange(300), gone)
        again = set(kept[held_out(X[kept], Y[kept], 60 - (gone in first), seed)])
        assert again == first - {gone}


def test_rows_apart_in_full_precision_only_are_drawn_one_by_one():
    """Seconds since 1970, 128 of which are one number in single precision: no block is held out as a whole."""
    times, labels = 1.7e9 + np.arange(3000.0)[:, None], np.zeros(3000)
    found = held_out(times, labels, 600)
    per_block = np.bincount(found // 100, minlength=30)
    assert per_block.min() > 5
    assert per_block.max() < 40
    kept = np.delete(np.arange(3000), np.setdiff1d(np.arange(50), found))
    np.testing.assert_array_equal(np.sort(kept[held_out(times[kept], labels[kept], 600)]), np.sort(found))


def test_equal_rows_are_drawn_one_by_one_and_their_order_does_not_matter():
    rows, labels = np.repeat([[0.0], [1.0]], [400, 100], axis=0), np.zeros(500)
    counts = [np.sum(rows[held_out(rows, labels, 100, seed)] == 0.0) for seed in range(200)]
    assert np.mean(counts) == pytest.approx(80, abs=4 * 3.6 / np.sqrt(200))  # hypergeometric, standard deviation 3.6
    assert np.std(counts) == pytest.approx(3.6, rel=0.2)
    order = RNG.permutation(500)
    assert np.sum(rows[order][held_out(rows[order], labels, 100, 3)] == 0.0) == counts[3]


def test_a_table_of_few_kinds_of_rows_has_no_luck_of_its_own():
    """Five yes-or-no columns, the model errs on 7 of the 32 kinds; 400 files of 300 rows, for each of 10 tables.

    Equal rows could be counted through without hashing how many there are; the same few hashes would then decide in all
    files of a table, and the misses would run from 0 to 52.
    """
    misses = []
    for table in range(10):
        rng, missed = np.random.default_rng(table), 0
        for _ in range(400):
            rows = rng.integers(0, 2, (300, 5)).astype(float) + table
            wrong = (rows - table) @ [1, 2, 4, 8, 16] < 7
            missed += clopper_pearson(wrong[held_out(rows, np.zeros(300))], 0.1) < 7 / 32
        misses.append(missed)
    assert min(misses) > 10
    assert max(misses) <= 64  # P(Binomial(400, 0.1) > 64) < 1e-4


def test_a_random_state_is_a_number_or_draws_one():
    assert division_seed(np.int64(3)) == 3
    assert division_seed(np.random.default_rng(5)) == division_seed(np.random.default_rng(5)) != 0
    assert division_seed(np.random.RandomState(5)) == division_seed(np.random.RandomState(5)) != 0
    assert set(held_out(X, Y, 60, 1)) != set(held_out(X, Y, 60, 2))
    for wrong in ("seven", -1, 0.5):
        with pytest.raises(ValueError, match="random_state must be a whole number >= 0"):
            division_seed(wrong)
