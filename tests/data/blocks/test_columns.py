"""Columns are numbers or words, and what is neither is refused with its place."""

import numpy as np
import pytest

from surefit.data.blocks.columns import MISSING, Columns, SourceError

pa = pytest.importorskip("pyarrow")


def batch(**columns):
    return pa.record_batch(columns)


def test_kinds_of_columns_by_their_type():
    import decimal

    found = batch(i=[1, 2], f=pa.array([0.5, 1.5], pa.float32()), b=[True, False], d=[decimal.Decimal("1.5")] * 2,
                  s=["u", None], c=pa.array(["p", "q"]).dictionary_encode(), y=[1.0, 2.0])  # fmt: skip
    columns = Columns.of(found.schema, "y")
    assert columns.numbers == ("i", "f", "b", "d")
    assert columns.words == ("s", "c")
    block = columns.block(found, "here")
    np.testing.assert_array_equal(block.numbers, [[1, 0.5, 1, 1.5], [2, 1.5, 0, 1.5]])
    assert block.words[0].words().tolist() == ["u", MISSING]
    assert block.target.tolist() == [1.0, 2.0]


def test_float32_stays_where_all_columns_are():
    found = batch(a=pa.array([0.1, 0.2], pa.float32()), b=pa.array([1, 2], pa.float32()), y=[1.0, 2.0])
    assert Columns.of(found.schema, "y").block(found, "here").numbers.dtype == np.float32
    mixed = batch(a=pa.array([0.1, 0.2], pa.float32()), b=[1.0, 2.0], y=[1.0, 2.0])
    assert Columns.of(mixed.schema, "y").block(mixed, "here").numbers.dtype == np.float64


@pytest.mark.parametrize(
    ("value", "words"), [(None, "'a' is missing or NaN in row 7 of here"), (np.inf, "'a' is infinite in row 7 of here")]
)
def test_a_number_that_is_none_is_named_with_its_row(value, words):
    found = batch(a=[1.0, 2.0, value], y=[1.0, 2.0, 3.0])
    with pytest.raises(SourceError, match=words):
        Columns.of(found.schema, "y").block(found, "here", first=5)


def test_other_columns_types_and_weights_are_refused():
    columns = Columns.of(batch(a=[1.0], w=[1.0], y=[1.0]).schema, "y", "w")
    for other, words in [
        (batch(a=[1.0], y=[1.0]), "lacks the column 'w'"),
        (batch(a=["u"], w=[1.0], y=[1.0]), "holds words in there and numbers before"),
    ]:
        with pytest.raises(SourceError, match=words):
            columns.check(other.schema, "there")
    negative = batch(a=[1.0], w=[-1.0], y=[1.0])
    with pytest.raises(SourceError, match="negative weight"):
        columns.block(negative, "there")
    with pytest.raises(SourceError, match="neither a number nor a word"):
        Columns.of(batch(t=pa.array([0], pa.timestamp("s")), y=[1.0]).schema, "y")


def test_columns_are_dropped_by_name():
    schema = batch(t=pa.array([0], pa.timestamp("s")), a=[1.0], y=[1.0]).schema
    assert Columns.of(schema, "y", drop=("t",)).names == ["a", "y"]
    for drop, words in [(("none",), "no column 'none'"), (("t", "y"), "cannot be dropped")]:
        with pytest.raises(SourceError, match=words):
            Columns.of(schema, "y", drop=drop)


def test_whole_numbers_that_would_become_one_are_refused():
    far, near = pa.array(2**60 + np.arange(40)), pa.array(np.arange(40))
    for found, words in [
        (batch(a=far, y=near), "column 'a' .*, or leave the column out if it only names the rows$"),
        (batch(a=far.cast(pa.uint64()), y=near), "column 'a' .*, or leave the column out if it only names the rows$"),
        (batch(a=near, y=far), "column 'y' .* from all of them first$"),
    ]:
        with pytest.raises(SourceError, match=words.replace(" .*", r" holds whole numbers beyond 2\*\*53 .*")):
            Columns.of(found.schema, "y").block(found, "here")
    found = batch(a=far)
    assert len(Columns.of(found.schema, None).block(found, "new rows, which round as those of the fit did")) == 40
