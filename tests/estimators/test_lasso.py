"""Lasso and elastic net: fixtures, agreement with the exact path, choice of lam, and everything a table can do."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import linear_model
from sklearn.model_selection import KFold

from surefit.data.design import Design
from surefit.estimators.lasso import ElasticNet, Lasso, elastic_net_path, lasso_path
from surefit.estimators.least_squares import LeastSquares
from surefit.estimators.ridge import Ridge
from surefit.objective.convert import convert_lambda
from surefit.selection.grids import lasso_lams
from surefit.solvers.lasso.exact.homotopy import lasso_homotopy
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.solution import Status

X1, Y1 = np.arange(4.0)[:, None], np.array([1.0, 3, 2, 5])
X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])
EXACT = 1e-11  # a tolerance at which coefficients agree to about 1e-7

both = pytest.mark.parametrize("model", [Lasso(0.1), ElasticNet(0.1)], ids=["Lasso", "ElasticNet"])


def table(n=60, d=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(n, 1)) + 1.0
    return X, 2.0 + X[:, 0] - 2 * X[:, 2] + rng.normal(size=n)


@pytest.mark.parametrize(
    ("lam", "coef", "intercept", "objective"),
    [
        (1.0, [0.2519685, 0.50393701, 1.20472441], 0.976377953, 2.866141732),
        (0.5, [0.52755906, 0.72178478, 1.5328084], -0.164041995, 1.680446194),
        (0.1, [0.7480315, 0.89606299, 1.79527559], -1.076377953, 0.436141732),
    ],
)
def test_fixture_two(lam, coef, intercept, objective):
    """Catalogue A-22, FX2."""
    model = Lasso(lam, tol=EXACT).fit(X2, Y2)
    np.testing.assert_allclose(model.coef_, coef, atol=2e-8)
    assert model.intercept_ == pytest.approx(intercept, abs=2e-8)
    assert model.solution_.objective == pytest.approx(objective, abs=6e-10)
    assert model.solution_.status is Status.CONVERGED
    assert model.gap_ == model.solution_.gap <= 1e-12


@pytest.mark.parametrize(("lam", "coef", "intercept"), [(0.5, 0.9, 1.4), (1.25, 0.6, 1.85), (2.75, 0, 2.75)])
def test_fixture_one(lam, coef, intercept):
    """Catalogue A-22, FX1."""
    model = Lasso(lam, tol=EXACT).fit(X1, Y1)
    np.testing.assert_allclose([model.coef_[0], model.intercept_], [coef, intercept], atol=1e-7)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 30), d=st.integers(1, 20))
def test_coordinate_descent_meets_the_exact_path(seed, n, d):
    """Catalogue A-22, A-25: coefficients to 1e-9 at every lam, and the objective within the reported gap."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    exact = lasso_homotopy(Design.of(X), y)
    lams = np.linspace(1.1, 0.05, 12) * exact.knots[0]
    found = lasso_path(X, y, lams=lams, tol=1e-12)
    coefs, intercepts = exact.at(lams)
    np.testing.assert_allclose(found.coefs, coefs, atol=1e-9)
    np.testing.assert_allclose(found.intercepts, intercepts, atol=1e-9)
    risks = [
        np.mean((y[:, None] - X @ c.T - b) ** 2, axis=0) + lams * np.abs(c).sum(axis=1)
        for c, b in ((found.coefs, found.intercepts), (coefs, intercepts))
    ]
    assert np.all(risks[0] - risks[1] <= found.gaps + 1e-14)
    np.testing.assert_allclose(risks[0], risks[1], rtol=1e-9, atol=1e-12)


def test_scikit_learn_has_half_the_lam():
    X, y = table()
    theirs = linear_model.Lasso(alpha=0.05, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(Lasso(0.1, tol=EXACT).fit(X, y).coef_, theirs.coef_, atol=1e-7)
    assert convert_lambda(0.05, source="sklearn.Lasso", n=60) == pytest.approx(0.1)


def test_elastic_net_is_lasso_at_one_and_ridge_in_the_limit():
    """Catalogue P-01, P-02."""
    X, y = table()
    lasso, net = Lasso(0.1, tol=EXACT).fit(X, y), ElasticNet(0.1, l1_ratio=1.0, tol=EXACT).fit(X, y)
    np.testing.assert_allclose(net.coef_, lasso.coef_, atol=1e-9)
    nearly_ridge = ElasticNet(0.1, l1_ratio=1e-6, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(nearly_ridge.coef_, Ridge(0.1).fit(X, y).coef_, atol=1e-4)


def test_elastic_net_is_optimal():
    """Catalogue A-22: 2 x_j' r / n = lam (ratio sign(w_j) + 2 (1 - ratio) w_j) on the support, below it outside."""
    X, y = table()
    model = ElasticNet(0.8, l1_ratio=0.5, tol=EXACT).fit(X, y)
    pull = 2 / 60 * X.T @ (y - model.predict(X)) - 0.8 * 2 * 0.5 * model.coef_
    on = model.coef_ != 0
    np.testing.assert_allclose(pull[on], 0.8 * 0.5 * np.sign(model.coef_[on]), atol=1e-6)
    assert 0 < on.sum() < 8
    assert np.all(np.abs(pull[~on]) <= 0.8 * 0.5 + 1e-6)


def test_the_paths_are_the_estimators_side_by_side():
    X, y = table()
    lams = np.array([0.05, 1.0, 0.3])
    path = lasso_path(X, y, lams=lams, tol=EXACT)
    net = elastic_net_path(X, y, l1_ratio=0.7, lams=lams, tol=EXACT)
    np.testing.assert_array_equal(path.lams, lams)
    for k, lam in enumerate(lams):
        np.testing.assert_allclose(path.coefs[k], Lasso(lam, tol=EXACT).fit(X, y).coef_, atol=1e-7)
        np.testing.assert_allclose(net.coefs[k], ElasticNet(lam, l1_ratio=0.7, tol=EXACT).fit(X, y).coef_, atol=1e-7)
    assert lasso_path(X, y).coefs.shape == (100, 8)
    np.testing.assert_array_equal(lasso_path(X, y).coefs[0], 0.0)


def test_cross_validation_is_its_definition():
    """Catalogue S-05: a given splitter, refitted lam by lam; mean over held-out rows and its standard error."""
    X, y = table()
    lams, folds = [0.0, 0.02, 0.1, 0.5, 2.0], KFold(5)
    model = Lasso(lams=lams, cv=folds, tol=1e-10).fit(X, y)
    errors = np.array(
        [
            [np.mean((y[test] - Lasso(lam, tol=1e-10).fit(X[train], y[train]).predict(X[test])) ** 2) for lam in lams]
            for train, test in folds.split(X)
        ]
    )
    np.testing.assert_allclose(model.criterion_path_, errors.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(model.criterion_se_, errors.std(axis=0, ddof=1) / np.sqrt(5), rtol=1e-4)
    assert model.lam_ == model.lam_min_ == lams[int(np.argmin(errors.mean(axis=0)))]


def test_as_many_folds_as_rows_are_leave_one_out():
    """Catalogue S-05: K = n recovers S-03."""
    X, y = table(n=15, d=3)
    model = Lasso(lams=[0.1], cv=15, tol=1e-10).fit(X, y)
    left_out = [
        y[i] - Lasso(0.1, tol=1e-10).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] for i in range(15)
    ]
    assert model.criterion_path_[0] == pytest.approx(np.mean(np.square(left_out)), rel=1e-6)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_both_choices_are_recorded_and_select_decides(kind):
    X, y = table()
    least, sparser = kind().fit(X, y), kind(select="one_se").fit(X, y)
    assert (least.lam_min_, least.lam_1se_) == (sparser.lam_min_, sparser.lam_1se_)
    assert least.lam_ == least.lam_min_ < least.lam_1se_ == sparser.lam_
    best = int(np.argmin(least.criterion_path_))
    reach = least.criterion_path_[best] + least.criterion_se_[best]
    within = least.lam_path_[least.criterion_path_ <= reach]
    assert least.lam_1se_ == within.max()
    assert np.count_nonzero(sparser.coef_) <= np.count_nonzero(least.coef_)
    chosen = kind(least.lam_, tol=EXACT).fit(X, y)
    np.testing.assert_allclose(least.coef_, chosen.coef_, atol=5e-3)


def test_a_weight_counts_as_copies_even_in_the_folds():
    """Equal rows share a fold and the order of rows does not matter."""
    X, y = table(n=30)
    weight = np.random.default_rng(1).integers(0, 4, size=30)
    order = np.random.default_rng(2).permutation(int(weight.sum()))
    weighted = Lasso().fit(X, y, weight)
    repeated = Lasso().fit(np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order])
    assert weighted.lam_ == pytest.approx(repeated.lam_, rel=1e-12)
    np.testing.assert_allclose(weighted.criterion_path_, repeated.criterion_path_, rtol=1e-5)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)


def test_folds_side_by_side_are_folds_one_after_the_other(monkeypatch):
    X, y = table(n=50, d=30)
    one_by_one = Lasso(cv=4).fit(X, y)
    monkeypatch.setattr("surefit.selection.folds.WORTH_A_THREAD", 0)
    np.testing.assert_allclose(Lasso(cv=4).fit(X, y).criterion_path_, one_by_one.criterion_path_, rtol=1e-12)


def test_folds_follow_the_seed():
    X, y = table()
    curves = [Lasso(random_state=seed).fit(X, y).criterion_path_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(curves[0], curves[1])
    assert np.any(curves[0] != curves[2])


@pytest.mark.filterwarnings("ignore:ElasticNet chose the smallest lam")
@pytest.mark.parametrize("kind", ["plain", "units", "wide", "sparse", "a column twice"])
def test_elastic_net_degrees_of_freedom_are_the_trace_of_its_smoother(kind):
    X, y = table(d=90) if kind == "wide" else table()
    weights = np.linspace(0.5, 2.0, X.shape[1])
    if kind == "units":
        X = X * 10.0 ** np.linspace(-2, 2, X.shape[1])
    if kind == "a column twice":
        X[:, 1] = X[:, 0]
    model = ElasticNet(criterion="bic", lams=[0.05, 0.5, 50.0], penalty_weights=weights)
    model.fit(sparse.csr_array(X) if kind == "sparse" else X, y)
    for lam, coef, dof in zip(model.path_.lams, model.path_.coefs, model.dof_path_, strict=True):
        A, inside = (X - X.mean(axis=0))[:, coef != 0], weights[coef != 0]
        smoother = A @ np.linalg.inv(A.T @ A + 60 * lam * 0.5 * np.diag(inside)) @ A.T
        assert dof == pytest.approx(1 + np.trace(smoother), rel=1e-10)


@both
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_sparse_with_intercept_is_the_dense_answer(model, make):
    X, y = table()
    X[np.abs(X) < 0.9] = 0.0
    kind = type(model)
    dense, thin = kind(0.1, tol=EXACT).fit(X, y), kind(0.1, tol=EXACT).fit(make(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-7)
    np.testing.assert_allclose(thin.predict(make(X)), dense.predict(X), atol=1e-6)


def test_sparse_chooses_the_dense_lam():
    X, y = table()
    X[np.abs(X) < 0.9] = 0.0
    dense, thin = Lasso().fit(X, y), Lasso().fit(sparse.csr_matrix(X), y)
    assert thin.lam_ == pytest.approx(dense.lam_, rel=1e-10)
    np.testing.assert_allclose(thin.criterion_path_, dense.criterion_path_, rtol=1e-4)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_lam_zero_is_least_squares(kind):
    """Catalogue A-22."""
    X, y = table()
    np.testing.assert_allclose(kind(0.0).fit(X, y).coef_, LeastSquares().fit(X, y).coef_, rtol=1e-10)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_beyond_the_largest_useful_lam_all_coefficients_are_zero(kind):
    """Catalogue T-84: w = 0 iff lam >= lam_max."""
    X, y = table()
    top = lasso_lams(Design.of(X), y, kind(1.0)._penalty(None))[0]
    np.testing.assert_array_equal(kind(1.5 * top).fit(X, y).coef_, 0.0)
    assert kind(1.5 * top).fit(X, y).intercept_ == pytest.approx(y.mean())
    assert np.count_nonzero(kind(0.99 * top, tol=1e-10).fit(X, y).coef_) == 1


@both
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1, 1e9 / 3])
def test_a_zero_or_constant_column_gets_coefficient_zero(model, constant):
    X, y = table()
    wider = np.column_stack([X, np.full(len(y), constant)])
    narrow = type(model)(0.1, tol=1e-12).fit(X, y)
    wide = type(model)(0.1, tol=1e-12).fit(wider, y)
    assert wide.coef_[8] == 0.0
    np.testing.assert_allclose(wide.coef_[:8], narrow.coef_, atol=1e-5)


def test_collinear_columns_have_one_fit_and_the_elastic_net_shares_it():
    X, y = table()
    double = np.column_stack([X, X[:, 0]])
    single, twice = Lasso(0.1, tol=EXACT).fit(X, y), Lasso(0.1, tol=EXACT).fit(double, y)
    np.testing.assert_allclose(twice.predict(double), single.predict(X), atol=1e-6)
    assert twice.coef_[0] + twice.coef_[8] == pytest.approx(single.coef_[0], abs=1e-6)
    shared = ElasticNet(0.1, tol=EXACT).fit(double, y)
    assert shared.coef_[0] == pytest.approx(shared.coef_[8], abs=1e-6)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_many_more_columns_than_rows(kind):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 500))
    y = X[:, 3] * 4 - X[:, 77] * 3 + 0.1 * rng.normal(size=40)
    model = kind().fit(X, y)
    assert {3, 77} <= set(np.argsort(-np.abs(model.coef_))[:5])
    null = np.mean((y - y.mean()) ** 2)
    assert model.gap_ <= 1e-6 * null


@both
def test_one_row_predicts_its_own_target(model):
    fitted = model.fit([[2.0, 5.0]], [3.0])
    np.testing.assert_array_equal(fitted.coef_, 0.0)
    assert fitted.intercept_ == 3.0
    with pytest.raises(ValueError, match="at least 2 different rows of positive weight, got n_samples = 1; give lam"):
        type(model)().fit([[2.0, 5.0]], [3.0])


@pytest.mark.parametrize("model", [Lasso(), Lasso(0.1), ElasticNet(), ElasticNet(0.1), Lasso(criterion="bic")])
@pytest.mark.parametrize("constant", [0.0, 7.0, 0.1])
def test_a_constant_target_is_its_own_prediction(model, constant):
    X, y = table()
    fitted = model.fit(X, np.full_like(y, constant))
    np.testing.assert_array_equal(fitted.coef_, 0.0)
    assert fitted.intercept_ == pytest.approx(constant, rel=1e-15)


def test_positive_coefficients_are_positive_and_best_among_such():
    X, y = table()
    model = Lasso(0.05, positive=True, tol=EXACT).fit(X, y)
    exact = lasso_homotopy(Design.of(X), y, positive=True).at(0.05)[0]
    assert model.coef_.min() == 0.0
    np.testing.assert_allclose(model.coef_, exact, atol=1e-6)


def test_an_unpenalised_column_stays_at_any_lam():
    X, y = table()
    weights = np.ones(8)
    weights[2] = 0.0
    model = Lasso(1e6, penalty_weights=weights).fit(X, y)
    alone = LeastSquares().fit(X[:, [2]], y)
    np.testing.assert_allclose(model.coef_[2], alone.coef_[0], rtol=1e-6)
    assert np.count_nonzero(model.coef_) == 1


def test_penalty_weights_scale_like_columns():
    """``v_j |w_j|`` with column ``x_j`` is ``|u_j|`` with column ``x_j / v_j``, ``u_j = v_j w_j``."""
    X, y = table()
    v = np.linspace(0.5, 3.0, 8)
    weighted = Lasso(0.1, penalty_weights=v, tol=EXACT).fit(X, y)
    scaled = Lasso(0.1, tol=EXACT).fit(X / v, y)
    np.testing.assert_allclose(weighted.coef_ * v, scaled.coef_, atol=1e-6)


def test_data_frames_keep_their_names():
    X, y = table()
    model = Lasso(0.1).fit(pd.DataFrame(X, columns=list("abcdefgh")), y)
    assert list(model.feature_names_in_) == list("abcdefgh")


def test_single_precision_in_single_precision_out():
    X, y = table()
    model = Lasso(0.1).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32


def test_refitting_forgets_the_path_and_models_can_be_stored():
    X, y = table()
    model = Lasso().fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    model.set_params(lam=0.1).fit(X, y)
    assert not hasattr(model, "criterion_path_")
    assert not hasattr(model, "lam_min_")


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"lam": -1.0}, "lam must be a finite number >= 0, got -1.0; use lam=0 for plain least squares"),
        ({"lam": np.nan}, "lam must be a finite number"),
        ({"lams": []}, "lams must be"),
        ({"lams": [0.1, -1.0]}, "lams must be"),
        ({"criterion": "loo"}, "criterion must be one of"),
        ({"select": "best"}, "select must be one of 'min', 'one_se'; got 'best'"),
        ({"select": "one_se", "criterion": "bic"}, "'bic' has none; use criterion='cv', or select='min'"),
        ({"tol": 0.0}, "tol must be finite and > 0, got 0.0; it bounds the duality gap"),
        ({"cv": 1}, "cv must be at least 2 folds"),
        ({"variance": -1.0}, "variance must be finite and > 0, got -1.0; leave it None"),
        ({"penalty_weights": [1.0]}, "give one per feature"),
    ],
)
def test_bad_settings_say_what_to_do(kind, settings, reason):
    with pytest.raises(ValueError, match=reason):
        kind(**settings).fit(X2, Y2)


def test_a_ratio_of_zero_is_sent_to_ridge():
    with pytest.raises(ValueError, match="use Ridge"):
        ElasticNet(0.1, l1_ratio=0.0).fit(X2, Y2)
    with pytest.raises(ValueError, match="use Ridge"):
        SparsePenalty(l1_ratio=0.0)


@pytest.mark.parametrize("criterion", ["cv", "aic", "bic", "cp"])
@pytest.mark.parametrize("factor", [1e155, 1e160, 1e-160, 1e-300])
def test_targets_whose_squares_leave_the_range_are_no_ground_to_choose_on(criterion, factor):
    """Catalogue S-05: refused where squares would decide; with ``lam`` given nothing but scale changes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    y = X @ [1.0, -1, 0, 0] + rng.normal(size=30)
    with pytest.raises(ValueError, match="squares leave the range of floating point numbers; rescale y"):
        Lasso(criterion=criterion, cv=3).fit(X, y * factor)
    given, plain = Lasso(0.1 * factor).fit(X, y * factor), Lasso(0.1).fit(X, y)
    np.testing.assert_allclose(given.coef_ / factor, plain.coef_, rtol=1e-9)
    assert not np.isnan(given.solution_.objective)


def test_a_huge_target_in_a_row_that_does_not_count_is_no_reason_to_refuse():
    """D-01: a row of weight zero might as well not be there."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(30, 4)), rng.normal(size=30), np.ones(30)
    y[3], weight[3] = 1e200, 0.0
    model = Lasso(cv=3).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, Lasso(cv=3).fit(X[weight > 0], y[weight > 0]).coef_, rtol=1e-9)


@pytest.mark.parametrize("model", [Lasso(), ElasticNet()], ids=repr)
def test_a_chosen_lam_leaves_a_record_of_the_rows_that_count(model):
    """A certificate of a fit with rows of weight zero failed with an index beyond the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300)
    weight = np.arange(300) % 3.0
    model.fit(X[:200], y[:200], sample_weight=weight[:200])
    assert model._fit_record.n == np.count_nonzero(weight[:200])
    assert not model.certificate(X[200:], y[200:]).vacuous
    never_counted = weight == 0
    assert not model.certificate(X[never_counted], y[never_counted]).vacuous
    with pytest.raises(ValueError, match="67 of the 67 held-out rows were used in fit"):
        model.certificate(X[:200][weight[:200] == 1], y[:200][weight[:200] == 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("model", [Lasso(0.1), ElasticNet(0.1)], ids=repr)
def test_the_objective_is_that_of_the_published_numbers_where_columns_are_far_from_zero(model, form):
    """In fractions, for columns of about 1.7e9: seconds since 1970."""
    rng = np.random.default_rng(3)
    X = np.array([1.7e9, 0.0]) + rng.normal(size=(40, 2))
    y = X[:, 0] - 1.7e9 - X[:, 1] + rng.normal(size=40)
    model.fit(form(X), y)
    coef, b = list(map(Fraction, model.coef_.tolist())), Fraction(model.intercept_)
    rows = zip(X.tolist(), y.tolist(), strict=True)
    squares = sum((Fraction(t) - coef[0] * Fraction(u) - coef[1] * Fraction(v) - b) ** 2 for (u, v), t in rows)
    share = Fraction(getattr(model, "l1_ratio", 1.0))
    objective = squares / 40 + Fraction(0.1) * sum(share * abs(c) + (1 - share) * c**2 for c in coef)
    assert abs(objective - Fraction(model.solution_.objective)) <= model.gap_ < 1e-10


@pytest.mark.parametrize("model", [Lasso(1e-90), Lasso(0.0), Lasso(1e-90, positive=True), ElasticNet(1e-90)], ids=repr)
def test_coefficients_that_underflow_are_refused_in_a_sentence(model):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X @ [2.0, -1.0]
    with pytest.raises(ValueError, match=r"reach 2e\+120 fall below the range of floating.*rescale the columns.*or y"):
        model.fit(1e120 * X, 1e-200 * y)


@pytest.mark.parametrize("model", [Lasso(0.1), ElasticNet(0.1)], ids=repr)
def test_a_stored_model_keeps_its_degrees_of_freedom(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    fitted = model.fit(X, X @ [2.0, -1.0, 0.0, 0.0] + rng.normal(size=60))
    once = pickle.loads(pickle.dumps(fitted))
    twice = pickle.loads(pickle.dumps(once))
    for stored in (once, twice):
        assert stored.summary().statistics.dof == fitted.summary().statistics.dof is not None
    assert "dof" not in once.fit_blocks(X, y=X[:, 0]).solution_.facts
