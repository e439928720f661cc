"""Tables give columns by name and rows by number."""

import numpy as np
import pytest

from surefit.study.tables.table import Numbers, Table, TableError, Words


def small():
    return Table(("a", "b"), (Words.of(["x", "y", "x"]), Numbers(np.array([1.0, 2.0, np.nan]))), 3)


def test_rows_are_taken_by_number_and_by_mask():
    by_number, by_mask = small().take(np.array([0, 2])), small().take(np.array([True, False, True]))
    assert by_number.n_rows == by_mask.n_rows == 2
    np.testing.assert_array_equal(by_number["a"].codes, by_mask["a"].codes)


def test_an_unknown_name_is_an_error_that_lists_the_others():
    with pytest.raises(TableError, match="its columns are 'a', 'b'"):
        small()["c"]
    with pytest.raises(TableError, match="but 'a'"):
        small()["A"]


def test_prints_depend_on_what_a_cell_says_and_on_nothing_else():
    np.testing.assert_array_equal(Words.of(["x", "y"]).prints()[:1], Words.of(["a", "x"]).prints()[1:])
    np.testing.assert_array_equal(Numbers(np.array([0.0])).prints(), Numbers(np.array([-0.0])).prints())
