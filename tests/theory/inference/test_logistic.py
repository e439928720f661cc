"""Inference for the unpenalised fit equals statsmodels' to 1e-7 and the textbook's by hand.  A-29, A-30, T-78."""

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.datasets import load_breast_cancer

from surefit import LogisticRegression
from surefit.theory.inference.logistic import (
    LogisticFit,
    logistic_statistics,
    logistic_table,
)
from surefit.theory.inference.logistic_tests import likelihood_ratio_test, logistic_wald_test

NEWTON_STEP = 1e-10
"""Statsmodels stops at steps below it: Newton's next would be some 1e-20, and rounding never gets there."""
X4, Y4 = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])


def spector():
    data = sm.datasets.spector.load_pandas()
    return data.exog, data.endog.astype(int)


def cancer():
    data = load_breast_cancer()
    return data.data[:, :2], data.target


@pytest.mark.parametrize("data", [spector, cancer])
def test_the_summary_equals_statsmodels_logit(data):
    X, y = data()
    theirs = sm.Logit(np.asarray(y), sm.add_constant(np.asarray(X))).fit(disp=0, tol=NEWTON_STEP)
    model = LogisticRegression(lam=0).fit(X, y)
    table, statistics = model.inference(), model.summary().statistics
    np.testing.assert_allclose(table.estimate, theirs.params, rtol=1e-7)
    np.testing.assert_allclose(table.standard_error, theirs.bse, rtol=1e-7)
    np.testing.assert_allclose(table.t, theirs.tvalues, rtol=1e-7)
    np.testing.assert_allclose(table.p_value, theirs.pvalues, rtol=1e-7)
    np.testing.assert_allclose(np.column_stack([table.lower, table.upper]), theirs.conf_int(), rtol=1e-7)
    for ours, other in (
        (statistics.log_likelihood, theirs.llf), (statistics.null_log_likelihood, theirs.llnull),
        (statistics.likelihood_ratio, theirs.llr), (statistics.p_value, theirs.llr_pvalue),
        (statistics.aic, theirs.aic), (statistics.bic, theirs.bic), (statistics.mcfadden_r2, theirs.prsquared),
    ):  # fmt: skip
        assert ours == pytest.approx(other, rel=1e-7)


def test_several_classes_equal_statsmodels_mnlogit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    y = np.argmax(X @ rng.standard_normal((2, 3)) + rng.gumbel(size=(200, 3)), axis=1)
    X += [3.0, -1.0]
    theirs = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, method="newton", tol=NEWTON_STEP)
    fit = LogisticRegression(lam=0).fit(X, y).logistic_fit()
    table = logistic_table(fit)
    np.testing.assert_allclose(table.estimate, theirs.params.T.ravel(), rtol=1e-7)
    np.testing.assert_allclose(table.standard_error, theirs.bse.T.ravel(), rtol=1e-7)
    assert fit.log_likelihood == pytest.approx(theirs.llf, rel=1e-10)
    assert table.names[:4] == ("intercept [1]", "x0 [1]", "x1 [1]", "intercept [2]")


def test_standard_errors_of_a_two_by_two_table_by_hand():
    table = LogisticRegression(lam=0).fit(X4, Y4).inference()
    half = 1 / 1 + 1 / 3  # the variance of a log-odds is the sum of the reciprocal counts
    np.testing.assert_allclose(table.standard_error, [np.sqrt(half), np.sqrt(2 * half)], rtol=1e-10)


def test_counts_as_weights_are_repeated_rows():
    weight = np.array([1.0, 2, 3, 1, 2, 2, 1, 2])
    once = LogisticRegression(lam=0).fit(X4, Y4, sample_weight=weight)
    copies = np.repeat(np.arange(8), weight.astype(int))
    many = LogisticRegression(lam=0).fit(X4[copies], Y4[copies])
    for kind in ("classical", "robust"):
        counted = once.inference(covariance=kind, weights_are_counts=True)
        np.testing.assert_allclose(counted.standard_error, many.inference(covariance=kind).standard_error, rtol=1e-10)
    found, wanted = once.summary(weights_are_counts=True).statistics, many.summary().statistics
    np.testing.assert_allclose([found.n_rows, found.aic, found.bic], [wanted.n_rows, wanted.aic, wanted.bic])


def test_weights_that_are_not_declared_counts_are_not_taken_for_rows():
    X, y = map(np.asarray, spector())
    weight = np.random.default_rng(0).integers(1, 9, len(y)).astype(float)
    model = LogisticRegression(lam=0).fit(X, y, weight)
    fit = model.logistic_fit()
    A, p = np.column_stack([np.ones(len(y)), X]), model.predict_proba(X)[:, 1]
    bread = np.linalg.inv((A.T * (weight * p * (1 - p))) @ A)
    meat = (A.T * (weight * (p - y)) ** 2) @ A
    np.testing.assert_allclose(model.inference().standard_error, np.sqrt(np.diag(bread @ meat @ bread)), rtol=1e-7)
    scaled = LogisticRegression(lam=0).fit(X, y, 0.3 * weight).inference().standard_error
    np.testing.assert_allclose(scaled, model.inference().standard_error, rtol=1e-7)
    statistics = model.summary().statistics
    assert statistics.n_rows == len(y)
    assert np.isnan([statistics.aic, statistics.bic, statistics.p_value]).all()
    for kind in ("classical", "hessian"):
        with pytest.raises(ValueError, match=r"not declared to be counts; use covariance='robust', or weights_are"):
            model.inference(covariance=kind)
    with pytest.raises(ValueError, match="the likelihood-ratio test needs a likelihood"):
        likelihood_ratio_test(fit, fit)
    with pytest.raises(ValueError, match="needs whole numbers"):
        LogisticRegression(lam=0).fit(X, y, 0.3 * weight).summary(weights_are_counts=True)
    restriction = np.eye(len(fit.theta.ravel()))[1:2]
    ratio = model.inference().t[1]
    assert logistic_wald_test(fit, restriction).statistic == pytest.approx(ratio**2, rel=1e-9)


def test_far_origins_do_not_spoil_standard_errors():
    X, y = spector()
    plain = LogisticRegression(lam=0).fit(X, y).inference()
    moved = LogisticRegression(lam=0).fit(X + 1e7, y).inference()
    np.testing.assert_allclose(moved.standard_error[1:], plain.standard_error[1:], rtol=1e-6)


def test_dependent_and_constant_columns_are_named():
    X, y = spector()
    twice = LogisticRegression(lam=0).fit(X.assign(again=X["GPA"]), y)
    with pytest.raises(ValueError, match="can be written with the other columns"):
        twice.inference()
    flat = LogisticRegression(lam=0).fit(X.assign(flat=1.0), y)
    with pytest.raises(ValueError, match="'flat' does not vary"):
        flat.inference()


def test_without_an_intercept_the_null_model_tosses_a_coin():
    fit = LogisticRegression(lam=0, fit_intercept=False).fit(X4 - 0.5, Y4).logistic_fit()
    statistics = logistic_statistics(fit)
    assert statistics.null_log_likelihood == pytest.approx(-8 * np.log(2))
    assert statistics.df_model == 1
    assert fit.parameter_names == ("x0",)


def test_a_level_outside_zero_to_one_is_refused():
    fit = LogisticFit(X4, Y4, np.array([[2 * np.log(3)]]), np.array([-np.log(3)]), np.ones(8))
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        logistic_table(fit, 95)


def test_a_penalised_fit_has_no_p_values():
    X, y = spector()
    fit, free = (LogisticRegression(lam=lam).fit(X, y).logistic_fit() for lam in (1.0, 0.0))
    smaller = LogisticRegression(lam=1.0).fit(X.iloc[:, :1], y).logistic_fit()
    for asked in (
        lambda: logistic_table(fit),
        lambda: logistic_statistics(fit),
        lambda: logistic_wald_test(fit, np.eye(4)[1:]),
        lambda: likelihood_ratio_test(fit, smaller),
        lambda: likelihood_ratio_test(free, smaller),
    ):
        with pytest.raises(ValueError, match=r"lam=1 moves the coefficients .* fit with lam=0"):
            asked()
