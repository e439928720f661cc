"""Products of all rows but a fold's are those of the rows themselves."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, TimeSeriesSplit

from surefit import ElasticNet, Lasso
from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.selection import fold_products
from surefit.selection.fold_products import FoldProducts


@pytest.fixture(autouse=True)
def also_for_small_designs(monkeypatch):
    monkeypatch.setattr(fold_products, "FEWEST_ENTRIES", 1)


def data(n=120, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + np.arange(d)
    return X, X[:, 0] - X[:, 1] + rng.standard_normal(n)


def splits_of(cv, X):
    return list(cv.split(X))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("kind", ["plain", "an outlier", "a column of one row", "far from zero"])
def test_products_without_a_fold_are_those_of_the_other_rows(fit_intercept, weighted, kind):
    """Also where the fold holds nearly all of a column, or all."""
    X, y = data()
    if kind == "an outlier":
        X[7, 2] = 1e9
    if kind == "a column of one row":
        X[:, 4] = np.arange(len(y)) == 5
    if kind == "far from zero" and fit_intercept:
        X[:, 1] = 2000 + np.arange(len(y)) % 7  # years
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else np.ones(len(y))
    splits = splits_of(KFold(5, shuffle=True, random_state=0), X)
    sums = FoldProducts.of(Design(X, weight), y, splits, fit_intercept)
    assert sums is not None
    for fold, (train, test) in enumerate(splits):
        A = centre(sums.rest(test), fit_intercept)
        near = X[train] if sums.design.offset is None else X[train] - sums.design.offset
        rest = centre(Design(near, weight[train]), fit_intercept)
        found = sums.without(fold, A, 4.0)
        gram, moment = rest.gram_and_moment(rest.target(y[train] / 4.0))
        np.testing.assert_allclose(found.gram, gram, rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(found.moment, moment, rtol=1e-12, atol=1e-11)


def test_what_no_partition_can_serve_is_left_to_each_fold():
    X, y = data()
    for cv in (RepeatedKFold(n_splits=3, n_repeats=2), ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)):
        assert FoldProducts.of(Design.of(X), y, splits_of(cv, X), True) is None
    splits = splits_of(KFold(5), X)
    short = [(train[1:], test) for train, test in splits]
    assert FoldProducts.of(Design.of(X), y, short, True) is None
    assert FoldProducts.of(Design.of(sparse.csr_array(X)), y, splits, True) is None
    assert FoldProducts.of(Design.of(X), y, splits_of(KFold(60), X), True) is None  # sixty Gram matrices


def test_a_fold_that_holds_most_columns_alone_is_formed_from_its_rows():
    X, y = data()
    X[7, :5] = 1e9
    splits = splits_of(KFold(5), X)
    sums = FoldProducts.of(Design.of(X), y, splits, fit_intercept=False)
    found = [sums.without(k, centre(sums.rest(test), False), 1.0) is None for k, (_, test) in enumerate(splits)]
    assert found == [True, False, False, False, False]


@pytest.mark.parametrize(
    "model",
    [
        Lasso(cv=5),
        Lasso(cv=5, fit_intercept=False),
        Lasso(cv=5, positive=True),
        Lasso(cv=5, penalty_weights=[0.0, 1, 1, 1, 1, 2]),
        ElasticNet(cv=KFold(4)),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["plain", "weighted", "an outlier", "a column of one row", "years"])
def test_cross_validation_is_the_same_either_way(model, kind, monkeypatch):
    X, y = data(seed=3)
    weight = np.random.default_rng(2).uniform(0.0, 2.0, len(y)) if kind == "weighted" else None
    if kind == "an outlier":
        X[11, 3] = 1e7
    if kind == "a column of one row":
        X[:, 4] = np.arange(len(y)) == 5
    if kind == "years":
        X[:, 2] = 2000 + np.arange(len(y)) % 7
    model.fit(X, y, sample_weight=weight)
    curve, lam = model.criterion_path_, model.lam_
    monkeypatch.setattr(FoldProducts, "of", staticmethod(lambda *_: None))
    model.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(curve, model.criterion_path_, rtol=1e-5)
    assert lam == model.lam_
