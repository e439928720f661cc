"""For everything a table can do to a model: which error, or which right answer, comes out."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from surefit import LeastSquares, LogisticRegression, RankDeficientWarning, Ridge

MODELS = [LeastSquares(), Ridge(), Ridge(lam=0.1)]
IDS = ["LeastSquares", "Ridge", "Ridge(0.1)"]
every_model = pytest.mark.parametrize("model", MODELS, ids=IDS)
penalised = pytest.mark.parametrize("model", MODELS[1:], ids=IDS[1:])


def table(n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ np.arange(1.0, d + 1) + 4.0 + 0.1 * rng.normal(size=n)


@every_model
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
@pytest.mark.parametrize("where", ["X", "y"])
def test_nan_and_infinity_are_refused(model, value, word, where):
    X, y = table()
    (X if where == "X" else y).flat[1] = value
    with pytest.raises(ValueError, match=word):
        model.fit(X, y)


@every_model
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_complex_numbers_are_refused_without_printing_the_table(model, store):
    X, y = table()
    with pytest.raises(
        ValueError, match=r"^Complex data not supported: X holds .* real and imaginary parts as columns"
    ):
        model.fit(store(X + 1j), y)
    with pytest.raises(
        ValueError, match=r"^Complex data not supported: y holds complex numbers; fit real and imag.*own$"
    ):
        model.fit(store(X), y + 1j)


@every_model
def test_empty_tables_are_refused(model):
    with pytest.raises(ValueError, match=r"0 sample"):
        model.fit(np.empty((0, 3)), np.empty(0))
    with pytest.raises(ValueError, match=r"0 feature"):
        model.fit(np.empty((3, 0)), np.ones(3))


@pytest.mark.parametrize("model", [LeastSquares(), Ridge(lam=0.1)])
@pytest.mark.filterwarnings("ignore::surefit.RankDeficientWarning")
def test_one_row_predicts_its_own_target(model):
    fitted = model.fit([[2.0, 5.0]], [3.0])
    np.testing.assert_array_equal(fitted.coef_, 0.0)
    assert fitted.intercept_ == 3.0


def test_one_row_cannot_be_left_out():
    with pytest.raises(ValueError, match="one sample; give lam instead"):
        Ridge().fit([[2.0, 5.0]], [3.0])


@every_model
@pytest.mark.parametrize("constant", [0.0, 7.0, 0.1])
def test_a_constant_target_is_its_own_prediction(model, constant):
    X, y = table()
    fitted = model.fit(X, np.full_like(y, constant))
    np.testing.assert_allclose(fitted.coef_, 0.0, atol=1e-15)
    np.testing.assert_allclose(fitted.intercept_, constant, rtol=1e-15)


@every_model
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1, 1e9 / 3])
def test_a_zero_or_constant_column_gets_coefficient_zero(model, constant):
    X, y = table()
    wider = np.column_stack([X, np.full(len(y), constant)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankDeficientWarning)
        fitted = model.fit(wider, y)
    np.testing.assert_allclose(fitted.coef_[3], 0.0, atol=1e-13)
    np.testing.assert_allclose(fitted.predict(wider), type(model)(**model.get_params()).fit(X, y).predict(X), rtol=1e-7)


def test_a_duplicated_column_shares_its_coefficient_and_is_named():
    X, y = table()
    single = LeastSquares().fit(X, y).coef_
    with pytest.warns(RankDeficientWarning, match="Drop columns, or use Ridge"):
        double = LeastSquares().fit(np.column_stack([X, X[:, 0]]), y).coef_
    np.testing.assert_allclose(double, [single[0] / 2, *single[1:], single[0] / 2], rtol=1e-12)


@penalised
def test_a_duplicated_column_is_no_problem_for_a_penalty(model):
    X, y = table()
    fitted = model.fit(np.column_stack([X, X[:, 0]]), y)
    np.testing.assert_allclose(fitted.coef_[0], fitted.coef_[3], rtol=1e-6)


@every_model
def test_more_columns_than_rows_have_a_definite_answer(model):
    X, y = table(n=5, d=12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankDeficientWarning)
        fitted = model.fit(X, y)
    centred = X - X.mean(axis=0)
    in_row_space = np.linalg.pinv(centred) @ centred @ fitted.coef_
    np.testing.assert_allclose(in_row_space, fitted.coef_, rtol=1e-9)


@every_model
@pytest.mark.parametrize("kind", [np.int64, np.int8, bool, object])
def test_integer_boolean_and_object_columns_are_numbers(model, kind):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(40, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=40)
    np.testing.assert_array_equal(model.fit(X.astype(kind), y).coef_, model.fit(X.astype(float), y).coef_)


@every_model
def test_text_columns_are_refused(model):
    with pytest.raises(ValueError, match="could not convert string to float"):
        model.fit(np.array([["red"], ["blue"]], dtype=object), [1.0, 2.0])


@every_model
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_sparse_with_intercept_is_the_dense_answer(model, make):
    X, y = table()
    X[np.abs(X) < 0.7] = 0.0
    dense, compressed = type(model)(**model.get_params()).fit(X, y), model.fit(make(X), y)
    np.testing.assert_allclose(compressed.coef_, dense.coef_, rtol=1e-10)
    np.testing.assert_allclose(compressed.predict(make(X)), dense.predict(X), rtol=1e-10)


@every_model
def test_negative_and_all_zero_weights_are_refused(model):
    X, y = table()
    with pytest.raises(ValueError, match=r"sample_weight must be finite and >= 0"):
        model.fit(X, y, sample_weight=-np.ones(30))
    with pytest.raises(ValueError, match="all sample weights are zero"):
        model.fit(X, y, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match="one non-negative number per row"):
        model.fit(X, y, sample_weight=np.ones(29))


@every_model
def test_rows_of_weight_zero_might_as_well_not_be_there(model):
    X, y = table()
    weight = np.ones(30)
    weight[[0, 5]] = 0.0
    y[[0, 5]] = 1e6
    without = type(model)(**model.get_params()).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(model.fit(X, y, sample_weight=weight).coef_, without.coef_, rtol=1e-9)


@every_model
def test_predicting_before_fitting_and_with_other_columns_is_refused(model):
    X, y = table()
    fresh = type(model)(**model.get_params())
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    with pytest.raises(ValueError, match="expecting 3 features"):
        fresh.fit(X, y).predict(X[:, :2])


def test_a_summary_before_fitting_is_refused():
    with pytest.raises(NotFittedError):
        LeastSquares().summary()


@every_model
@pytest.mark.parametrize("size", [1e300, 1e-300, 1e150, 1e-150])
def test_columns_of_any_one_size_scale_their_coefficients(model, size):
    """Without a penalty exactly; a fixed one is felt as the mathematics says; one to be chosen would overflow."""
    X, y = table()
    fresh = type(model)(**model.get_params())
    if model.get_params().get("lam", 0.0) is None:
        with pytest.raises(ValueError, match="StandardScaler"):
            fresh.fit(X * size, y)
        return
    fitted = fresh.fit(X * size, y)
    if size > 1 or isinstance(model, LeastSquares):
        np.testing.assert_allclose(fitted.coef_ * size, LeastSquares().fit(X, y).coef_, rtol=1e-9)
    else:
        np.testing.assert_allclose(fitted.coef_, 0.0, atol=1e-100)


@pytest.mark.parametrize("size", [1e60, 1e-60, 1e6, 1e-6])
def test_a_chosen_penalty_scales_with_the_columns(size):
    X, y = table()
    plain, scaled = Ridge().fit(X, y), Ridge().fit(X * size, y)
    np.testing.assert_allclose(scaled.coef_ * size, plain.coef_, rtol=1e-6)
    np.testing.assert_allclose(scaled.criterion_path_, plain.criterion_path_, rtol=1e-9)


def test_one_column_of_1e300_beside_ordinary_ones():
    """Least squares answers; ridge, whose one penalty cannot treat them alike, says what to do."""
    X, y = table()
    scales = np.array([1e300, 1.0, 1.0])
    np.testing.assert_allclose(
        LeastSquares().fit(X * scales, y).coef_ * scales, LeastSquares().fit(X, y).coef_, rtol=1e-12
    )
    with pytest.raises(ValueError, match="StandardScaler"):
        Ridge().fit(X * scales, y)


@every_model
@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_targets_of_any_size(model, size):
    X, y = table()
    small = type(model)(**model.get_params()).fit(X, y).coef_
    np.testing.assert_allclose(model.fit(X, y * size).coef_, small * size, rtol=1e-9)


@every_model
def test_millisecond_timestamps_as_a_feature(model):
    """y = 3 + 2 per day, plus an ordinary feature; the penalty is not felt by a column of that size."""
    rng = np.random.default_rng(2)
    days, other = np.arange(100.0), rng.normal(size=100)
    stamps = 1_700_000_000_000.0 + 86_400_000.0 * days
    y = 3.0 + 2.0 * days + 5.0 * other
    X = np.column_stack([stamps, other])
    fitted = model.fit(X, y)
    if isinstance(model, LeastSquares):
        np.testing.assert_allclose(fitted.coef_ * [86_400_000.0, 1.0], [2.0, 5.0], rtol=1e-12)
        np.testing.assert_allclose(fitted.predict(X), y, rtol=1e-9)
    else:
        Z = np.column_stack([days, other])
        Z = Z - Z.mean(axis=0)
        sum_lam = 100 * fitted.lam_ * np.array([86_400_000.0**-2, 1.0])
        exact = np.linalg.solve(Z.T @ Z + np.diag(sum_lam), Z.T @ (y - y.mean()))
        np.testing.assert_allclose(fitted.coef_ * [86_400_000.0, 1.0], exact, rtol=1e-9)


@every_model
def test_timestamps_a_millisecond_apart_keep_their_slope(model):
    stamps = 1_700_000_000_000.0 + np.arange(50.0)
    fitted = model.fit(stamps[:, None], 2.0 * np.arange(50.0) + 1.0)
    if isinstance(model, LeastSquares):
        np.testing.assert_allclose(fitted.coef_, 2.0, rtol=1e-12)
    np.testing.assert_allclose(
        fitted.coef_, 2.0 / (1 + fitted.__dict__.get("lam_", 0.0) / np.var(np.arange(50))), rtol=1e-9
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_in_large_arrays_too(monkeypatch, bad):
    monkeypatch.setattr("surefit.estimators.logistic.LARGE", 100)
    X, y = np.random.default_rng(0).standard_normal((60, 3)), np.arange(60) % 2
    fitted = LogisticRegression(lam=0.1).fit(X, y)
    monkeypatch.undo()
    assert np.array_equal(LogisticRegression(lam=0.1).fit(X, y).coef_, fitted.coef_)
    monkeypatch.setattr("surefit.estimators.logistic.LARGE", 100)
    X[50, 1] = bad
    with pytest.raises(ValueError, match=r"contains NaN|contains infinity"):
        LogisticRegression(lam=0.1).fit(X, y)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 1, 777, 2999])
@pytest.mark.parametrize(
    ("k", "settings"), [(2, {}), (3, {}), (2, {"solver": "lbfgs", "lam": 0.0}), (2, {"lam": None})]
)
def test_one_number_that_is_not_finite_is_found_wherever_it_is(monkeypatch, bad, at, k, settings):
    """Rows that start the iteration, that measure its metric, or that neither sees."""
    monkeypatch.setattr("surefit.estimators.logistic.LARGE", 100)
    monkeypatch.setattr("surefit.solvers.logistic.limits.NEWTON_WORK", 0.0)
    monkeypatch.setattr("surefit.solvers.logistic.limits.WORTH_A_COPY", 0)
    X, y = np.random.default_rng(0).standard_normal((3000, 4)), np.arange(3000) % k
    X[at, at % 4] = bad
    model = LogisticRegression(**{"lam": 0.1, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
            model.fit(X, y)
    assert not hasattr(model, "coef_")
