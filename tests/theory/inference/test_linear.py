"""Classical inference against statsmodels, NIST, brute force and simulation.  Catalogue A-01, T-09."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse, stats
from sklearn.datasets import load_diabetes

from surefit.theory.inference import influence, linear
from surefit.theory.inference.linear import (
    LinearFit,
    coefficient_table,
    contrasts,
    covariance_matrix,
    fit_statistics,
    mean_interval,
    prediction_interval,
    refuse_penalised,
    slopes_test,
    variance_inflation,
    wald_test,
)

NIST = Path(__file__).parents[2] / "reference" / "nist"
HC = ["HC0", "HC1", "HC2", "HC3"]
CASES = ["longley, standardised", "diabetes", "weighted", "no intercept", "weighted, no intercept"]


def design(X, fit_intercept=True):
    return np.column_stack([np.ones(len(X)), X]) if fit_intercept else np.asarray(X)


def fitted(X, y, weight=None, fit_intercept=True, **facts):
    """A `LinearFit` by QR of the weighted design."""
    root = np.sqrt(np.ones(len(y)) if weight is None else weight)
    Q, R = linalg.qr(design(X, fit_intercept) * root[:, None], mode="economic")
    theta = linalg.solve_triangular(R, Q.T @ (root * y))
    L = linalg.solve_triangular(R, np.eye(len(R)))
    first = int(fit_intercept)
    return LinearFit(X, y, theta[first:], theta[0] if first else 0.0, L, weight, fit_intercept, **facts)


def data(case):
    if "longley" in case:
        loaded = sm.datasets.longley.load_pandas()
        X, y = loaded.exog.to_numpy(), loaded.endog.to_numpy()
        # on the raw columns statsmodels itself keeps 8 digits only: see the test in exact arithmetic
        return (X - X.mean(axis=0)) / X.std(axis=0) if "standardised" in case else X, y, None, True
    X, y = load_diabetes(return_X_y=True, scaled=False)
    weight = np.random.default_rng(5).uniform(0.2, 4.0, len(y)) if "weighted" in case else None
    return X, y, weight, "no intercept" not in case


def both(case):
    """Our fit and the statsmodels results of one case."""
    X, y, weight, fit_intercept = data(case)
    A = design(X, fit_intercept)
    model = sm.OLS(y, A) if weight is None else sm.WLS(y, A, weights=weight)
    return fitted(X, y, weight, fit_intercept), model.fit(method="qr")


def small(n=20, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 1 + rng.normal(size=n)


@pytest.mark.parametrize("case", CASES)
def test_table_and_statistics_equal_statsmodels(case):
    """Catalogue A-01, T-09: standard errors, t, p, intervals, F, R2, likelihood, AIC, BIC."""
    fit, other = both(case)
    table, found, test = coefficient_table(fit, level=0.9), fit_statistics(fit), slopes_test(fit)
    close = {"rtol": 1e-9}
    np.testing.assert_allclose(table.standard_error, other.bse, **close)
    np.testing.assert_allclose(table.t, other.tvalues, rtol=1e-9)
    np.testing.assert_allclose(table.p_value, other.pvalues, rtol=1e-9)
    np.testing.assert_allclose(np.column_stack([table.lower, table.upper]), other.conf_int(0.1), rtol=1e-9)
    ours = [found.r2, found.adjusted_r2, found.residual_standard_error**2, found.log_likelihood, found.aic, found.bic]
    theirs = [other.rsquared, other.rsquared_adj, other.scale, other.llf, other.aic, other.bic]
    np.testing.assert_allclose(ours, theirs, **close)
    np.testing.assert_allclose([test.statistic, test.p_value], [other.fvalue, other.f_pvalue], **close)
    assert (test.df_numerator, test.df_denominator) == (other.df_model, other.df_resid)
    sizes = np.outer(other.bse, other.bse)
    np.testing.assert_allclose(covariance_matrix(fit) / sizes, other.cov_params() / sizes, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("covariance", HC)
def test_hc_errors_equal_statsmodels_under_t_and_normal(case, covariance):
    """Catalogue A-01: `get_robustcov_results` uses t there, `fit(cov_type=...)` the normal; we offer both."""
    fit, other = both(case)
    with_t, with_normal = other.get_robustcov_results(covariance), other.model.fit(method="qr", cov_type=covariance)
    table = coefficient_table(fit, covariance)
    np.testing.assert_allclose(table.standard_error, with_t.bse, rtol=1e-9)
    np.testing.assert_allclose(table.p_value, with_t.pvalues, rtol=1e-9)
    limit = coefficient_table(fit, covariance, distribution="normal")
    np.testing.assert_allclose(limit.p_value, with_normal.pvalues, rtol=1e-8, atol=1e-300)
    np.testing.assert_allclose(limit.lower, with_normal.conf_int()[:, 0], rtol=1e-9)
    test = slopes_test(fit, covariance)
    np.testing.assert_allclose([test.statistic, test.p_value], [with_t.fvalue, with_t.f_pvalue], rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("covariance", ["classical", "HC3"])
def test_wald_test_and_contrasts_equal_statsmodels(case, covariance):
    """Catalogue T-09: joint and single tests of ``R theta = q``."""
    fit, other = both(case)
    if covariance == "HC3":
        other = other.get_robustcov_results("HC3")
    p = fit.n_parameters
    R, q = np.zeros((2, p)), np.array([0.3, -0.2])
    R[0, [1, 2]], R[1, [2, 3]] = [1, -1], [2, 1]
    ours, theirs = wald_test(fit, R, q, covariance), other.f_test((R, q))
    np.testing.assert_allclose([ours.statistic, ours.p_value], [theirs.fvalue, theirs.pvalue], rtol=1e-8)
    chi2, their_chi2 = wald_test(fit, R, q, covariance, "normal"), other.wald_test((R, q), use_f=False, scalar=True)
    np.testing.assert_allclose([chi2.statistic, chi2.p_value], [their_chi2.statistic, their_chi2.pvalue], rtol=1e-8)
    single, their_single = contrasts(fit, R, q, covariance), other.t_test((R, q))
    np.testing.assert_allclose(single.t, their_single.tvalue, rtol=1e-8)
    np.testing.assert_allclose(single.standard_error, their_single.sd, rtol=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_intervals_at_new_rows_equal_statsmodels(case):
    """Catalogue A-01, T-09."""
    fit, other = both(case)
    rng = np.random.default_rng(2)
    X_new = fit.X[:5] * rng.uniform(0.99, 1.01, (5, fit.X.shape[1]))
    new_weight = rng.uniform(0.5, 2, 5)
    frame = other.get_prediction(design(X_new, fit.fit_intercept), weights=new_weight).summary_frame(alpha=0.2)
    mean, new = mean_interval(fit, X_new, level=0.8), prediction_interval(fit, X_new, 0.8, new_weight)
    np.testing.assert_allclose(mean.standard_error, frame["mean_se"], rtol=1e-9)
    np.testing.assert_allclose(
        np.array([mean.lower, mean.upper]).T, frame[["mean_ci_lower", "mean_ci_upper"]], rtol=1e-9
    )
    np.testing.assert_allclose(np.array([new.lower, new.upper]).T, frame[["obs_ci_lower", "obs_ci_upper"]], rtol=1e-9)


@pytest.mark.parametrize("covariance", ["classical", *HC])
def test_mean_interval_is_the_contrast_with_that_row(covariance):
    """Catalogue T-09: two routes to ``a' Cov a``."""
    fit = fitted(*small())
    row = np.array([[0.3, -1.0, 2.0]])
    here, there = mean_interval(fit, row, covariance), contrasts(fit, design(row), 0.0, covariance)
    np.testing.assert_allclose([here.lower, here.upper], [there.lower, there.upper], rtol=1e-12)


def test_f_test_equals_the_growth_of_the_residuals_under_the_restriction():
    """Catalogue T-09: ``((rss0 - rss) / q) / s2`` with ``rss0`` of the refit without the two columns."""
    X, y = small(n=30, d=5)
    fit, without = fitted(X, y), fitted(X[:, :3], y)
    growth = (without.rss - fit.rss) / 2 / fit.scale
    np.testing.assert_allclose(wald_test(fit, np.eye(6)[4:]).statistic, growth, rtol=1e-10)


def test_a_constant_column_counts_as_the_intercept():
    """Catalogue A-05: R2, F and inflation as with an intercept, also where dummies of a factor hide the constant."""
    X, y = small(n=24)
    inside, outside = fitted(design(X), y, fit_intercept=False), fitted(X, y)
    assert fit_statistics(inside).r2 == pytest.approx(fit_statistics(outside).r2, rel=1e-12)
    np.testing.assert_allclose(variance_inflation(inside)[1:], variance_inflation(outside), rtol=1e-11)
    group = np.eye(3)[np.arange(24) % 3]
    hidden, shown = (
        fitted(np.column_stack([group, X]), y, fit_intercept=False),
        fitted(np.column_stack([group[:, 1:], X]), y),
    )
    for covariance in ["classical", *HC]:
        a, b = slopes_test(hidden, covariance), slopes_test(shown, covariance)
        np.testing.assert_allclose([a.statistic, a.df_numerator], [b.statistic, b.df_numerator], rtol=1e-10)
    assert fit_statistics(hidden).centred
    assert not fit_statistics(fitted(X, y, fit_intercept=False)).centred


def certified(name):
    """Data, standard errors, residual sd, R2 and F of a NIST StRD file."""
    lines = (NIST / f"{name}.dat").read_text().splitlines()
    rows = [line.split() for line in lines]
    pairs = np.array([row[1:3] for row in rows if len(row) == 3 and row[0][0] == "B" and row[0][1:].isdigit()], float)
    number = lambda start: next(float(line.split()[-1]) for line in lines if line.strip().startswith(start))
    facts = number("Standard Deviation  "), number("R-Squared"), number("Regression  ")
    start = max(i for i, row in enumerate(rows) if row[:1] == ["Data:"]) + 1
    numbers = np.array([row for row in rows[start:] if row], float)
    return numbers[:, 0], numbers[:, 1:], pairs[:, 1], facts


@pytest.mark.parametrize(("name", "tolerance"), [("Longley", 1e-9), ("Wampler5", 1e-9)])
def test_nist_certified_errors(name, tolerance):
    """Catalogue A-01, A-02: National Institute of Standards and Technology, Statistical Reference Datasets."""
    y, X, errors, (sd, r2, F) = certified(name)
    X = X if X.shape[1] > 1 else X ** np.arange(1, 6)
    fit = fitted(X, y)
    np.testing.assert_allclose(coefficient_table(fit).standard_error, errors, rtol=tolerance)
    found = fit_statistics(fit)
    ours = [found.residual_standard_error, found.r2, slopes_test(fit).statistic]
    np.testing.assert_allclose(ours, [sd, r2, F], rtol=tolerance)


def exact_inverse(G):
    """Inverse of a matrix of fractions by Gauss-Jordan."""
    p = len(G)
    M = [list(row) + [Fraction(int(i == j)) for j in range(p)] for i, row in enumerate(G)]
    for i in range(p):
        M[i] = [entry / M[i][i] for entry in M[i]]
        for k in set(range(p)) - {i}:
            M[k] = [a - M[k][i] * b for a, b in zip(M[k], M[i], strict=True)]
    return np.array([row[p:] for row in M])


def test_longley_in_exact_rational_arithmetic():
    """Catalogue A-01: HC errors, leverages and F of the raw columns keep 11 digits (their condition number is 5e9)."""
    X, y, _, _ = data("longley")
    A = np.vectorize(Fraction)(design(X).astype(float))
    inverse = exact_inverse(A.T @ A)
    influence_of_row = A @ inverse
    leverage = np.sum(influence_of_row * A, axis=1)
    target = np.vectorize(Fraction)(y)
    residual = target - A @ (influence_of_row.T @ target)
    fit = fitted(X, y)
    np.testing.assert_allclose(fit.leverages, leverage.astype(float), rtol=1e-11)
    for kind, power in (("HC0", 0), ("HC3", 1)):
        moves = influence_of_row * (residual / (1 - leverage) ** power)[:, None]
        exact = np.sqrt(np.sum(moves**2, axis=0).astype(float))
        np.testing.assert_allclose(coefficient_table(fit, kind).standard_error, exact, rtol=1e-11)
    spread = np.array([[A[i, j] - sum(A[:, j]) / 16 for j in range(1, 7)] for i in range(16)])
    inflation = np.sum(spread**2, axis=0) * np.diag(inverse)[1:]
    np.testing.assert_allclose(variance_inflation(fit), inflation.astype(float), rtol=1e-11)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("numbers", [1, 7, 2**20])
def test_sparse_rows_in_blocks_give_the_dense_numbers(monkeypatch, fit_intercept, numbers):
    """Catalogue A-01: the answer does not depend on the size of a block (1 and 7 numbers: single rows, row pairs)."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3)) * (rng.random((40, 3)) < 0.4)
    y, weight = rng.normal(size=40), rng.uniform(0.5, 2, 40)
    dense = fitted(X, y, weight, fit_intercept)
    reference = [coefficient_table(dense, kind).standard_error for kind in ["classical", *HC]]
    inflation, mean = variance_inflation(dense), mean_interval(dense, X[:5], "HC2").standard_error
    monkeypatch.setattr(influence, "BLOCK_NUMBERS", numbers)
    for container in (sparse.csr_array, sparse.csc_matrix):
        thin = LinearFit(
            container(X), y, dense.coef, dense.intercept, dense.inverse_root, weight, fit_intercept
        )  # fmt: skip
        for kind, expected in zip(["classical", *HC], reference, strict=True):
            np.testing.assert_allclose(coefficient_table(thin, kind).standard_error, expected, rtol=1e-11)
        np.testing.assert_allclose(variance_inflation(thin), inflation, rtol=1e-12)
        np.testing.assert_allclose(mean_interval(thin, container(X[:5]), "HC2").standard_error, mean, rtol=1e-11)


@pytest.mark.parametrize("covariance", ["classical", *HC])
def test_rows_of_weight_zero_are_not_there(covariance):
    """Catalogue A-01: ``n`` counts the rows with positive weight."""
    X, y = small(n=25)
    weight = np.linspace(0.5, 2, 25)
    weight[[3, 11, 24]] = 0.0
    kept = weight > 0
    all_rows, fewer = fitted(X, y, weight), fitted(X[kept], y[kept], weight[kept])
    a, b = coefficient_table(all_rows, covariance), coefficient_table(fewer, covariance)
    np.testing.assert_allclose(np.array([a.lower, a.upper]), np.array([b.lower, b.upper]), rtol=1e-11)
    assert fit_statistics(all_rows).aic == pytest.approx(fit_statistics(fewer).aic, rel=1e-12)
    assert all_rows.df_residual == 18


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), units=st.floats(1e-6, 1e6), money=st.floats(1e-6, 1e6), shift=st.floats(-10, 10))
def test_units_do_not_change_t_and_f(seed, units, money, shift):
    """Catalogue T-09: ``x -> units * x + shift``, ``y -> money * y`` leave t of the slopes, F, R2 and HC t alone."""
    X, y = small(n=15, d=2, seed=seed)
    fit, other = fitted(X, y), fitted(X * [units, 1.0] + shift * np.array([units, 1.0]), money * y)
    for kind in ("classical", "HC3"):
        np.testing.assert_allclose(coefficient_table(other, kind).t[1:], coefficient_table(fit, kind).t[1:], rtol=1e-7)
    assert slopes_test(other).statistic == pytest.approx(slopes_test(fit).statistic, rel=1e-8)
    assert fit_statistics(other).adjusted_r2 == pytest.approx(fit_statistics(fit).adjusted_r2, rel=1e-8, abs=1e-10)


def test_covariance_is_that_of_repeated_experiments():
    """Catalogue T-09.  20,000 seeded repeats; each entry within 6 of its standard deviations (about 1e-8 a piece)."""
    X, _ = small(n=12, d=2)
    sigma, repeats = 0.7, 20_000
    rng = np.random.default_rng(11)
    noise = sigma * rng.normal(size=(12, repeats))
    observed = np.cov(np.linalg.lstsq(design(X), noise, rcond=None)[0])
    fit = fitted(X, noise[:, 0])
    truth = covariance_matrix(fit) * sigma**2 / fit.scale
    spread = np.sqrt((truth**2 + np.outer(np.diag(truth), np.diag(truth))) / repeats)
    assert np.all(np.abs(observed - truth) < 6 * spread)


def test_intervals_cover_and_p_values_are_uniform_in_small_samples():
    """Catalogue T-09.  Normal noise, 3 degrees of freedom, 3,000 seeded repeats; false alarm 1e-6 per assertion."""
    rng = np.random.default_rng(17)
    X, repeats = rng.normal(size=(6, 2)), 3000
    base = fitted(X, rng.normal(size=6))
    truth, new = np.array([1.0, 0.0, -2.0]), np.array([[0.5, 1.0]])
    slope, observation, p_value = 0, 0, []
    for _ in range(repeats):
        y = design(X) @ truth + rng.normal(size=6)
        theta = base.inverse_root @ (base.inverse_root.T @ (design(X).T @ y))
        fit = LinearFit(X, y, theta[1:], theta[0], base.inverse_root)
        table, ahead = coefficient_table(fit, level=0.9), prediction_interval(fit, new, level=0.9)
        slope += table.lower[2] <= truth[2] <= table.upper[2]
        observation += ahead.lower[0] <= (design(new) @ truth)[0] + rng.normal() <= ahead.upper[0]
        p_value.append(table.p_value[1])
    for hits in (slope, observation):
        assert stats.binomtest(int(hits), repeats, 0.9).pvalue > 1e-6
    assert stats.kstest(p_value, "uniform").pvalue > 1e-6


def test_hc_intervals_cover_where_classical_ones_do_not():
    """Catalogue A-01: noise growing with ``|x|``, n = 400, 600 seeded repeats at 95 %; false alarm below 1e-6."""
    rng = np.random.default_rng(23)
    X = rng.normal(size=(400, 1))
    base = fitted(X, rng.normal(size=400))
    hits = {"classical": 0, "HC3": 0}
    for _ in range(600):
        y = np.abs(X[:, 0]) ** 1.5 * rng.normal(size=400)
        theta = base.inverse_root @ (base.inverse_root.T @ (design(X).T @ y))
        fit = LinearFit(X, y, theta[1:], theta[0], base.inverse_root)
        for kind in hits:
            table = coefficient_table(fit, kind)
            hits[kind] += bool(table.lower[1] <= 0 <= table.upper[1])
    assert stats.binomtest(hits["HC3"], 600, 0.93, alternative="less").pvalue > 1e-6
    assert stats.binomtest(hits["classical"], 600, 0.85, alternative="greater").pvalue > 1e-6


def test_exact_fits_and_constant_targets_give_limits_without_warnings():
    """Catalogue A-01: no noise gives zero standard errors and infinite F; a constant target has no R2."""
    X = np.arange(6.0)[:, None]
    line = LinearFit(X, 2 * X[:, 0], np.array([2.0]), 0.0, fitted(X, X[:, 0]).inverse_root)
    table = coefficient_table(line)
    assert table.standard_error.tolist() == [0.0, 0.0]
    assert table.t[1] == np.inf
    assert table.p_value[1] == 0.0
    assert np.isnan(table.t[0])
    assert fit_statistics(line).log_likelihood == np.inf
    assert fit_statistics(line).r2 == 1.0
    assert slopes_test(line).statistic == slopes_test(line, "HC1").statistic == np.inf
    assert line.exact
    flat = LinearFit(X, np.full(6, 0.1), np.array([1e-18]), 0.1, line.inverse_root)
    assert np.isnan([fit_statistics(flat).r2, slopes_test(flat).statistic, slopes_test(flat).p_value]).all()


def test_leverage_one_stops_hc3_but_not_hc1():
    """Catalogue T-76: a row alone in its dummy column is fitted exactly."""
    X, y = small(n=12, d=2)
    X = np.column_stack([X, np.arange(12) == 4])
    fit = fitted(X, y)
    for kind in ("HC2", "HC3"):
        with pytest.raises(ValueError, match=r"row 4 has leverage 1.*use HC1"):
            coefficient_table(fit, kind)
    np.testing.assert_allclose(
        coefficient_table(fit, "HC1").standard_error[:3], sm.OLS(y, design(X)).fit(cov_type="HC1").bse[:3], rtol=1e-9
    )


def test_bad_questions_are_refused_with_the_reason():
    """Levels, names of covariances and distributions, restrictions and new rows are checked."""
    fit = fitted(*small())
    for ask, message in [
        (lambda: coefficient_table(fit, level=95), "level must be between 0 and 1, got 95"),
        (lambda: coefficient_table(fit, "HC4"), "covariance must be one of classical, HC0.*got 'HC4'"),
        (lambda: wald_test(fit, np.eye(4), distribution="z"), "distribution must be one of t, normal"),
        (lambda: wald_test(fit, np.eye(3)), "restriction must have 4 columns"),
        (lambda: wald_test(fit, np.array([[0, 1, 1, 0], [0, 2, 2, 0]])), "linearly dependent"),
        (lambda: mean_interval(fit, np.zeros((2, 4))), "X_new must have 3 columns"),
        (lambda: mean_interval(fit, np.zeros(3)), "X_new must have 3 columns"),
        (lambda: prediction_interval(fit, np.zeros((2, 3)), sample_weight=0.0), "sample_weight must be > 0"),
        (lambda: refuse_penalised("Ridge", 2.0), "Ridge with lam=2 is penalised"),
    ]:
        with pytest.raises(ValueError, match=message):
            ask()


def test_hc_errors_do_not_depend_on_the_route(monkeypatch):
    """Catalogue A-01: Gram matrix and QR give one covariance; nearly exact rows (errors 1 and 1e-9) need the QR."""
    fit = fitted(*small(n=60))
    fast = coefficient_table(fit, "HC3").standard_error
    monkeypatch.setattr(linear, "GRAM_SAFE", np.inf)
    np.testing.assert_allclose(coefficient_table(fit, "HC3").standard_error, fast, rtol=1e-12)
    monkeypatch.undo()
    group = np.eye(2)[np.arange(40) % 2]
    residuals = np.where(np.arange(40) % 4 < 2, 1.0, -1.0) * np.where(np.arange(40) % 2, 1e-9, 1.0)
    split = LinearFit(group, residuals, np.zeros(2), 0.0, np.eye(2) / np.sqrt(20), fit_intercept=False)
    exact = np.array([1.0, 1e-9]) / np.sqrt(20)
    np.testing.assert_allclose(coefficient_table(split, "HC0").standard_error, exact, rtol=1e-12)
    turn = linalg.qr(np.array([[1.0, 2.0], [3.0, -1.0]]))[0]
    turned = LinearFit(group, residuals, np.zeros(2), 0.0, turn / np.sqrt(20), fit_intercept=False)
    np.testing.assert_allclose(coefficient_table(turned, "HC0").standard_error, exact, rtol=1e-6)
