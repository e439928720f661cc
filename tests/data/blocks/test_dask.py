"""Dask arrays and frames, cut anew whatever their chunks."""

import numpy as np
import pytest

from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.dask import dask_source

array = pytest.importorskip("dask.array")
frames = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")


def test_chunks_and_partitions_change_no_row():
    X, y = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100.0)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})
    for source in (
        dask_source(array.from_array(X, chunks=(17, 1)), None, array.from_array(y, chunks=9), None, 32),
        dask_source(frames.from_pandas(frame, npartitions=7, sort=False), "y", None, None, 32),
    ):
        blocks = [block for part in source.parts(True) for block in part.blocks()]
        assert [len(block) for block in blocks] == [32, 32, 32, 4]
        np.testing.assert_array_equal(np.vstack([block.numbers for block in blocks]), X)
        np.testing.assert_array_equal(np.concatenate([block.target for block in blocks]), y)
        np.testing.assert_array_equal(source.first().numbers, X[:32])


def test_chunks_that_are_not_known_and_columns_of_another_length_are_refused():
    X = array.from_array(np.eye(6), chunks=2)
    with pytest.raises(SourceError, match="compute_chunk_sizes"):
        dask_source(X[X[:, 0] >= 0], None, None, None, 4)
    with pytest.raises(SourceError, match="one entry a row"):
        dask_source(X, None, array.from_array(np.zeros(5)), None, 4)
