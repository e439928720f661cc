"""What the hold-out says: certificate, intervals, calibration, points."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from surefit.study.verdict import certificate_of, holdout_scores, intervals_of, points_of, reliability_of
from surefit.theory.certificates.certificate import Standing, Verdict
from tests.study.samples import prepared, table, winner


def test_the_certificate_says_that_the_hold_out_chose_nothing():
    found = certificate_of(winner(), prepared())
    assert "chose nothing" in found.assumptions[-1].text
    assert found.assumptions[-1].standing is Standing.CHECKED
    assert found.bound >= np.quantile(holdout_scores(winner(), winner().predict(prepared().X_holdout), prepared()), 0.9)


def test_groups_and_times_add_what_cannot_be_checked():
    rows = table().assign(who=np.arange(240) % 40, when=np.arange(240.0))
    for name, word in (("group", "groups"), ("time", "future")):
        column = "who" if name == "group" else "when"
        others = {"big": "left out", "when" if column == "who" else "who": "left out"}
        data = prepare(rows, Settings("y", types=others, **{name: column}))
        found = certificate_of(data.arena.fit_to_all(_ridge()), data).assumptions[-1]
        assert found.standing is Standing.UNVERIFIABLE
        assert word in found.text


def _ridge():
    from tests.study.samples import contest

    return contest()[1][1].entry


def test_a_refused_certificate_says_why_and_promises_nothing():
    class Refusing:
        def certificate(self, X, y, **options):
            raise ValueError("these rows were used in fit")

    found = certificate_of(Refusing(), prepared())
    assert found.statement == "No guarantee: these rows were used in fit."
    assert found.status is Verdict.VACUOUS


def test_an_interval_is_as_wide_as_an_error_of_the_hold_out():
    data = prepared()
    scores = holdout_scores(winner(), winner().predict(data.X_holdout), data)
    found = intervals_of(scores, data)
    assert np.min(np.abs(scores - found.radius)) <= 1e-6 * found.radius
    assert np.mean(scores <= found.radius) >= 0.9
    assert intervals_of(scores[:5], data) is None


def test_rows_that_were_trained_on_or_may_be_copies_promise_nothing_that_the_certificate_does_not():
    """The hold-out is the training rows, or a few rows of it equal some of them."""
    data, model = prepared(), winner()
    same = replace(data, X_holdout=data.X, y_holdout=data.y)
    scores = holdout_scores(model, model.predict(same.X_holdout), same)
    assert certificate_of(model, same).status is Verdict.VACUOUS
    assert np.all(np.isinf(scores))
    assert intervals_of(scores, same) is None
    rows = np.arange(6)
    X, y = data.X_holdout.copy(), data.y_holdout.copy()
    X[rows], y[rows] = data.X[rows], data.y[rows]
    some = replace(data, X_holdout=X, y_holdout=y)
    scores = holdout_scores(model, model.predict(X), some)
    assert np.sum(np.isinf(scores)) == len(rows)
    assert intervals_of(scores, some) is None


def test_points_and_confusion_count_every_hold_out_row():
    data = prepared("big")
    answers = winner("big").predict_proba(data.X_holdout)
    found = points_of(answers, data)
    assert sum(map(sum, found.confusion)) == len(found.observed) == 48
    assert np.trace(found.confusion) == np.sum(answers.argmax(axis=1) == data.y_holdout)


def test_reliability_is_shares_of_what_happened_with_exact_intervals():
    data = prepared("big")
    answers = winner("big").predict_proba(data.X_holdout)
    (found,) = reliability_of(answers, data)
    assert (found.class_name, sum(found.counts)) == ("yes", 48)
    assert np.average(found.observed, weights=found.counts) == pytest.approx(np.mean(data.y_holdout == 1))
    assert all(a <= b <= c for a, b, c in zip(found.low, found.observed, found.high, strict=True))
    assert list(found.predicted) == sorted(found.predicted)
    assert reliability_of(winner().predict(prepared().X_holdout), prepared()) == ()
