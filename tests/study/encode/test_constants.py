"""Columns with one value in the fit: another value in new rows is spoken of."""

import json

import numpy as np
import pytest

from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import kinds_of
from surefit.study.encode.outside import Remarks
from surefit.study.tables.table import Dates, Numbers, Table, Words

NUMBERS = Numbers(np.linspace(0.2, 5.0, 50) ** 1.1)


def said(training, new):
    """The sentences about the column ``c`` of new rows."""
    rows, later = (Table(("c",), (column,), len(column.missing)) for column in (training, new))
    encoder, remarks = Encoder.of(rows, kinds_of(rows, {}), ["c"]), Remarks()
    remarks.add(encoder.unreadable(later), encoder.outside(later))
    return remarks.of_cells() + remarks.of_rows()


CONSTANTS = {
    "category": (Words.of(["DE"] * 30), Words.of(["DE", None]), Words.of(["DE", "FR", "FR"]), "'FR'", "'DE'"),
    "truth": (Words.of(["True"] * 30), Words.of(["true"]), Words.of(["true", "false", "false"]), "'false'", "'True'"),
    "number": (Numbers(np.full(30, 0.1)), Numbers(np.array([np.float32(0.1), np.nan])), Words.of(["0.1", "0.2", "3"]),
               "'0.2'", "'0.1'"),
    "whole number": (Words.of(["5.0"] * 30), Numbers(np.array([5.0])), Numbers(np.array([6.0, 5, 7])), "'6'", "'5'"),
    "long number": (Numbers(np.full(30, 2.0**52)), Words.of([str(2**52)]), Numbers(2.0**52 + np.array([0.0, 1.0, 2.0])),
                    "'4503599627370497'", "'4503599627370496'"),
    "date": (Words.of(["2024-05-01"] * 30), Dates(np.array(["2024-05-01", "NaT"], dtype="datetime64[us]")),
             Words.of(["2024-05-01", "2024-05-02", "2024-05-01 12:30"]), "'2024-05-02'", "'2024-05-01'"),
}  # fmt: skip


@pytest.mark.parametrize("form", CONSTANTS)
def test_another_value_in_a_column_that_had_only_one_is_spoken_of(form):
    """The model does not know the column: it answered rows of another country in silence."""
    training, same, new, example, own = CONSTANTS[form]
    assert said(training, same) == []
    assert said(training, new) == [
        f"column 'c': 2 rows have another value ({example}) than every row of the fit ({own}), and are predicted as if "
        "there were no difference; no interval, set of classes or certificate covers them"
    ]


def test_a_table_may_lack_a_column_that_had_one_value():
    rows = Table(("c", "x"), (Words.of(["DE"] * 50), NUMBERS), 50)
    encoder = Encoder.of(rows, kinds_of(rows, {}), ["c", "x"])
    assert [one.name for one in encoder.constants] == ["c"]
    alone = Table(("x",), (NUMBERS,), 50)
    np.testing.assert_array_equal(encoder.encode(alone), encoder.encode(rows))
    assert list(encoder.outside(alone)) == ["x"]
    assert Encoder.from_dict(json.loads(json.dumps(encoder.as_dict()))) == encoder
