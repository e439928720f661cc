"""The winner is fitted, certified once and described; what there is no time for is left out."""

from datetime import UTC, datetime

import numpy as np
import pytest

from surefit.study.conclude import conclude
from surefit.study.contest.clock import Clock
from tests.study.samples import contest, prepared

ABOUT = (datetime(2026, 1, 2, tzinfo=UTC), "surefit fit table.csv --target y")


@pytest.fixture(scope="module")
def concluded():
    data, runs, board = contest()
    return data, *conclude(data, runs, board, Clock(), ABOUT)


def test_model_and_record_are_of_the_winner(concluded):
    data, model, result = concluded
    assert (model.family, result.winner.name, result.leaderboard.winner) == ("ridge",) * 3
    assert model.certificate == result.certificate
    assert result.headline == result.certificate.statement
    error = data.y_holdout - model.predict(data.holdout_table)
    assert result.winner.holdout_score == pytest.approx(np.sqrt(np.mean(error**2)))
    assert result.machine.command == ABOUT[1]
    assert {one.column for one in result.coefficients.table} == {"x", "colour", "z"}


def test_with_time_there_are_a_learning_curve_and_columns_that_matter(concluded):
    _, _, result = concluded
    assert result.learning_curve.n_rows[-1] <= 192
    assert result.importances[0].column == "x"


def test_without_time_what_is_not_needed_is_left_out():
    data, runs, board = contest()
    _, result = conclude(data, runs, board, Clock(1e-9), ABOUT)
    assert result.learning_curve is None
    assert result.importances == ()
    assert "no time" in result.coefficients.inference
    assert result.certificate.bound > 0


def test_a_threshold_is_stored_with_the_model():
    _, runs, board = contest("big")
    data = prepared("big", recall=0.8)
    model, result = conclude(data, runs, board, Clock(1e-9), ABOUT)
    assert model.threshold == result.threshold.threshold
    called = model.predict_proba(data.holdout_table)[:, 1] >= model.threshold
    assert (model.predict(data.holdout_table) == "yes").tolist() == called.tolist()
