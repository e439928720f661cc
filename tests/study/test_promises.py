"""Sets of classes and thresholds keep what they say on the rows they come from."""

import numpy as np
import pytest

from surefit.study.declared import Declared
from surefit.study.promises import class_scores, class_sets_of, threshold_of
from tests.study.samples import prepared, winner


@pytest.fixture(scope="module")
def answers():
    return winner("big").predict_proba(prepared("big").X_holdout)


def scores(answers, data):
    return np.sort(class_scores(answers, data.y_holdout))


def test_the_likeliest_class_is_not_strange():
    sure = np.array([[0.1, 0.9], [0.9, 0.1], [0.6, 0.4]])
    found = class_scores(sure, np.array([1.0, 0.0, 1.0]))
    np.testing.assert_array_equal(found[:2], 0.0)
    assert found[2] > 0


def test_sets_hold_the_class_of_as_many_hold_out_rows_as_promised(answers):
    data = prepared("big", coverage=0.8)
    found = class_sets_of(scores(answers, data), answers, data)
    inside = answers[np.arange(len(data.y_holdout)), data.y_holdout.astype(int)] >= found.threshold - 1e-12
    assert np.mean(inside | (answers.argmax(axis=1) == data.y_holdout)) >= 0.8
    assert 1.0 <= found.mean_size <= 2.0


def test_too_few_rows_promise_nothing(answers):
    data = prepared("big", coverage=0.99)
    assert class_sets_of(scores(answers, data), answers, data) is None


def test_a_threshold_finds_the_share_and_is_about_the_event(answers):
    assert threshold_of(np.zeros(48), answers, prepared("big")) is None
    for event in ("yes", "no"):
        data = prepared("big", recall=0.7, event=event)
        own = answers if event == "yes" else answers[:, ::-1]
        found = threshold_of(scores(own, data), own, data)
        assert found.class_name == event
        positive = data.y_holdout == 1
        assert np.mean(own[positive, -1] >= found.threshold) >= 0.7
        assert repr(event) in found.statement


def test_a_recall_that_cannot_be_promised_says_so(answers):
    found = threshold_of(np.zeros(48), answers, prepared("big", recall=0.999))
    assert np.isnan(found.threshold)
    assert found.statement.startswith("No threshold can be promised")
    copies = threshold_of(np.full(48, np.inf), answers, prepared("big", recall=0.7))
    assert np.isnan(copies.threshold)
    assert "rows of the hold-out equal training rows" in copies.statement


@pytest.mark.parametrize("declared", [Declared(groups=np.arange(48)), Declared(refused="errors change with time")])
def test_no_recall_is_promised_of_groups_or_of_a_time_that_changes(answers, declared):
    data = prepared("big", recall=0.7)
    found = threshold_of(scores(answers, data), answers, data, declared)
    assert np.isnan(found.threshold)
    assert found.statement.startswith("No threshold can be promised: ")
    later = Declared(later="Only if nothing has changed.")
    assert threshold_of(scores(answers, data), answers, data, later).statement.endswith("Only if nothing has changed.")
