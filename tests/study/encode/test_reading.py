"""A later table is read as it is written: decimal points and commas, whole or in blocks."""

import numpy as np
import pytest

from surefit.study.encode.kinds import NUMBER, Kind, as_numbers, kinds_of
from surefit.study.encode.reading import Reading
from surefit.study.encode.words import Style, style_of
from surefit.study.tables.table import Table, TableError, Words

POINT, COMMA = Kind(NUMBER, "", Style()), Kind(NUMBER, "", Style(comma=True))


def table(decimal_comma=None, **columns):
    words = tuple(Words.of(texts) for texts in columns.values())
    return Table(tuple(columns), words, len(words[0].codes), decimal_comma=decimal_comma)


def read(kinds, fitted_in, rows):
    found = Reading(kinds, fitted_in)(rows)
    return [as_numbers(found[name], kind).tolist() for name, kind in kinds.items()]


@pytest.mark.parametrize("kind", [POINT, COMMA])
def test_the_texts_of_a_column_decide(kind):
    assert read({"a": kind}, None, table(a=["1,5", "1.234,5", "7"])) == [[1.5, 1234.5, 7.0]]
    assert read({"a": kind}, None, table(a=["1.5", "1,234.5", "7"])) == [[1.5, 1234.5, 7.0]]


def test_a_group_of_thousands_does_not_begin_with_zero():
    assert style_of(["0,612", "-0,034"]) == Style(comma=True)
    assert read({"a": COMMA}, True, table(True, a=["0.612"])) == [[0.612]]


def test_another_column_that_is_written_the_other_way_decides_for_one_that_could_be_either():
    kinds = {"a": POINT, "b": POINT}
    assert read(kinds, False, table(True, a=["1,234"], b=["0,5"])) == [[1.234], [0.5]]
    assert read(kinds, False, table(False, a=["1,234"], b=["0.5"])) == [[1234.0], [0.5]]


def test_without_a_sign_of_change_a_number_is_what_it_was_in_the_fit():
    assert read({"a": COMMA}, False, table(False, a=["1,234"])) == [[1.234]]  # fitted to tabs and decimal commas
    assert read({"a": COMMA}, True, table(None, a=["1.234"])) == [[1234.0]]
    assert read({"a": POINT, "b": COMMA}, True, table(True, a=["1.234"], b=["0,5"])) == [[1.234], [0.5]]


def test_without_any_sign_the_kind_of_file_decides_as_in_a_fit():
    assert read({"a": POINT}, False, table(True, a=["1,234"])) == [[1.234]]
    assert read({"a": COMMA}, True, table(False, a=["1,234"])) == [[1234.0]]


def test_reading_twice_is_reading_once():
    once = Reading({"a": COMMA}, True)(table(False, a=["1,234"]))
    assert read({"a": COMMA}, True, once) == [[1234.0]]


def test_a_block_holds_for_later_ones_and_may_not_be_contradicted():
    reading = Reading({"a": POINT}, False)
    reading(table(True, a=["0,5", "2,5"]))
    assert as_numbers(reading(table(True, a=["1,234", None]))["a"], POINT)[0] == 1.234
    with pytest.raises(TableError, match="column 'a' was read with a decimal comma, and later rows have a decimal poi"):
        reading(table(True, a=["0.5", "2.5", "3.5"]))


def test_missing_cells_and_slips_stay_what_they_are():
    (found,) = read({"a": POINT}, False, table(True, a=["0,5", ".", "soon", None, "2,25"]))
    np.testing.assert_array_equal(found, [0.5, np.nan, np.nan, np.nan, 2.25])


def test_the_way_of_the_fit_is_kept_unless_no_cell_needs_it_and_some_need_the_other():
    (mixed,) = read({"a": COMMA}, None, table(a=["0,5", "5.5", "6.5"]))
    np.testing.assert_array_equal(mixed, [0.5, np.nan, np.nan])
    assert read({"a": COMMA}, None, table(a=["1.234,5", "782.761"])) == [[1234.5, 782761.0]]
    assert read({"a": COMMA}, None, table(a=["782.761", "1033.722"])) == [[782.761, 1033.722]]


def test_a_block_read_in_the_other_way_may_have_slips_and_no_more():
    reading = Reading({"a": POINT}, False)
    reading(table(a=["0,5", "2,5"]))
    np.testing.assert_array_equal(as_numbers(reading(table(a=["1.5", "7,5"]))["a"], POINT), [np.nan, 7.5])


def doubts(kinds, rows, fitted_in=None):
    found = Reading(kinds, fitted_in)(rows).doubts
    return {name: sentence.partition(";")[0].partition(": ")[2] for name, sentence in found.items()}


def test_a_cell_that_could_be_another_number_is_doubted_where_no_cell_decides():
    as_thousands, as_decimals = (f"'782{sign}761' was read as 782761, and could be 782.761" for sign in ".,")
    assert doubts({"a": COMMA}, table(a=["782.761", "7"])) == {"a": as_thousands}
    assert doubts({"a": COMMA}, table(a=["782,761", "5.5"])) == {"a": as_decimals}
    assert doubts({"a": COMMA, "b": COMMA}, table(a=["782,761"], b=["5.5"])) == {"a": as_decimals}
    assert doubts({"a": POINT}, table(True, a=["1,234"]), False) == {
        "a": "'1,234' was read as 1.234, and could be 1234"
    }


@pytest.mark.parametrize("cells", [["782,761"], ["782.761", "0,5"], ["782.761", "5.5"], ["782,761", "1,234.5"], ["7"]])
def test_there_is_no_doubt_where_a_cell_is_written_as_in_the_fit_or_others_decide(cells):
    assert doubts({"a": COMMA}, table(a=cells)) == {}


def test_what_is_advised_leaves_no_doubt():
    for cells, advised in (["782.761"], "write 782761 or 782,7610,"), (["782,761", "5.5"], "write 782761 or 782.7610,"):
        found = Reading({"a": COMMA}, True)(table(a=cells)).doubts["a"]
        assert advised in found
        for cell in advised.rstrip(",").split()[1::2]:
            assert doubts({"a": COMMA}, table(a=[cell, *cells[1:]])) == {}


def test_columns_beside_decide_without_doubt_and_a_table_read_once_keeps_its_doubts():
    assert doubts({"a": COMMA, "b": COMMA}, table(a=["782.761"], b=["0,5"])) == {}
    once = Reading({"a": COMMA}, True)(table(a=["782.761"]))
    assert Reading({"a": COMMA}, True)(once.take([0])).doubts == once.doubts != {}


@pytest.mark.parametrize("form", ["{:,}", "$ {:,}"])
@pytest.mark.parametrize("comma", [False, True])
def test_thousands_that_the_fit_read_without_doubt_are_none_in_new_rows(form, comma):
    """Every batch of rows like those of the fit was warned of."""
    numbers = np.random.default_rng(0).integers(100, 90_000, 400)
    shown = [form.format(one) for one in numbers], [f"{one:.1f}" for one in numbers / 7]
    texts = [one.translate(str.maketrans(",.", ".,")) if comma else one for column in shown for one in column]
    rows = table(comma, price=texts[:400], share=texts[400:])
    kind = kinds_of(rows, {})["price"]
    assert kind.threes
    later = Reading({"price": kind}, comma)(table(price=texts[:1]))
    assert as_numbers(later["price"], kind) == numbers[:1]
    assert not later.doubts
