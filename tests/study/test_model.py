"""The model that a study leaves predicts tables and keeps to its task."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from surefit.study.model import TableModel
from surefit.study.tables.table import TableError
from surefit.study.verdict import certificate_of, holdout_scores
from surefit.warnings import OutsideWarning, UnreadableWarning
from tests.study.samples import prepared, table, winner


def model_of(target):
    data, fitted = prepared(target), winner(target)
    answers = data.arena.answers(fitted, data.X_holdout)
    return TableModel(
        data.encoder, fitted, data.target, certificate_of(fitted, data), holdout_scores(fitted, answers, data), "ridge"
    )


@pytest.fixture(scope="module")
def number():
    return model_of("y")


@pytest.fixture(scope="module")
def label():
    return model_of("big")


def test_predictions_do_not_hang_on_other_columns_or_their_order(number):
    rows = table(seed=1)
    np.testing.assert_array_equal(number.predict(rows), number.predict(rows[["colour", "z", "x"]]))
    with pytest.raises(TableError, match="lacks the column 'z'"):
        number.predict(rows[["x", "colour"]])


def test_a_wider_promise_makes_wider_intervals(number):
    rows = table(20, seed=1)
    widths = [number.predict_interval(rows, coverage, method).width[0]
              for coverage, method in ((0.5, "split"), (0.8, "split"), (0.8, "pac"))]  # fmt: skip
    assert widths == sorted(widths)
    assert widths[0] < widths[1]
    with pytest.raises(ValueError, match="'pac' or 'split'"):
        number.predict_interval(rows, 0.9, "guess")


def test_numbers_have_no_classes_and_classes_no_intervals(number, label):
    for call in (number.predict_proba, number.predict_set):
        with pytest.raises(TableError, match="is a number"):
            call(table())
    with pytest.raises(TableError, match="has classes"):
        label.predict_interval(table())


def test_sets_grow_with_their_coverage(label):
    rows = table(60, seed=1)
    small, large = (label.predict_set(rows, coverage, "split").size for coverage in (0.6, 0.95))
    assert np.all(small <= large)
    assert small.sum() < large.sum()


def test_what_it_says_of_itself(number, label):
    assert repr(number) == "TableModel: ridge for 'y' (numbers) from 3 columns"
    facts = number.explained()
    coefficients = facts["coefficients, per unit of the column"]
    assert max(coefficients, key=lambda name: abs(coefficients[name])) == "x"
    assert facts["target"] == "y, regression"
    assert "coefficients, per unit of the column" not in label.explained()


def test_unknown_levels_are_counted(number):
    from surefit.study.tables.read import read_table

    rows = table(30, seed=1).assign(colour="violet")
    assert number.strange(read_table(rows)) == number.strange(rows) == {"colour": {"violet": 30}}


def test_what_is_strange_or_unreadable_is_found_in_what_predict_takes(number, tmp_path):
    rows = table(30, seed=1).assign(colour="violet", z="much")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    for one in (rows, tmp_path / "rows.csv", str(tmp_path / "rows.csv")):
        assert number.strange(one) == {"colour": {"violet": 30}}
        assert number.unreadable(one)["z"].count == 30
        assert [(way.what, way.count) for way in number.outside(one)["colour"]] == [("unknown", 30)]


def test_rows_like_those_of_the_fit_are_predicted_without_a_warning(number, label, recwarn):
    rows = table(seed=1)
    number.predict(rows)
    number.predict_interval(rows)
    label.predict_proba(rows)
    label.predict_set(rows)
    assert number.outside(rows) == {}
    assert not [one for one in recwarn if issubclass(one.category, (OutsideWarning, UnreadableWarning))]


def test_every_kind_of_prediction_warns_once_of_rows_unlike_the_fit(number, label):
    rows = table(12, seed=1).assign(colour="violet", z=1e9)
    for call in (number.predict, number.predict_interval, label.predict, label.predict_proba, label.predict_set):
        with pytest.warns(OutsideWarning) as found:
            call(rows)
        assert len(found) == 1
        assert found[0].filename == __file__
        assert "column 'z': 12 rows lie far outside what the model was fitted to" in str(found[0].message)
        assert "column 'colour': 12 rows have a level that the fit did not have, such as 'violet'" in str(
            found[0].message
        )


def test_single_cells_that_are_no_numbers_are_warned_about(number):
    rows = table(12, seed=1).astype({"z": object})
    rows.loc[3, "z"] = "much"
    with pytest.warns(UnreadableWarning, match="column 'z': 1 cell is no number, such as 'much'"):
        number.predict(rows)


def test_a_table_without_rows_is_refused(number):
    with pytest.raises(TableError, match="the table has no rows; give at least one"):
        number.predict(table()[:0])


def test_rows_without_a_known_target_cannot_certify(label):
    with pytest.raises(TableError, match="no row has a target"):
        label.certify(table(30, seed=1).assign(big="perhaps"))


def test_rows_of_an_unknown_class_count_as_errors(label):
    """They were left out, and the bound was about the others without saying so."""
    rows = table(100, seed=5)
    rows.loc[::4, "big"] = "perhaps"
    found = label.certify(rows)
    assert found.inputs["n"] == 100
    assert found.empirical == np.mean(label.predict(rows) != rows["big"])
    said = [one.evidence for one in found.assumptions]
    assert "25 of 100 held-out rows have labels that were not in fit: 'perhaps'" in said


def test_rows_left_out_of_a_certificate_are_an_assumption_of_it(number, label):
    rows = table(100, seed=5)
    assert "rows left out" not in str(label.certify(rows))
    rows.loc[::10, "big"] = None
    rows["y"] = np.where(np.arange(100) % 10 == 3, np.inf, rows["y"])
    for model in (number, label):
        *_, last = model.certify(rows).assumptions
        assert "rows left out, whose target is missing or no number" in str(last)
        assert "10 of the 100 rows" in str(last)


def test_where_a_threshold_answers_other_rows_judge_it_and_not_the_likelier_class(label):
    rows = table(seed=5)
    strict = replace(label, threshold=0.9)
    truth = np.where(rows["big"] == "yes", "yes", "no")
    found, plain = strict.certify(rows), label.certify(rows)
    assert found.empirical == np.mean(strict.predict(rows) != truth)
    assert plain.empirical == np.mean(label.predict(rows) != truth)
    assert found.empirical > plain.empirical


def test_intervals_are_refused_where_rows_of_the_hold_out_may_be_copies(number):
    copied = replace(number, scores=np.r_[np.arange(40.0), np.full(8, np.inf)])
    with pytest.raises(TableError, match=r"8 of 48 rows of the hold-out equal training rows, too many for 0.9"):
        copied.predict_interval(table())
    assert np.all(np.isfinite(copied.predict_interval(table(), 0.5).width))


@pytest.mark.filterwarnings("ignore::surefit.warnings.OutsideWarning")
def test_a_number_that_could_be_another_is_told_of_alone_and_in_a_batch_alike(number):
    rows = table(2, seed=1).astype({"x": object})
    rows["x"] = ["1,234", "5"]
    for few in (rows, rows[:1]):
        with pytest.warns(UnreadableWarning, match="column 'x': '1,234' was read as 1234, and could be 1.234;"):
            number.predict(few)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnreadableWarning)
        number.predict(rows.assign(x=["1,234", "0.5"]))


def test_a_target_that_could_be_another_number_is_told_of_where_it_is_judged_and_nowhere_else(number):
    rows = table(60, seed=1).astype({"y": object})
    rows["y"] = "1,234"
    with pytest.warns(UnreadableWarning, match="column 'y': '1,234' was read as 1234"):
        number.certify(rows, equal_rows_are_draws=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnreadableWarning)
        number.predict(rows)


def test_targets_that_are_no_numbers_are_named_where_rows_are_certified(number):
    rows = table(60, seed=1).astype({"y": str})
    rows.loc[:2, "y"], rows.loc[3, "y"] = "<0.28", ""
    with pytest.warns(UnreadableWarning, match="column 'y': 3 cells are no numbers, such as '<0.28', and count as mis"):
        number.certify(rows)
