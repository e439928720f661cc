import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import sparse
from sklearn.datasets import load_diabetes

from benchmarks.nist_data import SET_NAMES, correct_digits, read_set
from surefit import GradientDescent, LeastSquares, RankDeficientWarning, Ridge, least_squares_from_blocks
from surefit.data.blocks.memory import RowBlocks
from surefit.solvers.solution import Status


def nist_digits(name):
    problem = read_set(name)
    model = LeastSquares(fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    table = model.inference()
    return problem, table


@pytest.mark.parametrize("name", SET_NAMES)
def test_nist_reference_problems_to_twelve_digits(name):
    """Certified coefficients: 12 digits (Filip 7); certified standard errors: 8 digits (Filip 6)."""
    problem, table = nist_digits(name)
    assert correct_digits(table.estimate, problem.coef) >= (7 if name == "Filip" else 12)
    assert correct_digits(table.standard_error, problem.coef_sd) >= (6 if name == "Filip" else 8)


@pytest.mark.parametrize("name", SET_NAMES)
def test_nist_in_blocks_of_eight_rows(name):
    """Six digits in one pass, the digits of the in-memory fit with one more."""
    problem, table = nist_digits(name)

    def digits(passes):
        answer = least_squares_from_blocks(RowBlocks(problem.X, problem.y, 8), passes, problem.fit_intercept)
        start = [answer.intercept] if problem.fit_intercept else []
        return correct_digits(np.array([*start, *answer.coef]), problem.coef)

    assert digits(1) >= 6
    assert digits(2) >= correct_digits(table.estimate, problem.coef) - 0.1


def assert_same_as_statsmodels(model, peer):
    """Estimates, errors, tests, intervals and the header of the summary to 1e-9."""
    table = model.inference()
    pairs = [
        (table.estimate, peer.params), (table.standard_error, peer.bse), (table.t, peer.tvalues),
        (table.lower, peer.conf_int()[:, 0]), (table.upper, peer.conf_int()[:, 1]), (table.p_value, peer.pvalues),
    ]  # fmt: skip
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, np.asarray(theirs), rtol=1e-9)
    assert_same_header(model, peer)


def assert_same_header(model, peer):
    facts = model.summary().as_dict()
    flat = {key: value for part in facts.values() if isinstance(part, dict) for key, value in part.items()} | facts
    assert flat["r2"] == pytest.approx(peer.rsquared, rel=1e-9)
    assert flat["adjusted_r2"] == pytest.approx(peer.rsquared_adj, rel=1e-9)
    assert flat["aic"] == pytest.approx(peer.aic, rel=1e-9)
    assert flat["bic"] == pytest.approx(peer.bic, rel=1e-9)


def test_summary_equals_statsmodels_on_longley():
    """In the raw columns statsmodels itself is right to eight digits (NIST); in centred units its numbers are good."""
    data = sm.datasets.longley.load_pandas()
    model = LeastSquares().fit(data.exog, data.endog)
    raw = sm.OLS(data.endog.to_numpy(), sm.add_constant(data.exog.to_numpy())).fit()
    np.testing.assert_allclose(model.inference().standard_error, raw.bse, rtol=1e-7)
    centre, spread = data.exog.mean().to_numpy(), data.exog.std().to_numpy()
    peer = sm.OLS(data.endog.to_numpy(), sm.add_constant((data.exog.to_numpy() - centre) / spread)).fit()
    back = np.diag([1.0, *(1 / spread)])
    back[0, 1:] = -centre / spread
    table = model.inference()
    error = np.sqrt(np.diag(back @ peer.cov_params() @ back.T))
    np.testing.assert_allclose(table.estimate, back @ peer.params, rtol=1e-9)
    np.testing.assert_allclose(table.standard_error, error, rtol=1e-9)
    np.testing.assert_allclose(table.p_value[1:], peer.pvalues[1:], rtol=1e-9)
    np.testing.assert_allclose(table.upper[1:], (peer.conf_int()[:, 1] @ back.T)[1:], rtol=1e-9)
    assert_same_header(model, peer)


def test_summary_equals_statsmodels_on_diabetes():
    X, y = load_diabetes(return_X_y=True)
    assert_same_as_statsmodels(LeastSquares().fit(X, y), sm.OLS(y, sm.add_constant(X)).fit())


def test_summary_equals_statsmodels_on_a_weighted_case():
    X, y = load_diabetes(return_X_y=True)
    weight = 0.5 + np.random.default_rng(0).random(len(y))
    model = LeastSquares().fit(X[:, :4], y, sample_weight=weight)
    assert_same_as_statsmodels(model, sm.WLS(y, sm.add_constant(X[:, :4]), weights=weight).fit())


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_standard_errors_equal_statsmodels(kind):
    X, y = load_diabetes(return_X_y=True)
    peer = sm.OLS(y, sm.add_constant(X)).fit(cov_type=kind)
    np.testing.assert_allclose(LeastSquares().fit(X, y).inference(covariance=kind).standard_error, peer.bse, rtol=1e-9)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_the_data_frame_reach_the_summary(frame):
    rng = np.random.default_rng(1)
    table = frame({"height": rng.normal(size=20), "weight": rng.normal(size=20)})
    text = str(LeastSquares().fit(table, pd.Series(rng.normal(size=20), name="price")).summary())
    for name in ("height", "weight", "price", "intercept"):
        assert name in text
    assert max(map(len, text.splitlines())) <= 80


def test_inference_refuses_where_the_theory_does_not_hold_and_the_summary_says_why():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    for model, reason in (
        (LeastSquares().fit(X[:4], y[:4]), "degrees of freedom"),
        (LeastSquares().fit(X, np.column_stack([y, y])), "one column of y at a time"),
        (LeastSquares(solver="gradient").fit(X, y), "exact minimiser"),
    ):
        with pytest.raises(ValueError, match=reason):
            model.inference()
        assert reason in " ".join(str(model.summary()).split())


def test_of_many_redundant_columns_the_warning_names_three_and_counts_the_others():
    X, y = np.random.default_rng(0).normal(size=(30, 8)), np.ones(30)
    with pytest.warns(RankDeficientWarning, match="rank 8 of 16: 'x8', 'x9', 'x10' and 5 more can be written"):
        LeastSquares().fit(np.column_stack([X, X]), y)


@pytest.mark.parametrize("solver", ["auto", "svd"])
def test_all_redundant_columns_are_named_at_once_and_marked_in_the_table(solver):
    """The table is that of a fit without them; earlier columns are kept, as R does."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    names = ["a", "double", "b", "c", "sum", "one"]
    frame = pd.DataFrame(np.column_stack([X[:, 0], 2 * X[:, 0], X[:, 1:], X @ [1.0, 0, 3], np.ones(30)]), columns=names)
    with pytest.warns(RankDeficientWarning, match="rank 3 of 6: 'double', 'sum', 'one' can be written"):
        model = LeastSquares(solver=solver).fit(frame, y)
    with pytest.raises(ValueError, match=r"'double', 'sum', 'one' can be written.*drop these columns"):
        model.inference()
    found, known = model.summary().to_frame(), LeastSquares().fit(frame[["a", "b", "c"]], y).inference()
    assert found.index[found["estimate"].isna()].tolist() == ["double", "sum", "one"]
    np.testing.assert_allclose(found["estimate"].dropna(), known.estimate, rtol=1e-9)
    np.testing.assert_allclose(found["std_error"].dropna(), known.standard_error, rtol=1e-9)
    text = str(model.summary())
    assert next(line for line in text.splitlines() if line.startswith("double")).split()[1:] == ["NA"] * 6
    assert "'double', 'sum', 'one' can be written with the other columns" in " ".join(text.split())


def seconds_and_hours(rng):
    seconds = 1.7e9 + rng.integers(0, 10**6, 60)
    return pd.DataFrame({"noise": rng.normal(size=60), "sec": seconds, "hour": seconds / 3600.0}), "'sec', 'hour'"


def combination_with_offset(rng):
    part = rng.normal(size=(60, 2)) + 1e3
    return np.column_stack([part, part @ [0.3, 0.7], rng.normal(size=60)]), "'x0', 'x1', 'x2'"


def combination_in_single_precision(rng):
    part = (rng.normal(size=(60, 2)) + 30.0).astype(np.float32)
    return np.column_stack([part, part @ np.array([0.3, 0.7], dtype=np.float32)]), "'x0', 'x1', 'x2'"


@pytest.mark.parametrize("made", [seconds_and_hours, combination_with_offset, combination_in_single_precision])
@pytest.mark.parametrize("model", [LeastSquares(), LeastSquares(solver="svd"), Ridge(lam=0.0)], ids=str)
def test_columns_that_depend_on_each_other_up_to_their_rounding_are_never_silent(made, model):
    """What is left of the dependence after centring is the rounding of the offset, seen as a column of its own."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, names = made(rng)
        with pytest.warns(RankDeficientWarning, match=f"^the columns {names} depend on each other up to the rounding"):
            model.fit(X, rng.normal(size=60))


def test_dependence_up_to_rounding_is_noticed_beside_an_exact_one_and_with_weights():
    X, _ = seconds_and_hours(np.random.default_rng(0))
    weight = np.linspace(0.0, 2.0, 60)
    with (
        pytest.warns(RankDeficientWarning, match=r"rank 3 of 4: 'one' can be written"),
        pytest.warns(RankDeficientWarning, match=r"columns 'sec', 'hour' depend.*Drop one of these columns"),
    ):
        LeastSquares().fit(X.assign(one=1.0), X["noise"], weight)


def test_columns_far_from_zero_that_still_differ_by_more_than_rounding_are_silent():
    """Years and their powers are nearly dependent, but the data determine every coefficient."""
    years = np.random.default_rng(1).uniform(2000, 2020, size=50)
    X = np.column_stack([years, years**2, years**3])
    truth = np.array([3.0, -2e-3, 1e-6])
    np.testing.assert_allclose(LeastSquares().fit(X, X @ truth).coef_, truth, rtol=1e-2)


@pytest.mark.parametrize("p", [2, 3])
@pytest.mark.parametrize("model", [LeastSquares(), LeastSquares(solver="svd"), Ridge(lam=0.0)], ids=str)
def test_as_many_rows_as_columns_beside_an_intercept_are_never_of_full_rank(model, p):
    """Centred rows sum to zero; what rounding leaves of that sum is not a direction."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(p, p)), rng.normal(size=p)
        with pytest.warns(RankDeficientWarning, match=f"rank {p - 1} of {p}"):
            model.fit(X, y)
        shortest = np.linalg.pinv(X - X.mean(axis=0), rcond=1e-10) @ (y - y.mean())
        np.testing.assert_allclose(model.coef_, shortest, rtol=1e-6)
        np.testing.assert_allclose(model.predict(X), y, atol=1e-6)


def test_a_stored_model_predicts_but_does_not_carry_the_data():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(5000, 3)), rng.normal(size=5000)
    model = LeastSquares().fit(X, y)
    stored = pickle.dumps(model)
    assert len(stored) < 20_000
    again = pickle.loads(stored)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.solution_.facts == model.solution_.facts
    for covariance in ("classical", "HC0", "HC3"):
        assert str(again.summary(covariance=covariance, level=0.9)) == str(
            model.summary(covariance=covariance, level=0.9)
        )
        asked = {"covariance": covariance, "level": 0.8}
        np.testing.assert_allclose(again.inference(**asked).upper, model.inference(**asked).upper)
    for ask in (again.linear_fit, again.influence):
        with pytest.raises(ValueError, match=r"do not travel with a stored model.*fit again"):
            ask()


def test_a_stored_model_refuses_the_inference_that_it_refused_before():
    with pytest.warns(RankDeficientWarning):
        model = LeastSquares().fit(np.ones((9, 2)) * np.arange(9.0)[:, None], np.arange(9.0) ** 2)
    again = pickle.loads(pickle.dumps(model))
    assert str(again.summary()) == str(model.summary())
    with pytest.raises(ValueError, match="not determined by the data"):
        again.inference()


def test_iterative_solvers_keep_their_history():
    """Catalogue A-07: the iterates of fixture one through the estimator."""
    X, y = [[0.0], [1], [2], [3]], [1.0, 3, 2, 5]
    model = LeastSquares(solver=GradientDescent(step=0.1, max_iter=2)).fit(X, y)
    np.testing.assert_allclose((model.intercept_, model.coef_[0]), (0.66, 1.265), rtol=1e-14)
    assert len(model.solution_.history["objective"]) == 3
    assert model.solution_.status is Status.MAX_ITER
    with pytest.raises(ValueError, match="one target at a time"):
        LeastSquares(solver="stochastic").fit(X, np.eye(4))
    with pytest.raises(ValueError, match="solver must be one of"):
        LeastSquares(solver="lbfgs").fit(X, y)


def test_single_precision_in_single_precision_out():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(30, 3)).astype(np.float32), rng.normal(size=30).astype(np.float32)
    model = LeastSquares().fit(X, y)
    assert model.coef_.dtype == np.float32
    assert model.predict(X).dtype == np.float32


def test_influence_names_the_planted_outlier():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 2))
    y = X @ [1.0, 2.0] + 0.1 * rng.normal(size=40)
    y[17] += 5.0
    influence = LeastSquares().fit(X, y).influence()
    assert np.argmax(influence.cooks_distance) == 17
    assert np.argmax(np.abs(influence.external_residuals)) == 17


def test_sparse_input_gives_the_dense_summary():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(50, 4)) * (rng.random((50, 4)) < 0.4)
    y = X @ [1.0, 2.0, 0.0, -1.0] + 3.0 + rng.normal(size=50)
    dense, compressed = LeastSquares().fit(X, y), LeastSquares().fit(sparse.csc_matrix(X), y)
    np.testing.assert_allclose(compressed.coef_, dense.coef_, rtol=1e-13)
    np.testing.assert_allclose(
        compressed.inference(covariance="HC3").standard_error,
        dense.inference(covariance="HC3").standard_error,
        rtol=1e-10,
    )


@pytest.mark.parametrize("apart", [1e-6, 1e-7, 1e-9])
def test_what_is_left_out_is_the_same_for_columns_that_are_nearly_alike(apart):
    """Leave-one-out, intervals and ridge depend on the span of the columns, however small the angle between them."""
    x, z, noise = np.random.default_rng(1).normal(size=(3, 40))
    X, y = np.column_stack([x, x + apart * z]), x + 2 * z + 0.1 * noise
    apart_by_hand = np.column_stack([x, (X[:, 1] - X[:, 0]) / apart])
    near, far = LeastSquares().fit(X, y), LeastSquares().fit(apart_by_hand, y)
    refits = [
        y[i] - LeastSquares().fit(np.delete(apart_by_hand, i, 0), np.delete(y, i)).predict(apart_by_hand[[i]])[0]
        for i in range(40)
    ]
    assert near.leave_one_out().mean_squared_error == pytest.approx(np.mean(np.square(refits)), rel=1e-4)
    bands = [model.predict_interval(rows[:5]) for model, rows in ((near, X), (far, apart_by_hand))]
    np.testing.assert_allclose(*[band.upper - band.lower for band in bands], rtol=1e-3)
    assert Ridge().fit(X, y).score(X, y) == pytest.approx(near.score(X, y), abs=1e-3)
    errors = [
        model.fit(X, y).inference(covariance="HC3").standard_error for model in (LeastSquares(), Ridge(lam=1e-24))
    ]
    np.testing.assert_allclose(*errors, rtol=1e-3)


@pytest.mark.parametrize("solver", ["auto", "qr", "svd", "cholesky"])
def test_coefficients_that_underflow_are_refused_in_a_sentence(solver):
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match=r"reach 2e\+150 fall below the range of floating.*rescale the columns.*or y"):
        LeastSquares().fit(1e150 * X, 1e-200 * (X @ [2.0, -1.0]))
    with pytest.raises(ValueError, match=r"reach 2e\+120 fall below the range of floating point numbers"):
        LeastSquares(solver=solver).fit(1e120 * X, 1e-200 * np.column_stack([X @ [2.0, -1.0], X[:, 0]]))
