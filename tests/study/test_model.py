"""The model that a study leaves predicts tables and keeps to its task."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.study.model import TableModel
from surefit.study.tables.table import TableError
from surefit.study.verdict import certificate_of, holdout_scores
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
    assert number.strange(read_table(rows)) == {"colour": {"violet": 30}}


def test_rows_without_a_known_target_cannot_certify(label):
    with pytest.raises(TableError, match="no row has a target"):
        label.certify(table(30, seed=1).assign(big="perhaps"))


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
