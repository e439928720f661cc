"""Who competes: by task and by size, each with a plan."""

import warnings

import numpy as np
import pytest

from surefit.study.contest.candidates import EXACT_ROWS, SVR_ROWS, by_cost, entries


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
