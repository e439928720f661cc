"""What the hold-out says: certificate, intervals, calibration, points."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from surefit.study.verdict import (
    certificate_of,
    declared_of,
    holdout_scores,
    intervals_of,
    points_of,
    reliability_of,
)
from surefit.theory.certificates.certificate import Standing, Verdict
from tests.study.samples import prepared, table, winner


def test_the_certificate_says_that_the_hold_out_chose_nothing():
    found = certificate_of(winner(), prepared())
    assert "chose nothing" in found.assumptions[-1].text
    assert found.assumptions[-1].standing is Standing.CHECKED
    assert found.bound >= np.quantile(holdout_scores(winner(), winner().predict(prepared().X_holdout), prepared()), 0.9)


def divided(name, test=None, **changes):
    """The table with 120 groups or with times, half of it held out, and what its hold-out says."""
    rows = table().assign(who=np.arange(240) % 120, when=np.arange(240.0), **changes)
    column, other = ("who", "when") if name == "group" else ("when", "who")
    asked = Settings("y", types={"big": "left out", other: "left out"}, holdout=0.5, **{name: column})
    data = prepare(rows, asked, None if test is None else rows.assign(**test))
    model = data.arena.fit_to_all(_ridge())
    found, answers = certificate_of(model, data), data.arena.answers(model, data.X_holdout)
    scores, declared = holdout_scores(model, answers, data), declared_of(found, answers, data)
    return data, found, scores, declared


def test_groups_count_as_one_draw_each_in_certificate_and_intervals():
    data, found, scores, declared = divided("group")
    K = len(np.unique(data.holdout_groups))
    assert found.inputs["draws"] == len(np.unique(declared.groups)) == K
    assert f"{K} held-out groups" in found.statement
    intervals = intervals_of(scores, data, declared)
    assert intervals.statement.startswith(f"With 95 % confidence over the draw of the {K} held-out groups")
    assert "rows, at least" not in intervals.statement
    few = replace(data, settings=replace(data.settings, coverage=0.99))
    assert intervals_of(scores, few, declared) is None


def test_times_are_tested_and_later_rows_are_promised_something_only_if_nothing_changed():
    data, found, scores, declared = divided("time")
    assert found.assumptions[-2].standing is Standing.TESTED
    for text in (found.statement, intervals_of(scores, data, declared).statement):
        assert text.endswith("from 120 to 239: it holds for later rows only if nothing has changed since.")


def test_where_errors_change_with_time_nothing_is_promised_of_later_rows():
    walk = np.cumsum(np.random.default_rng(3).normal(1.0, 1.0, 240))
    data, found, scores, declared = divided("time", y=walk**2)
    assert found.status is Verdict.VACUOUS
    assert found.statement.startswith("No guarantee for a later time")
    assert "change with time" in declared.refused
    assert intervals_of(scores, data, declared) is None


@pytest.mark.parametrize(("name", "said"), [("group", "nothing of new groups"), ("time", "nothing of a later time")])
def test_rows_to_test_on_that_are_of_trained_groups_or_times_promise_nothing(name, said):
    fresh = table(seed=7)
    data, found, scores, declared = divided(name, {"x": fresh["x"], "z": fresh["z"], "y": fresh["y"]})
    assert said in found.statement
    assert said in declared.refused
    assert intervals_of(scores, data, declared) is None


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
