"""Rows are told apart by all their digits, and by nothing else."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.fingerprints import copies, distinct_rows, fingerprints


def test_zeros_are_alike_and_neighbours_apart():
    assert len(distinct_rows(np.array([[0.0, 1.0], [-0.0, 1.0]]))[0]) == 1
    assert len(distinct_rows(np.array([[1e18, 1.0], [1e18, np.nextafter(1.0, 2.0)], [1.0, 1e18]]))[0]) == 3


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_rows_and_single_precision_have_the_same_prints(kind):
    X = np.random.default_rng(0).integers(-2, 3, (40, 3)) / 4
    np.testing.assert_array_equal(fingerprints(kind(X)), fingerprints(X))
    np.testing.assert_array_equal(fingerprints(X.astype(np.float32)), fingerprints(X))


def test_targets_count_where_they_are_given():
    X = np.ones((3, 1))
    assert len(set(fingerprints(X, [1.0, 2.0, 1.0]).tolist())) == 2
    assert len(set(fingerprints(X).tolist())) == 1


def test_copies_and_distinct_rows_agree_with_a_plain_loop():
    X = np.random.default_rng(1).integers(0, 3, (50, 2)).astype(float)
    weight = np.random.default_rng(2).integers(0, 3, 50).astype(float)
    first, member = copies(X)
    seen: dict = {}
    for i, row in enumerate(map(tuple, X)):
        seen.setdefault(row, i)
    assert first.tolist() == sorted(seen.values())
    assert all(np.array_equal(X[first[member[i]]], X[i]) for i in range(50))
    chosen, mass = distinct_rows(X, weight)
    for row, total in zip(chosen, mass, strict=True):
        assert total == weight[np.all(X[row] == X, axis=1)].sum()
    assert set(map(tuple, X[chosen])) == set(map(tuple, X[weight > 0]))


def test_integers_booleans_and_other_byte_orders_have_the_prints_of_their_numbers():
    X = np.random.default_rng(0).integers(0, 2, (20, 3))
    for other in (X.astype(bool), X.astype(np.int8), X.astype(">f8"), X.tolist()):
        np.testing.assert_array_equal(fingerprints(other), fingerprints(X.astype(float)))


def test_entries_that_are_stored_twice_count_by_their_sum():
    twice = sparse.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    np.testing.assert_array_equal(fingerprints(twice), fingerprints(np.array([[3.0, 0.0]])))
    assert twice.nnz == 2  # the caller's array is left alone


def test_labels_count_by_what_they_spell_and_numbers_by_their_value():
    X = np.zeros((3, 1))
    words = fingerprints(X, ["a", "b", "a"])
    assert words[0] == words[2] != words[1]
    assert words[0] == fingerprints(X[:1], np.array(["a"], dtype=object))[0]
    np.testing.assert_array_equal(fingerprints(X, np.array([1, 2.0, True], object)), fingerprints(X, [1.0, 2.0, 1.0]))
    assert fingerprints(X[:1], ["1"])[0] == fingerprints(X[:2], ["1", "x"])[0]
