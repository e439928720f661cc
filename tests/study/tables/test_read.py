"""One door for files and frames: the same table comes out whatever it came in as."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from surefit.study.encode.kinds import as_numbers, as_words, kinds_of
from surefit.study.tables.read import read_table, table_blocks
from surefit.study.tables.table import TableError

FRAME = pd.DataFrame(
    {"x": [1.5, None, 3.0], "colour": ["red", "blue", None], "day": pd.to_datetime(["2024-01-01", "2024-02-01", None])}
)


@pytest.fixture(params=["pandas", "polars", "csv", "parquet", "arrow"])
def table(request, tmp_path):
    path = tmp_path / "table"
    if request.param == "pandas":
        return read_table(FRAME)
    if request.param == "polars":
        return read_table(pl.from_pandas(FRAME))
    if request.param == "csv":
        FRAME.to_csv(path, index=False)
    elif request.param == "parquet":
        FRAME.to_parquet(path)
    else:
        pl.from_pandas(FRAME).write_ipc(path, compression="uncompressed")
    return read_table(str(path))


def test_every_source_gives_the_same_columns(table):
    kinds = kinds_of(table, {})
    assert [kinds[name].kind for name in table.names] == ["number", "category", "date"]
    np.testing.assert_array_equal(as_numbers(table["x"], kinds["x"]), [1.5, np.nan, 3.0])
    assert as_words(table["colour"]).levels == ("blue", "red")
    assert as_words(table["colour"]).codes.tolist() == [1, 0, -1]


def test_types_come_from_the_whole_column(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("x,y\n" + "".join(f"{k},1\n" for k in range(30_000)) + "abc,1\n" * 30_000)
    assert kinds_of(read_table(str(path)), {})["x"].kind == "category"


def test_blocks_together_are_the_table(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("x,y\n" + "".join(f"{k},a{k % 3}\n" for k in range(45_000)))
    blocks = list(table_blocks(str(path)))
    assert [block.n_rows for block in blocks] == [20_000, 20_000, 5_000]
    assert sum(block.n_rows for block in blocks) == read_table(str(path)).n_rows


def test_what_is_no_table_is_refused(tmp_path):
    with pytest.raises(TableError, match="got list"):
        read_table([1, 2])
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(TableError, match="no valid Parquet"):
        read_table(str(path))
    path = tmp_path / "latin.csv"
    path.write_bytes("a,b\né,1\n".encode("latin-1"))
    with pytest.raises(TableError, match="say its encoding"):
        list(table_blocks(str(path)))
    with pytest.raises(TableError, match="no encoding"):
        read_table(str(path), encoding="nonsense")


def test_a_program_without_standard_input_is_told_to_name_a_file(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(TableError, match="there is no standard input; give a file"):
        next(table_blocks("-"))
