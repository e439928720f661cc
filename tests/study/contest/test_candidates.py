"""Who competes: by task and by size, each with a plan."""

import warnings

import numpy as np
import pytest

from surefit.estimators.robust import RobustRegression
from surefit.study.contest.candidates import EXACT_ROWS, SVR_ROWS, by_cost, entries, without_spikes
from surefit.study.contest.metrics import MAE, RMSE


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("n", [100, EXACT_ROWS + 1, 100_000])
def test_names_differ_the_simplest_is_a_constant_and_all_have_plans(task, n):
    found = entries(task, n, 5)
    assert len({one.name for one in found}) == len(found)
    assert min(found, key=lambda one: one.simplicity).name.startswith("baseline")
    k = 3 if task == "classification" else 0
    assert all(one.planned(n, 5, k) > 0 for one in found if not one.refused)


def test_landmarks_stand_for_rows_where_there_are_many():
    assert [one.landmarks for one in entries("regression", 100_000, 5) if one.landmarks] == [300, 1000]
    assert not any(one.landmarks for one in entries("regression", EXACT_ROWS, 5))


def test_what_cannot_compete_says_why():
    refused = {one.name: one.refused for one in entries("regression", SVR_ROWS + 1, SVR_ROWS) if one.refused}
    assert "too many for" in refused["least squares"]
    assert "too many for support vectors" in refused["support vectors (Gaussian kernel)"]


def test_with_many_columns_and_few_rows_a_kernel_comes_before_a_linear_model():
    """By its plan a softmax with 46 rows of 6,830 columns takes hundreds of times as long as one with a kernel."""
    wide = [one.name for one in by_cost(entries("classification", 46, 6830), 46, 6830, 8)]
    tall = [one.name for one in by_cost(entries("classification", 800, 20), 800, 20, 2)]
    assert wide[0] == tall[0] == "baseline: the class shares"
    assert wide.index("kernel logistic (Gaussian kernel)") < wide.index("logistic regression")
    assert tall.index("kernel logistic (Gaussian kernel)") > tall.index("logistic regression")
    refused = by_cost(entries("regression", SVR_ROWS + 1, SVR_ROWS), SVR_ROWS + 1, SVR_ROWS, 0)
    assert refused[-1].refused


def test_the_baseline_answers_with_the_mean_and_fits_are_silent():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    baseline = entries("regression", 30, 2)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(baseline.fit(X, y).predict(X), y.mean())
        weight = rng.uniform(1, 2, 30)
        np.testing.assert_allclose(baseline.fit(X, y, weight).predict(X), np.average(y, weights=weight))


def test_by_absolute_errors_the_baseline_is_the_median():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(41, 2)), rng.standard_cauchy(41)
    baseline = entries("regression", 41, 2, measure=MAE)[0]
    assert baseline.name == "baseline: the median"
    assert baseline.planned(41, 2, 0) > 0
    assert entries("regression", 41, 2, measure=RMSE)[0].name == "baseline: the mean"
    np.testing.assert_allclose(baseline.fit(X, y).predict(X), np.median(y))
    weight = rng.integers(1, 4, 41).astype(float)
    weight[0] += 1 - weight.sum() % 2  # one row is in the middle
    np.testing.assert_allclose(baseline.fit(X, y, weight).predict(X), np.median(np.repeat(y, weight.astype(int))))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("one_sided", [False, True])
def test_spikes_do_not_choose_the_penalty_of_huber_nor_the_tube_of_support_vectors(weighted, one_sided):
    """By the squares of ridge 3 % of spikes chose a lam of 1,000, and the fit was a constant."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 3))
    signal = 65 + 15 * X @ [0.6, -0.6, 0.53]
    spikes = 20_000 * (1 + 0.1 * rng.normal(size=600)) * (1 if one_sided else rng.choice([-1, 1], 600))
    y = signal + 3 * rng.normal(size=600) + np.where(rng.random(600) < 0.03, spikes, 0)
    weight = rng.uniform(0.5, 2, 600) if weighted else None
    off = lambda model: float(np.sqrt(np.mean((model.predict(X) - signal) ** 2)))
    bare = off(RobustRegression().fit(X, y, weight))
    found = {one.name: one for one in entries("regression", 600, 3)}
    assert bare < 0.5
    assert off(found["Huber regression"].fit(X, y, weight)) < 1.2 * bare
    assert off(found["support vectors (Gaussian kernel)"].fit(X, y, weight)) < 0.3 * signal.std()


def test_only_spikes_are_cut():
    rng = np.random.default_rng(3)
    y = rng.normal(size=1000)
    np.testing.assert_array_equal(without_spikes(y), y)
    np.testing.assert_array_equal(without_spikes(np.full(5, 3.0)), 3.0)
    rain = np.where(rng.random(1000) < 0.7, 0.0, 10 + y)
    np.testing.assert_array_equal(without_spikes(rain), rain)
    rain[:2] = 1e6, -1e6
    assert np.abs(without_spikes(rain)).max() < 100
    repeated = np.append(y, [50.0, 50.0])
    np.testing.assert_array_equal(
        without_spikes(np.append(y, 50.0), np.append(np.ones(1000), 2.0)), without_spikes(repeated)[:-1]
    )
