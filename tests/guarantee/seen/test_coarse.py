"""Does the coarseness of a table explain its equal rows?"""

import numpy as np
import pytest
from scipy import sparse

from surefit.guarantee.seen.coarse import expected_equals, explained, stacked
from surefit.guarantee.seen.prints import row_prints

rng = np.random.default_rng(0)


def test_independent_columns_are_expected_to_repeat_at_least_as_often_as_they_do():
    X, y = rng.integers(0, 4, (600, 4)), rng.integers(0, 2, 600)
    prints = row_prints(X, y)
    times = np.unique(prints, return_inverse=True, return_counts=True)
    partners = times[2][times[1]] - 1
    assert expected_equals(X, y, prints, np.arange(600)).mean() > 0.8 * partners.mean()


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda X: X.astype(object)])
def test_copies_of_continuous_rows_are_not_explained_in_any_form(make):
    X = np.repeat(rng.normal(size=(80, 4)), 2, axis=0)
    y = np.repeat(rng.integers(0, 2, 80), 2)
    assert not explained(make(X), y, row_prints(X, y)).any()
    beside = np.column_stack([X, rng.integers(0, 2, (80, 6)).repeat(2, axis=0)])
    assert not explained(beside, y, row_prints(beside, y)).any()


def test_rows_that_equal_none_need_no_explanation():
    X = rng.normal(size=(50, 2))
    assert explained(X, np.zeros(50), row_prints(X, np.zeros(50))).all()
    assert not explained(X, np.zeros(50), row_prints(X, np.zeros(50)), np.arange(50) == 3)[3]


def test_words_are_values_too():
    X = np.array([["a", 1.0], ["b", 2.0]] * 50, dtype=object)
    assert explained(X, np.arange(100) % 2, row_prints(X, np.arange(100) % 2)).all() in (True, False)
    both = stacked((X, np.zeros(100)), (X, np.ones(100)))
    assert len(both[0]) == len(both[1]) == 200
