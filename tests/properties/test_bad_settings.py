"""Settings that are no such thing are refused by name and with a remedy, not in the words of NumPy or compiled code."""

import matplotlib
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

matplotlib.use("Agg")

from surefit import (
    ERM,
    Adaline,
    ElasticNet,
    KernelPerceptron,
    Lasso,
    LogisticRegression,
    Memoriser,
    NearestNeighbourClassifier,
    NearestNeighbourRegressor,
    Perceptron,
    PlugInClassifier,
    RobustRegression,
    SubsetRegression,
    elastic_net_path,
    lasso_path,
    min_disagreement,
)
from surefit.display import PathDisplay
from surefit.objective import Absolute
from surefit.solvers.solution import Solution, Status

X = np.random.default_rng(0).standard_normal((40, 2))
Y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")
NUMBERS = X[:, 0] + X[::-1, 1]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(lam=1.0, max_iter=2.5), "max_iter must be a whole number >= 1, got 2.5"),
        (LogisticRegression(lam=1.0, max_iter=0), "max_iter must be a whole number >= 1, got 0"),
        (LogisticRegression(lam=1.0, max_iter=-1), "max_iter must be a whole number >= 1, got -1"),
        (LogisticRegression(lam=1.0, max_iter="7"), "max_iter must be a whole number >= 1, got '7'"),
        (LogisticRegression(lam=1.0, tol="x"), "tol must be a number, got 'x'"),
        (LogisticRegression(lam=1.0, tol="1e-6"), "tol must be a number, got '1e-6'"),
        (LogisticRegression(lam=1.0, tol=None), "tol must be a number, got None"),
        (LogisticRegression(lam=1.0, l1_ratio=None), "l1_ratio must be a number, got None"),
        (LogisticRegression(lam="1"), "lam must be a finite number, got '1'; leave lam out to have it chosen"),
        (
            LogisticRegression(random_state="s"),
            "random_state must be a whole number >= 0, a numpy Generator or None, got 's'",
        ),
        (
            LogisticRegression(random_state=-1),
            "random_state must be a whole number >= 0, a numpy Generator or None, got -1",
        ),
        (LogisticRegression(lam=1.0, costs="x"), r"costs must be a finite \(2, 2\) table, got 'x'"),
        (LogisticRegression(lam=1.0, costs=[[0, 1], [1]]), r"costs must be a finite \(2, 2\) table"),
        (LogisticRegression(lam=1.0, costs=[[0, None], [1, 0]]), "entries that are not finite"),
        (NearestNeighbourClassifier(None), "n_neighbours must be a whole number >= 1, got None"),
        (NearestNeighbourClassifier("5"), "n_neighbours must be a whole number >= 1, got '5'"),
        (NearestNeighbourClassifier(True), "n_neighbours must be a whole number >= 1, got True"),
        (NearestNeighbourClassifier(np.nan), "n_neighbours must be a whole number >= 1, got nan"),
        (NearestNeighbourClassifier(np.inf), "n_neighbours must be a whole number >= 1, got inf"),
        (Perceptron(max_epochs=None), "max_epochs must be a whole number >= 1, got None"),
        (KernelPerceptron(max_epochs=1.5), "max_epochs must be a whole number >= 1, got 1.5"),
        (KernelPerceptron(sign_zero=5), r"sign_zero must be None, -1 or \+1, got 5"),
        (Adaline(epochs=2.5), "epochs must be a whole number >= 1, got 2.5"),
        (Adaline(sign_zero=None), r"sign_zero must be -1 or \+1, got None"),
        (PlugInClassifier(ties="mid"), "ties must be 'first' or 'last', got 'mid'"),
        (PlugInClassifier(costs="x"), r"costs must be a finite \(2, 2\) table, got 'x'"),
        (Memoriser(default=7), "default must be one of the classes"),
    ],
)
def test_what_is_no_setting_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("limit", [None, "soon", 0, np.nan])
def test_a_time_limit_is_a_number_of_seconds(limit):
    with pytest.raises(ValueError, match="time_limit must be"):
        min_disagreement(X, np.where(Y == "yes", 1, -1), time_limit=limit)


def test_whole_numbers_may_be_floats():
    for model in (NearestNeighbourClassifier, NearestNeighbourRegressor):
        target = Y if model is NearestNeighbourClassifier else X[:, 1]
        np.testing.assert_array_equal(model(5.0).fit(X, target).predict(X), model(5).fit(X, target).predict(X))
    few, three = (LogisticRegression(lam=1e-3, max_iter=one).fit(X, Y) for one in (30.0, np.int32(30)))
    np.testing.assert_array_equal(few.coef_, three.coef_)


def test_settings_changed_after_the_fit_are_looked_at_again():
    with pytest.raises(ValueError, match="default must be one of the classes"):
        Memoriser().fit(X, Y).set_params(default=7).predict(X)
    with pytest.raises(ValueError, match="n_neighbours = 41 exceeds"):
        NearestNeighbourClassifier().fit(X, Y).set_params(n_neighbours=41).predict(X)


@pytest.mark.parametrize("form", [np.asarray, list])
def test_splits_may_be_masks(form):
    numbers = list(StratifiedKFold(4).split(X, Y))
    masks = [tuple(form(np.isin(np.arange(40), side)) for side in split) for split in numbers]
    weight = np.arange(40) % 5
    for model, target in ((LogisticRegression, Y), (Lasso, X[:, 1] + X[:, 0])):
        by_number, by_mask = (model(cv=cv).fit(X, target, weight) for cv in (numbers, masks))
        np.testing.assert_array_equal(by_mask.criterion_path_, by_number.criterion_path_)


@pytest.mark.parametrize("side", [np.ones(39, dtype=bool), [0, 40], [-41], [0.5], "ab", [[0], [1]]])
def test_splits_of_other_rows_are_refused(side):
    with pytest.raises(ValueError, match="cv must split rows 0 to 39"):
        LogisticRegression(cv=[(np.arange(20), side)]).fit(X, Y)


@pytest.mark.parametrize("target", [2, -2, "yes", 0.5])
def test_a_path_is_shown_for_a_class_that_there_is(target):
    model = LogisticRegression(lams=[1.0, 0.1]).fit(X, Y)
    with pytest.raises(ValueError, match="target must be from 0 to 0"):
        PathDisplay.from_estimator(model, target=target)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"lam": "0.1"}, "lam must be a finite number, got '0.1'; leave lam out to have it chosen"),
        ({"lam": [0.1]}, r"lam must be a finite number, got \[0.1\]; a grid to choose from is lams: .*lams=\[0.1\]"),
        ({"lam": 1j}, "lam must be a finite number >= 0"),
        ({"tol": None}, "tol must be a number, got None; it bounds the duality gap"),
        ({"tol": "a"}, "tol must be a number, got 'a'; it bounds the duality gap"),
        ({"variance": "a"}, "variance must be a number, got 'a'; leave it None"),
        ({"positive": None}, "positive must be True or False, got None"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, got 'no'"),
        ({"random_state": 1.5}, "random_state must be a whole number >= 0, a numpy Generator or None, got 1.5; use"),
        ({"random_state": -1}, "random_state must be a whole number >= 0"),
        ({"penalty_weights": {"size": 0}}, "penalty_weights must be finite numbers, got .'size': 0.; give one per"),
        ({"penalty_weights": ["a", "b"]}, "penalty_weights must be finite numbers"),
        ({"penalty_weights": 1.0}, r"penalty_weights have shape \(\) for . features; give one per feature"),
        ({"cv": []}, "cv gives no split with a held-out row of positive weight; give a number of folds"),
        ({"cv": iter(())}, "cv gives no split with a held-out row of positive weight; give a number of folds"),
    ],
)
def test_the_sparse_models_say_what_is_wrong(kind, settings, reason):
    with pytest.raises(ValueError, match=reason):
        kind(**settings).fit(X, NUMBERS)


def test_a_number_in_an_array_without_axes_is_a_number():
    assert Lasso(np.array(0.1)).fit(X, NUMBERS).lam_ == 0.1
    np.testing.assert_array_equal(Lasso(np.array(0.1)).fit(X, NUMBERS).coef_, Lasso(0.1).fit(X, NUMBERS).coef_)
    np.testing.assert_array_equal(
        Lasso(0.1, fit_intercept=np.True_).fit(X, NUMBERS).coef_, Lasso(0.1).fit(X, NUMBERS).coef_
    )


@pytest.mark.parametrize("ratio", ["half", None, [0.1, 0.5]])
def test_a_ratio_is_one_number(ratio):
    with pytest.raises(ValueError, match=r"l1_ratio must be a number, got .*; give one number in \(0, 1\]"):
        ElasticNet(0.1, l1_ratio=ratio).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="l1_ratio must be a number"):
        elastic_net_path(X, NUMBERS, l1_ratio=ratio)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"tol": None}, "tol must be a number, got None; it bounds"),
        ({"positive": "yes"}, "positive must be True or False, got 'yes'"),
        ({"fit_intercept": None}, "fit_intercept must be True or False, got None"),
    ],
)
def test_the_path_says_it_too(settings, reason):
    with pytest.raises(ValueError, match=reason):
        lasso_path(X, NUMBERS, **settings)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"variance": "a"}, "variance must be a number, got 'a'; leave it None"),
        ({"fit_intercept": "no"}, "must be True or False, got 'no'"),
    ],
)
def test_subsets_say_it_too(settings, reason):
    with pytest.raises(ValueError, match=reason):
        SubsetRegression("cp", **settings).fit(X, NUMBERS)


@pytest.mark.parametrize("kind", [RobustRegression, ERM])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"tol": "a"}, "tol must be a number, got 'a'; it bounds the duality gap"),
        ({"tol": 0}, "tol must be finite and > 0, got 0; it bounds the duality gap"),
        ({"max_iter": 1.5}, "max_iter must be a whole number >= 1, got 1.5; leave it None"),
        ({"max_iter": -1}, "max_iter must be a whole number >= 1, got -1; leave it None"),
        ({"lam": "0.1"}, "lam must be a finite number, got '0.1'; use lam=0 for no penalty"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, got 'no'"),
        ({"penalty": ElasticNet()}, r"got the model ElasticNet\(\); take it from surefit.objective"),
        ({"penalty": "l1"}, "penalty must be a Penalty such as .*, got 'l1'; take it from surefit.objective"),
    ],
)
def test_models_of_one_loss_say_what_is_wrong(kind, settings, reason):
    with pytest.raises(ValueError, match=reason):
        kind(**settings).fit(X, NUMBERS)


@pytest.mark.parametrize(
    ("settings", "reason"), [({"cv": []}, "cv gives no split"), ({"random_state": 1.5}, "random_state must be")]
)
def test_the_logistic_choice_says_what_is_wrong(settings, reason):
    with pytest.raises(ValueError, match=reason):
        LogisticRegression(lam=None, criterion="cv", **settings).fit(X, Y)


def test_a_warning_says_how_far_from_the_minimum_a_search_ended():
    with pytest.warns(
        ConvergenceWarning, match=r"^Lasso: stopped where .* \(duality gap \d.\de-\d\d, objective 0\.\d+"
    ):
        Lasso(0.1, tol=1e-40).fit(X, NUMBERS)
    with pytest.warns(ConvergenceWarning, match=r"^RobustRegression: stopped at .* \(duality gap .*, objective 0\.\d+"):
        RobustRegression(Absolute(), max_iter=1).fit(X, NUMBERS)
    without = Solution(np.zeros(1), 0.0, Status.MAX_ITER, np.inf, 1.0)
    assert without.ending == Status.MAX_ITER.value
