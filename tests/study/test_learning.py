"""Learning curves and columns that matter, on a truth that is known."""

import numpy as np

from surefit.study.contest.candidates import entries
from surefit.study.contest.clock import Clock
from surefit.study.contest.compete import Arena
from surefit.study.contest.metrics import RMSE
from surefit.study.learning import importances, learning_curve


def arena(n=240):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    part = np.arange(n) % 3
    folds = [(np.flatnonzero(part != j), np.flatnonzero(part == j)) for j in range(3)]
    return Arena(X, 3 * X[:, 0] + X[:, 1] + rng.normal(size=n), None, folds)


def test_errors_fall_with_rows_and_columns_matter_by_their_size():
    rows, ridge = arena(), entries("regression", 240, 10)[1]
    curve, models = learning_curve(rows, ridge, RMSE, Clock(), np.inf)
    assert curve.n_rows == (20, 40, 80, 160)
    assert curve.scores[0] > curve.scores[-1]
    assert curve.at_double <= curve.scores[-1]
    assert len(models) == 3
    found = importances(rows, models, ["big", "small", *["none"] * 8], RMSE, Clock(), np.inf)
    assert [one.column for one in found] == ["big", "small", "none"]
    assert found[0].increase > 5 * abs(found[2].increase)


def test_without_time_there_is_neither():
    rows, ridge = arena(), entries("regression", 240, 10)[1]
    assert learning_curve(rows, ridge, RMSE, Clock(), 0.0) == (None, [])
    assert importances(rows, [], ["a"] * 10, RMSE, Clock(), -1.0) == ()
