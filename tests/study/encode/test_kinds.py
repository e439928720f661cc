"""What a column is, decided by all of it."""

import numpy as np
import pytest

from surefit.study.encode.kinds import MIXED, as_numbers, kind_of
from surefit.study.encode.words import Style
from surefit.study.tables.table import Dates, Numbers, TableError, Words


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2", "NA"], "number"),
        (["red", "blue"], "category"),
        (["2024-01-01", "2024-01-02"], "date"),
        (["a", "a"], "left out"),
        (["", "NA"], "left out"),
        ([f"name {k}" for k in range(30)], "left out"),
        ([str(k) for k in range(1, 31)], "left out"),
        (["00123", "04567"], "category"),
        ([f"{k:05d}" for k in range(500, 560)] * 2, "category"),
        ([*(f"{k:05d}" for k in range(500, 560)), "?"] * 2, "category"),
        ([*(f"{k:05d}" for k in range(500, 560)), "00512-1234"] * 2, "category"),
        (["x", ""], "category"),
    ],
)
def test_kinds_of_texts(texts, kind):
    assert kind_of(Words.of(texts)).kind == kind


def test_a_few_slips_among_many_numbers_count_as_missing():
    column = Words.of([*map(str, np.arange(100) * 1.5), "oops"])
    kind = kind_of(column)
    assert kind.kind == "number"
    assert kind.stray == ("oops",)
    assert np.isnan(as_numbers(column, kind)[-1])


@pytest.mark.parametrize(
    ("written", "style"),
    [("{},5", Style(comma=True)), ("€{},164.50", Style()), ("{}.5 %", Style(per_cent=True)), ("{} 000", Style())],
)
def test_a_few_slips_among_many_numbers_count_as_missing_however_these_are_written(written, style):
    column = Words.of([*(written.format(k) for k in range(10, 110)), "oops", "see note"])
    kind = kind_of(column)
    assert (kind.kind, kind.style, kind.stray) == ("number", style, ("oops", "see note"))
    assert "2 cells are none (such as 'oops') and count as missing" in kind.reason
    assert np.isnan(as_numbers(column, kind)).sum() == 2


def test_many_words_among_numbers_in_another_notation_stay_words():
    column = Words.of([*(f"{k},5" for k in range(100)), *(f"word {k % 3}" for k in range(9))] * 2)
    assert kind_of(column).kind == "category"


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([f"0{',.'[k % 2]}{k + 100}" for k in range(60)], "left out"),
        ([*(f"0{',.'[k % 2]}{k + 100}" for k in range(60)), "12", "?", "oops"], "left out"),
        (["0,5", "0.5", "1"] * 20, "category"),
        (["1.234,5", "1,234.5"] * 20, "category"),
    ],
)
def test_numbers_in_two_notations_are_words_or_left_out_and_the_reason_says_so(texts, kind):
    found = kind_of(Words.of(texts))
    assert (found.kind, found.reason) == (kind, MIXED)
    assert kind_of(Words.of(texts), "category").reason == "as you say"


@pytest.mark.parametrize(
    "texts",
    [
        ["0,5", "1,234", "2"] * 20,  # all could have a comma
        ["0.5", "0,5", "red"] * 20,  # too many words
        [f"1.{k},{k}" for k in range(30)],  # no numbers
    ],
)
def test_other_texts_with_commas_and_points_are_not_taken_for_two_notations(texts):
    assert kind_of(Words.of(texts)).reason != MIXED


def test_years_are_no_numbering():
    assert kind_of(Numbers(np.arange(1950.0, 2000.0))).kind == "number"


def test_what_is_asked_for_is_taken_where_values_allow_it():
    assert kind_of(Words.of(["1", "2"]), "category").kind == "category"
    assert kind_of(Words.of(["1", "x"]), "number").kind == "number"
    for column, asked in ((Words.of(["x"]), "number"), (Words.of(["x"]), "date"), (Numbers(np.ones(2)), "date")):
        with pytest.raises(TableError, match="it is said to hold"):
            kind_of(column, asked)
    with pytest.raises(TableError, match="no kind of column"):
        kind_of(Words.of(["x"]), "colour")


def test_typed_columns_keep_their_types():
    assert kind_of(Dates(np.array(["2024-01-01", "2024-01-02"], "datetime64[us]"))).kind == "date"
    assert kind_of(Numbers(np.array([1.0, np.nan, 2.0]))).kind == "number"
