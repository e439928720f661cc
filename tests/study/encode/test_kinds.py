"""What a column is, decided by all of it."""

import numpy as np
import pytest

from surefit.study.encode.kinds import as_numbers, kind_of
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
