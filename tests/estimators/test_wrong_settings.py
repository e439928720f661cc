"""Settings of the wrong kind are refused with cause and remedy, not with what NumPy or the compiled code says."""

import numpy as np
import pytest

from surefit import ERM, ElasticNet, Lasso, LogisticRegression, RobustRegression, SubsetRegression, lasso_path

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = X[:, 0] + RNG.normal(size=30)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"lam": "0.1"}, "lam must be a finite number >= 0, got '0.1'; use lam=0"),
        ({"lam": [0.1]}, r"lam must be a finite number >= 0, got \[0.1\]; use lam=0"),
        ({"lam": 1j}, "lam must be a finite number >= 0"),
        ({"tol": None}, "tol must be > 0, got None; it bounds the duality gap"),
        ({"tol": "a"}, "tol must be > 0, got 'a'; it bounds the duality gap"),
        ({"variance": "a"}, "variance must be > 0, got 'a'; leave it None"),
        ({"positive": None}, "positive must be True or False, got None"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, got 'no'"),
        ({"random_state": 1.5}, "random_state must be a whole number >= 0, a numpy Generator or None, got 1.5; use"),
        ({"random_state": -1}, "random_state must be a whole number >= 0"),
        ({"cv": []}, "cv gives no split with a held-out row of positive weight; give a number of folds"),
        ({"cv": iter(())}, "cv gives no split with a held-out row of positive weight; give a number of folds"),
    ],
)
def test_the_sparse_models_say_what_is_wrong(kind, settings, reason):
    with pytest.raises(ValueError, match=reason):
        kind(**settings).fit(X, Y)


def test_a_number_in_an_array_without_axes_is_a_number():
    assert Lasso(np.array(0.1)).fit(X, Y).lam_ == 0.1
    np.testing.assert_array_equal(Lasso(np.array(0.1)).fit(X, Y).coef_, Lasso(0.1).fit(X, Y).coef_)
    np.testing.assert_array_equal(Lasso(0.1, fit_intercept=np.True_).fit(X, Y).coef_, Lasso(0.1).fit(X, Y).coef_)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"tol": None}, "tol must be > 0, got None"),
        ({"positive": "yes"}, "positive must be True or False, got 'yes'"),
        ({"fit_intercept": None}, "fit_intercept must be True or False, got None"),
    ],
)
def test_the_path_says_it_too(settings, reason):
    with pytest.raises(ValueError, match=reason):
        lasso_path(X, Y, **settings)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"variance": "a"}, "variance must be > 0, got 'a'"),
        ({"fit_intercept": "no"}, "must be True or False, got 'no'"),
    ],
)
def test_subsets_say_it_too(settings, reason):
    with pytest.raises(ValueError, match=reason):
        SubsetRegression("cp", **settings).fit(X, Y)


@pytest.mark.parametrize("kind", [RobustRegression, ERM])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"tol": "a"}, "tol must be a number, got 'a'; it bounds the duality gap"),
        ({"tol": 0}, "tol must be finite and > 0, got 0; it bounds the duality gap"),
        ({"max_iter": 1.5}, "max_iter must be a whole number >= 1, got 1.5; leave it None"),
        ({"max_iter": -1}, "max_iter must be a whole number >= 1, got -1; leave it None"),
        ({"lam": "0.1"}, "lam must be a number, got '0.1'; use lam=0 for no penalty"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, got 'no'"),
    ],
)
def test_models_of_one_loss_say_what_is_wrong(kind, settings, reason):
    with pytest.raises(ValueError, match=reason):
        kind(**settings).fit(X, Y)


@pytest.mark.parametrize(
    ("settings", "reason"), [({"cv": []}, "cv gives no split"), ({"random_state": 1.5}, "random_state must be")]
)
def test_the_logistic_choice_says_what_is_wrong(settings, reason):
    with pytest.raises(ValueError, match=reason):
        LogisticRegression(lam=None, criterion="cv", **settings).fit(X, Y > 0)
