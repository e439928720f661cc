"""Standard errors on rows in which nothing was chosen."""

import numpy as np
import pytest

from surefit.estimators.least_squares import LeastSquares
from surefit.study.contest.candidates import entries
from surefit.study.contest.compete import Arena
from surefit.study.inference import errors_of


def arena(seed, classes=(), n=200, d=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    signal = 2 * X[:, 0] + rng.normal(size=n)
    return Arena(X, 1.0 * (signal > 0) if classes else signal, None, [], classes)


def entry(name, task="regression"):
    return next(one for one in entries(task, 200, 8) if one.name == name)


def test_the_other_half_gives_errors_of_what_one_half_chose():
    found = errors_of(arena(0), entry("lasso"), None, None, 0)
    assert found.n_rows == 100
    assert 0 in found.estimate
    assert found.low[0] < 2 < found.high[0]
    assert found.p_value[0] < 1e-9
    assert "in which nothing was chosen" in found.sentence


@pytest.mark.verify
def test_columns_of_noise_are_rarely_significant(protocol):
    """Each p value of a null column is below .05 with probability .05; more often than is allowed in 1e-4 of runs."""
    values = []
    for seed in range(protocol.of(12, 100)):
        found = errors_of(arena(seed, n=100, d=4), entry("lasso"), None, None, seed)
        values += [p for j, p in found.p_value.items() if j != 0]
    assert values
    assert np.sum(np.array(values) < 0.05) <= protocol.allowed(len(values))


def test_least_squares_has_its_own_rows_and_ridge_none():
    rows = arena(0)
    model = LeastSquares().fit(rows.X, rows.y)
    found = errors_of(rows, entry("least squares"), model, None, 0)
    np.testing.assert_allclose(list(found.estimate.values()), model.coef_)
    assert errors_of(rows, entry("ridge"), None, None, 0).estimate == {}
    assert "not independent" in errors_of(rows, entry("lasso"), None, np.arange(200) // 2, 0).sentence


@pytest.mark.parametrize("classes", [("no", "yes")])
def test_two_classes_have_log_odds(classes):
    found = errors_of(arena(0, classes), entry("logistic lasso", "classification"), None, None, 0)
    assert "log-odds" in found.sentence
    assert found.low[0] > 0
