"""The hold-out is set aside before the encoder learns; a sample leaves it alone."""

import numpy as np
import pandas as pd
import pytest

from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from surefit.study.tables.table import TableError
from tests.study.samples import table


def frame(n=100):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=n), "g": np.arange(n) // 5, "w": 1.0, "y": rng.normal(size=n)})


def test_a_sample_has_its_own_folds_and_the_same_hold_out():
    data = prepare(frame(), Settings("y", group="g"))
    some = data.sampled(40)
    assert len(some.y) == len(some.X) == len(some.prints) == len(some.groups) == 40
    np.testing.assert_array_equal(some.y_holdout, data.y_holdout)
    np.testing.assert_array_equal(frame()["y"].to_numpy()[some.division.training], some.y)
    assert sorted(np.concatenate([test for _, test in some.folds])) == list(range(40))
    assert data.sampled(10_000) is data


@pytest.mark.parametrize(("options", "said"), [
    ({"group": "y"}, "is the target and cannot be something else"),
    ({"types": {"x": "date"}}, "said to hold dates"),
    ({"types": dict.fromkeys("xgw", "left out")}, "no column is left"),
])  # fmt: skip
def test_what_cannot_be_prepared_is_refused(options, said):
    with pytest.raises(TableError, match=said):
        prepare(frame(), Settings("y", **options))


def test_classes_that_are_too_rare_are_left_out_and_named():
    rows = frame().assign(y=["rare", *["a", "b", "c"] * 33])
    target = prepare(rows, Settings("y")).target
    assert target.classes == ("a", "b", "c")
    assert target.reason == "its 4 values are words; 'rare' has fewer than 3 rows and no part in it"
    rows.loc[:1, "y"] = ["rare", "odd"]
    assert "'odd', 'rare' have fewer than 3 rows" in prepare(rows, Settings("y")).target.reason


def test_weights_must_be_weights():
    bad = frame().assign(w=-1.0)
    with pytest.raises(TableError, match=r"weights in 'w'"):
        prepare(bad.assign(w=np.linspace(-1, 1, 100)), Settings("y", weights="w"))


@pytest.mark.parametrize("cell", ["x", "inf", "-1", ""])
def test_a_cell_that_is_no_weight_is_refused_wherever_its_row_is(cell):
    """One row in five is held out."""
    for row in range(20):
        frame = table(100).assign(w="1")
        frame.loc[row, "w"] = cell
        with pytest.raises(TableError, match=r"weights in 'w' must be numbers"):
            prepare(frame, Settings("y", weights="w"))


def test_a_table_to_test_on_may_have_no_unknown_class():
    """Its rows were left out, and the certificate was about the others without saying so."""
    rows, other = table(120), table(60, seed=1)
    other.loc[:6, "big"] = "perhaps"
    with pytest.raises(TableError, match="7 of 60 rows of the table to test on have a class such as 'perhaps'"):
        prepare(rows, Settings("big"), other)


def test_rows_to_test_on_that_have_no_target_are_counted():
    rows, other = table(120), table(60, seed=1)
    other.loc[:6, "y"] = np.nan
    data = prepare(rows, Settings("y"), other)
    assert len(data.y_holdout) == 53
    assert "the 53 of 60 rows of a pandas DataFrame that have a usable target" in data.division.sentence
