"""Fingerprints of rows, leaks and chance repeats."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit.guarantee.seen.equal import equalities
from surefit.guarantee.seen.prints import row_prints as fingerprints
from surefit.guarantee.seen.prints import smallest_prints, untouched
from surefit.theory.certificates.certificate import Standing

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


def compared(training, held_out, n_training=None, draws=False):
    return untouched(training, held_out, equalities(held_out, training), n_training, draws)


def test_one_coincidence_is_counted_as_an_error_and_said():
    prints, leaked = fingerprints(X, Y), np.append(np.arange(200, len(X)), 7)
    seen, equal = compared(prints[:200], prints[leaked])
    assert "one of them equals a training row and counts as an error" in seen.evidence
    assert seen.standing is equal.standing is Standing.UNVERIFIABLE
    (only,) = compared(prints[:200], prints[200:])
    assert only.standing is Standing.UNVERIFIABLE
    assert only.text == "the held-out rows were not used to train or choose this model"


def test_data_that_repeat_by_nature_are_not_refused_but_leaks_among_them_are():
    """Rows on a grid of 400 values: chance repeats pass, a hold-out taken from the training rows does not."""
    values, labels = RNG.integers(0, 400, size=900), RNG.integers(0, 2, size=900)
    prints = fingerprints(values[:, None], labels)
    seen, equal = compared(prints[:300], prints[300:])
    assert seen.standing is equal.standing is Standing.UNVERIFIABLE
    assert "the larger of the two" in equal.evidence
    *_, declared = compared(prints[:300], prints[300:], draws=True)
    assert declared.standing is Standing.DECLARED
    for draws in (False, True):  # no word of the user's turns training rows into draws
        with pytest.raises(ValueError, match="200 of the 200 held-out rows were used in fit; give rows"):
            compared(prints[:300], prints[:200], draws=draws)


def test_a_few_prints_recognise_their_rows_in_any_file():
    many, zero = RNG.normal(size=(5000, 2)), np.zeros(5000)
    prints = fingerprints(many, zero)
    kept = smallest_prints(prints)
    assert len(kept) == 256
    with pytest.raises(ValueError, match=r"at least .* of the 1,000 held-out rows were used in fit"):
        compared(kept, prints[:1000], 5000)
    (other,) = compared(kept, fingerprints(many + 1.0, zero), 5000)
    assert other.standing is Standing.DECLARED
    assert "remembers 256 of its 5000 rows" in other.evidence
    (whole,) = compared(prints[:100], prints[100:], 100)
    assert whole.standing is Standing.UNVERIFIABLE


def test_numbers_of_any_type_print_alike_beside_words():
    words = np.array([["a", 1], ["b", 2]], dtype=object)
    assert np.array_equal(fingerprints(words, [True, False]), fingerprints(words[:, [0, 1]], np.array([1.0, 0.0])))


def test_copies_of_the_smallest_print_stay_together():
    assert len(smallest_prints(np.zeros(1000, dtype=np.uint64))) == 1000
