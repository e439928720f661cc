"""A matrix from columns: numbers about their origin, indicators for levels but the reference."""

import numpy as np
import pytest

from surefit.data.blocks import layout as module
from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.columns import MISSING, Columns, SourceError
from surefit.data.blocks.layout import Layout, placed

COLUMNS = Columns(("a", "b"), ("g",), None)


def block(levels=("u", "v", "w"), n=40, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.append(np.zeros(n // 2), rng.integers(0, len(levels), n - n // 2)).astype(np.int32)
    return Block(rng.normal(size=(n, 2)) * [1.0, 50.0] + [0.0, 1e6], (Codes(codes, levels),))


@pytest.mark.parametrize("chunk", [7, 4096])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_those_of_a_plain_matrix(monkeypatch, chunk, order):
    monkeypatch.setattr(module, "CHUNK", chunk)
    rows = block()
    rows = Block(np.asarray(rows.numbers, order=order), rows.words)
    layout = Layout.of(rows, COLUMNS)
    words = rows.words[0].words()
    inside = (rows.numbers - layout.origin) / layout.scale
    found = np.vstack([A[:, 1:-1].copy() for _, A in layout.chunks(rows, 1, 1)])
    np.testing.assert_allclose(found, np.column_stack([inside, words == "v", words == "w"]), atol=1e-9)
    raw = np.vstack([A.copy() for _, A in layout.chunks(rows, raw=True)])
    np.testing.assert_array_equal(raw[:, :2], rows.numbers)
    assert layout.labels == (("a", None), ("b", None), ("g", "v"), ("g", "w"))


def test_a_table_with_words_as_codes_stands_for_the_same_matrix():
    rows = block(("u", "v", "w", "unknown"))
    layout = Layout.of(block(), COLUMNS)
    whole = np.vstack([A.copy() for _, A in layout.chunks(rows)])
    ((where, table),) = layout.tables(rows)
    hot = table.codes[0][:, None] == np.arange(table.levels)
    np.testing.assert_array_equal(np.hstack([table.numbers * table.inverse - table.shift, hot]), whole)
    assert where == slice(0, len(rows))


def test_words_alone_have_no_column_for_the_reference():
    rows = Block(np.zeros((6, 0)), (Codes(np.array([0, 0, 0, 1, 2, 1], dtype=np.int32), ("u", "v", MISSING)),))
    layout = Layout.of(rows, Columns((), ("g",), None))
    (_, A), *_ = layout.chunks(rows)
    assert A.tolist() == [[0, 0]] * 3 + [[1, 0], [0, 1], [1, 0]]
    assert layout.levels == (("v", MISSING),)


def test_levels_that_come_late_get_a_column_and_too_many_are_refused():
    layout = Layout.of(block(), COLUMNS)
    later = layout.covering(block(("u", "new")))
    assert later.labels[-1] == ("g", "new")
    assert layout.completed(later.labels).levels == (("new", "v", "w"),)
    many = Block(np.zeros((1200, 2)), (Codes(np.arange(1200, dtype=np.int32), tuple(f"l{k}" for k in range(1200))),))
    with pytest.raises(SourceError, match="more than 1000"):
        layout.covering(many)


def test_values_are_placed_by_label():
    a, b, c = ("a", None), ("b", None), ("c", None)
    assert placed(np.array([1.0, 2.0]), (a, b), (b, c, a)).tolist() == [2.0, 0.0, 1.0]
    assert placed(np.eye(2), (a, b), (b, a), axis=1).tolist() == [[0, 1], [1, 0]]
