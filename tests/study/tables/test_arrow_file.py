"""Parquet and Arrow files in blocks: all rows in order, empty files too, and damaged ones by name."""

import pytest

from surefit.study.tables.arrow_file import arrow_blocks, arrow_kind
from surefit.study.tables.table import TableError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def written(path, kind, table):
    if kind == "Parquet":
        pq.write_table(table, path, row_group_size=40)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            for batch in table.to_batches(max_chunksize=40):
                file.write_batch(batch)
    return str(path)


@pytest.mark.parametrize("kind", ["Parquet", "Arrow"])
@pytest.mark.parametrize("n", [0, 100])
def test_blocks_put_together_are_the_file(kind, n, tmp_path, monkeypatch):
    monkeypatch.setattr("surefit.study.tables.arrow_file.BLOCK", 30)
    path = written(tmp_path / "rows", kind, pa.table({"x": pa.array(range(n), pa.int64())}))
    with open(path, "rb") as file:
        assert arrow_kind(file.read(8)) == kind
    blocks = list(arrow_blocks(path, kind))
    assert blocks[0].schema.names == ["x"]
    assert max(len(block) for block in blocks) <= 40
    assert [x for block in blocks for x in block["x"].to_pylist()] == list(range(n))


@pytest.mark.parametrize("kind", ["Parquet", "Arrow"])
def test_a_file_that_is_cut_short_is_refused_in_one_line(kind, tmp_path):
    path = written(tmp_path / "rows", kind, pa.table({"x": list(range(100))}))
    whole = (tmp_path / "rows").read_bytes()
    (tmp_path / "rows").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match=f"rows is no valid {kind} file .*; write it again") as refused:
        list(arrow_blocks(path, kind))
    assert "\n" not in str(refused.value)
