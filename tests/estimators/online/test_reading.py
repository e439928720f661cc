"""Blocks of rows as numbers: text becomes NaN and is remembered, nothing else changes, and Ctrl-C waits."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit.estimators.online.reading import (
    Text,
    is_named,
    pieces,
    targets_without_text,
    uninterrupted,
    without_text,
)

NUMBERS = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("X", [NUMBERS, sparse.csr_array(NUMBERS), NUMBERS.tolist(), pd.DataFrame(NUMBERS)], ids=type)
def test_rows_without_text_are_handed_on_as_they_are(X):
    found, texts = without_text(X)
    assert found is X
    assert texts == {}


def test_text_becomes_nan_and_the_first_of_each_row_is_kept():
    rows = [[1.0, "red"], [2.0, 3.0], ["4", "blue"]]
    found, texts = without_text(rows)
    assert texts == {0: Text(1, "red"), 2: Text(0, "4")}
    np.testing.assert_array_equal(np.asarray(found, dtype=float), [[1, np.nan], [2, 3], [np.nan, np.nan]])
    assert rows[0][1] == "red"


def test_columns_of_a_frame_are_named_and_the_frame_stays_as_it_was():
    frame = pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", 5.0], "mark": ["x", 6.0]})
    found, texts = without_text(frame)
    assert texts == {0: Text("colour", "red")}
    np.testing.assert_array_equal(found.to_numpy(dtype=float), [[1, np.nan, np.nan], [2, 5, 6]])
    assert frame["colour"].tolist() == ["red", 5.0]


def test_numbers_written_as_text_are_text():
    assert without_text(np.array([["1.5", "2"]]))[1] == {0: Text(0, "1.5")}
    found, texts = targets_without_text(["1.5", 2.0])
    assert texts == {0: Text(None, "1.5")}
    np.testing.assert_array_equal(np.asarray(found, dtype=float), [np.nan, 2.0])


def test_rows_of_different_lengths_are_left_to_the_validation():
    ragged = [[1.0, "a"], [2.0]]
    assert without_text(ragged) == (ragged, {})


def test_pieces_put_together_are_the_block():
    X, y = np.arange(14.0).reshape(7, 2), np.arange(7)
    found = list(pieces(X, y, size=3))
    assert [len(part) for _, part in found] == [3, 3, 1]
    np.testing.assert_array_equal(np.vstack([rows for rows, _ in found]), X)
    with pytest.raises(ValueError, match="X has 7 rows and y 6 targets"):
        next(pieces(X, y[:6]))


def test_only_lists_of_dictionaries_are_named():
    assert is_named([{"a": 1.0}, {"b": 2.0}])
    assert not any(map(is_named, ([], [[1.0]], [{"a": 1.0}, [2.0]], {"a": 1.0})))


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_inside_is_raised_at_the_end():
    done, before = [], signal.getsignal(signal.SIGINT)

    def learn():
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("learnt and counted")

    with pytest.raises(KeyboardInterrupt):
        learn()
    assert done == ["learnt and counted"]
    assert signal.getsignal(signal.SIGINT) is before
