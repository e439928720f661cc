"""Fingerprints of rows, leaks and chance repeats."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit.theory.certificate import Standing
from surefit.theory.overlap import row_prints as fingerprints
from surefit.theory.overlap import smallest_prints, untouched

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(300, 4)), RNG.normal(size=300)


def test_rows_are_told_apart_and_recognised():
    prints = fingerprints(X, Y)
    assert len(set(prints.tolist())) == 300
    np.testing.assert_array_equal(prints[::-1], fingerprints(X[::-1], Y[::-1]))
    assert not np.isin(fingerprints(X, Y + 1e-9), prints).any()
    assert not np.isin(fingerprints(X[:, ::-1], Y), prints).any()


def test_dense_sparse_and_signed_zeros_agree():
    S = np.where(RNG.random((50, 6)) < 0.3, RNG.normal(size=(50, 6)), 0.0)
    dense = fingerprints(S, Y[:50])
    np.testing.assert_array_equal(dense, fingerprints(sparse.csr_array(S), Y[:50]))
    np.testing.assert_array_equal(dense, fingerprints(sparse.coo_array(S), Y[:50]))
    np.testing.assert_array_equal(dense, fingerprints(np.where(S == 0, -0.0, S), Y[:50]))


def test_words_have_fingerprints_too():
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 1]})
    prints = fingerprints(frame, ["p", "q", "p"])
    assert prints[0] == prints[2] != prints[1]


def test_one_leaked_row_is_refused():
    prints = fingerprints(X, Y)
    with pytest.raises(ValueError, match="1 of the 101 held-out rows were used in fit"):
        untouched(prints[:200], np.append(prints[200:], prints[7]))
    assert untouched(prints[:200], prints[200:]).standing is Standing.CHECKED


def test_data_that_repeat_by_nature_are_not_refused_but_leaks_among_them_are():
    """Rows on a grid of 400 values: chance repeats pass, a hold-out taken from the training rows does not."""
    values = RNG.integers(0, 400, size=600)
    assumption = untouched(values[:300], values[300:])
    assert assumption.standing is Standing.UNVERIFIABLE
    assert "as chance explains" in assumption.evidence
    with pytest.raises(ValueError, match="were used in fit"):
        untouched(values[:300], values[:200])


def test_a_few_prints_recognise_their_rows_in_any_file():
    many = RNG.normal(size=(5000, 2))
    prints = fingerprints(many, np.zeros(5000))
    kept = smallest_prints(prints)
    assert len(kept) == 256
    with pytest.raises(ValueError, match=r"at least .* of the 1000 held-out rows were used in fit"):
        untouched(kept, prints[:1000], 5000)
    other = untouched(kept, fingerprints(many + 1.0, np.zeros(5000)), 5000)
    assert other.standing is Standing.DECLARED
    assert "remembers 256 of its 5000 rows" in other.evidence
    assert untouched(prints[:100], prints[100:], 100).standing is Standing.CHECKED


def test_copies_of_the_smallest_print_stay_together():
    assert len(smallest_prints(np.zeros(1000, dtype=np.uint64))) == 1000
