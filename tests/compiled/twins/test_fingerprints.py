"""The compiled fingerprints equal their plain twin, bit for bit."""

import numpy as np
import pytest
from scipy import sparse

from surefit.compiled.twins import fingerprints as twins_fingerprints
from surefit.data import fingerprints as data_fingerprints


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
