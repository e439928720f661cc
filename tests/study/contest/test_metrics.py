"""Scores are what their names say."""

import numpy as np
import pytest

from surefit.study.contest.metrics import ERROR_RATE, LOG_LOSS, MAE, RMSE, measure_of


def test_scores_of_a_regression():
    y, answers = np.array([0.0, 2.0]), np.array([1.0, -1.0])
    assert RMSE.score(RMSE.losses(y, answers)) == pytest.approx(np.sqrt(5))
    assert MAE.score(MAE.losses(y, answers)) == 2
    assert MAE.score(MAE.losses(y, answers), np.array([3.0, 1.0])) == 1.5


def test_scores_of_a_classification():
    y, answers = np.array([0.0, 1.0]), np.array([[0.5, 0.5], [1.0, 0.0]])
    assert ERROR_RATE.score(ERROR_RATE.losses(y, answers)) == 0.5
    assert np.isfinite(LOG_LOSS.score(LOG_LOSS.losses(y, answers)))


def test_a_metric_of_another_task_is_refused():
    with pytest.raises(ValueError, match="rmse or mae"):
        measure_of("regression", "log-loss")
