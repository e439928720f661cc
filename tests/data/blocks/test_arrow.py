"""Arrow streams: tables and frames are read again, readers once."""

import numpy as np
import pytest

from surefit.data.blocks.arrow import stream_source
from surefit.data.blocks.columns import SourceError

pa = pytest.importorskip("pyarrow")


def numbers(source):
    return np.concatenate([block.numbers[:, 0] for part in source.parts(False) for block in part.blocks()])


def test_a_table_is_read_again_and_a_reader_once():
    table = pa.table({"a": np.arange(50.0), "y": np.zeros(50)})
    source = stream_source(table, "y", None, 16)
    assert not source.once
    for _ in range(2):
        np.testing.assert_array_equal(numbers(source), np.arange(50.0))
    reader = stream_source(table.to_reader(max_chunksize=7), "y", None, 16)
    assert reader.once
    assert len(reader.first()) == 16  # looked at before the pass, and still part of it
    np.testing.assert_array_equal(numbers(reader), np.arange(50.0))
    with pytest.raises(SourceError, match="only once"):
        numbers(reader)


def test_rows_are_counted_through_the_batches():
    table = pa.table({"a": [*np.arange(40.0), None], "y": np.zeros(41)})
    source = stream_source(pa.Table.from_batches(table.to_batches(max_chunksize=10)), "y", None, 16)
    with pytest.raises(SourceError, match="row 40 of the Table"):
        numbers(source)
