"""Blocks from files, frames and open text: the same rows in the same order, and errors that name the place."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from surefit.data.blocks.sources import row_blocks

FRAME = pd.DataFrame({"a": np.arange(7.0), "b": np.arange(7.0) ** 2, "y": -np.arange(7.0)})


def files(folder):
    FRAME.to_csv(folder / "t.csv", index=False)
    FRAME.to_parquet(folder / "t.parquet")
    FRAME.to_json(folder / "t.jsonl", orient="records", lines=True)
    table = pa.Table.from_pandas(FRAME)
    with pa.ipc.new_file(folder / "t.arrow", table.schema) as file:
        file.write_table(table)
    return [folder / f"t.{end}" for end in ("csv", "parquet", "jsonl", "arrow")]


def test_every_source_gives_the_same_rows(tmp_path):
    sources = [*files(tmp_path), FRAME, pl.DataFrame(FRAME), pa.Table.from_pandas(FRAME)]
    for source in sources:
        blocks = list(row_blocks(source, rows=3))
        assert [len(y) for _, y in blocks] == [3, 3, 1], source
        X = pd.concat([pd.DataFrame(block) for block, _ in blocks])
        np.testing.assert_array_equal(X[["a", "b"]].to_numpy(float), FRAME[["a", "b"]].to_numpy())
        np.testing.assert_array_equal(np.concatenate([y for _, y in blocks]), FRAME["y"])


def test_open_files_and_blocks_pass_through():
    text = io.StringIO("a,y\n1,2\n3,4\n")
    ((X, y),) = row_blocks(text, format="csv")
    assert (X["a"].tolist(), y.tolist()) == ([1, 3], [2, 4])
    given = [(np.ones((2, 1)), np.zeros(2))]
    assert next(iter(row_blocks(given)))[0] is given[0][0]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("rows.txt", {}, "not known by its name; give format="),
        ("nowhere.csv", {}, "there is no file"),
        (io.StringIO("a"), {}, "does not say what it holds"),
        (io.StringIO("a"), {"format": "xml"}, "format must be one of 'csv'"),
        (io.StringIO("{"), {"format": "jsonl"}, "line 1 is not JSON"),
        (
            io.StringIO('{"a": 1}'),
            {"format": "jsonl"},
            "line 1 has no target 'y', its names are 'a'; give the right name",
        ),
        (io.StringIO("[1]"), {"format": "jsonl"}, "line 1 is not an object"),
        (io.StringIO("a,y\n1,2\n"), {"format": "jsonl"}, "looks like column names; give format='csv'"),
        (io.StringIO('{"a": 1, "y": 2}\n'), {"format": "csv"}, "first line is an object.*; give format='jsonl'"),
        (io.StringIO(""), {"format": "csv"}, "there is nothing to read"),
        (
            io.StringIO("a,y\n1,2\n1,2,3\n"),
            {"format": "csv"},
            "line 3 has 3 fields, and the first line 2; mend",
        ),
        (FRAME, {"target": "z"}, "no column 'z'; the columns are a, b, y"),
        (FRAME, {"rows": 0}, "rows must be"),
    ],
)
def test_what_cannot_be_read_is_refused(source, options, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        list(row_blocks(source, **options))


def test_lines_that_cannot_be_read_are_rows_without_anything_where_they_are_skipped():
    """A broken line, one without the target, one with too many fields: counted where they stand, not dropped."""
    lines = io.StringIO('{"a": 1, "y": 2}\n{"a":\n{"a": 3}\n{"a": 4, "y": null}\n')
    found = [pair for X, y in row_blocks(lines, format="jsonl", skip=True) for pair in zip(X, y, strict=True)]
    assert found == [({"a": 1}, 2), ({}, None), ({"a": 3}, None), ({"a": 4}, None)]
    table = io.StringIO("a,y\n1,2\nred,3\n1,2,3\n2.5,oops\n")
    (X, y), (unread, none), (Z, z) = row_blocks(table, format="csv", skip=True)
    assert X["a"].tolist() == [1.0, "red"]
    assert (y.tolist(), z.tolist()) == ([2, 3], ["oops"])
    assert (unread, none, Z["a"].tolist()) == ([{}], [None], [2.5])


def test_csv_is_read_as_it_comes_and_quoted_lines_stay_together():
    """Rows that came before Ctrl-C are given out first; a field may hold a line break, a blank line is none."""

    def lines():
        yield from ["a,note,y\n", '1,"two\n', 'lines",3\n', "\n", "4,five,6\n", "7,eight,9\n"]
        raise KeyboardInterrupt

    class Pipe:
        readline = None

        def __iter__(self):
            return lines()

    found = row_blocks(Pipe(), format="csv", rows=2)
    X, y = next(found)
    assert (X["note"].tolist(), y.tolist()) == (["two\nlines", "five"], [3, 6])
    assert next(found)[1].tolist() == [9]
    with pytest.raises(KeyboardInterrupt):
        next(found)
