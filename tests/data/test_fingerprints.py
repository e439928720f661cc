"""Rows are told apart by all their digits, and by nothing else."""

import numpy as np
import pytest
from scipy import sparse

from surefit.compiled.twins import fingerprints as twins_fingerprints
from surefit.data import fingerprints as data_fingerprints
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


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", ["rows", "columns", "every other", "backwards"])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (5000, 4), (3, 70), (4, 0)])
def test_the_compiled_prints_equal_their_twin(shape, layout, dtype):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((2 * shape[0], 2 * shape[1])) < 0.3, -0.0, rng.normal(size=(2 * shape[0], 2 * shape[1])))
    X = X.astype(dtype)
    X = {
        "rows": np.ascontiguousarray(X[: shape[0], : shape[1]]),
        "columns": np.asfortranarray(X[: shape[0], : shape[1]]),
        "every other": X[::2, ::2],
        "backwards": X[shape[0] - 1 :: -1, : shape[1]][:, ::-1],
    }[layout]
    odd = rng.integers(0, 2**63, X.shape[1]).astype(np.uint64) * np.uint64(2) + np.uint64(1)
    mine, twin = np.zeros((2, len(X)), dtype=np.uint64)
    data_fingerprints.dense_prints(X, odd, 2, mine)
    twins_fingerprints.dense_prints(X, odd, 1, twin)
    np.testing.assert_array_equal(mine, twin)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_the_compiled_prints_of_sparse_rows_equal_their_twin(index, dtype):
    S = sparse.random_array((5000, 30), density=0.1, format="csr", rng=np.random.default_rng(0), dtype=dtype)
    odd = np.arange(1, 61, 2, dtype=np.uint64)
    mine, twin = np.zeros((2, 5000), dtype=np.uint64)
    parts = S.data, S.indices.astype(index), S.indptr.astype(index)
    data_fingerprints.sparse_prints(*parts, odd, 2, mine)
    twins_fingerprints.sparse_prints(*parts, odd, 1, twin)
    np.testing.assert_array_equal(mine, twin)


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


def test_arrays_of_the_wrong_shape_are_refused_by_the_compiled_loop():
    if data_fingerprints.dense_prints is twins_fingerprints.dense_prints:
        return  # the twin relies on NumPy's own checks
    with pytest.raises(ValueError, match="one entry per column"):
        data_fingerprints.dense_prints(np.ones((2, 3)), np.ones(2, np.uint64), 1, np.zeros(2, np.uint64))
    with pytest.raises(ValueError, match="within odd"):
        data_fingerprints.sparse_prints(
            np.ones(1), np.array([5], np.int32), np.array([0, 1], np.int32), np.ones(2, np.uint64), 1,
            np.zeros(1, np.uint64),
        )  # fmt: skip
