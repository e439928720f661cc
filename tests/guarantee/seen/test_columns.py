"""Columns in common units, whatever they were: words, dates of rounding, sparse tables, huge numbers."""

import numpy as np
from scipy import sparse

from surefit.guarantee.seen.columns import JITTER, MOST_COLUMNS, Columns

RNG = np.random.default_rng(0)


def test_constant_columns_are_dropped_also_when_rounding_makes_two_values_of_them():
    X = np.column_stack([np.where(RNG.random(50) < 0.5, 7.123456789, 7.1234568), RNG.normal(size=50)])
    assert Columns.of(X, np.zeros(50)).values.shape == (50, 1)


def test_units_and_storage_do_not_matter():
    X, y = RNG.normal(size=(40, 3)), RNG.normal(size=40)
    one = Columns.of(X, y)
    for other in (Columns.of(X * [1e200, 1e-200, 5.0], y), Columns.of(sparse.csr_array(X), y)):
        np.testing.assert_allclose(one.values, other.values, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.values.std(axis=0), 1.0)
    assert np.all(one.tolerance >= JITTER)


def test_words_missing_values_and_many_columns_are_taken():
    words = np.column_stack([RNG.choice(["a", "b"], 30), RNG.normal(size=30).astype(object)])
    assert Columns.of(words, np.arange(30)).values.shape == (30, 3)
    wide = np.column_stack([RNG.integers(0, 2, (60, 100)), RNG.normal(size=(60, 30))])
    wide[0, 110] = np.nan
    found = Columns.of(wide, np.zeros(60))
    assert found.values.shape[1] == MOST_COLUMNS
    assert np.all(np.isfinite(found.values))
    assert found.tell_copies
    assert not Columns.of(wide[:, :100], np.zeros(60)).tell_copies
