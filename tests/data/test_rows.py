"""Rows are told apart by all their digits, and by nothing else."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.rows import copies, distinct_rows, fingerprints


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
    rows, mass = distinct_rows(X, weight)
    for row, total in zip(rows, mass, strict=True):
        assert total == weight[np.all(X[row] == X, axis=1)].sum()
    assert set(map(tuple, X[rows])) == set(map(tuple, X[weight > 0]))
