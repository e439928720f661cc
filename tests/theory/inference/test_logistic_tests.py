"""Tests of several coefficients of a logistic model at once: Wald's, and the ratio of likelihoods of nested fits."""

import numpy as np
import pytest
import statsmodels.api as sm

from surefit import LogisticRegression
from surefit.theory.inference.logistic_tests import likelihood_ratio_test, logistic_wald_test

NEWTON_STEP = 1e-10
"""Statsmodels stops at steps below it: Newton's next would be some 1e-20, and rounding never gets there."""
X4, Y4 = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])


def spector():
    data = sm.datasets.spector.load_pandas()
    return data.exog, data.endog.astype(int)


def test_the_likelihood_ratio_of_nested_fits_and_walds_test_agree_roughly():
    X, y = spector()
    larger = LogisticRegression(lam=0).fit(X, y).logistic_fit()
    smaller = LogisticRegression(lam=0).fit(X[["GPA"]], y).logistic_fit()
    ratio = likelihood_ratio_test(larger, smaller)
    assert ratio.df_numerator == 2
    assert ratio.statistic == pytest.approx(2 * (larger.log_likelihood - smaller.log_likelihood))
    wald = logistic_wald_test(larger, np.eye(4)[2:])
    theirs = sm.Logit(np.asarray(y), sm.add_constant(np.asarray(X))).fit(disp=0, tol=NEWTON_STEP).wald_test(
        np.eye(4)[2:], scalar=True
    )  # fmt: skip
    assert wald.statistic == pytest.approx(theirs.statistic, rel=1e-7)
    assert wald.p_value == pytest.approx(theirs.pvalue, rel=1e-7)
    with pytest.raises(ValueError, match="the larger one first"):
        likelihood_ratio_test(smaller, larger)
    with pytest.raises(ValueError, match="must have 4 columns"):
        logistic_wald_test(larger, np.eye(3))


def fitted(X, y, **settings):
    return LogisticRegression(lam=0, **settings).fit(X, y).logistic_fit()


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("k", [2, 3])
def test_a_likelihood_ratio_needs_nested_columns(offset, k):
    rng = np.random.default_rng(0)
    X, y = offset + rng.standard_normal((90, 4)), np.arange(90) % k
    larger = fitted(X[:, :3], y)
    with pytest.raises(ValueError, match="'x1' of the smaller one cannot be written"):
        likelihood_ratio_test(larger, fitted(X[:, [0, 3]], y))
    ratio = likelihood_ratio_test(larger, fitted(X[:, [2, 0]], y))
    mixed = likelihood_ratio_test(larger, fitted(X[:, [2, 0]] @ [[1.0, 1.0], [1.0, -1.0]], y))
    assert ratio.statistic == pytest.approx(mixed.statistic, rel=1e-6)
    assert ratio.df_numerator == k - 1
    likelihood_ratio_test(larger, fitted(X[:, :3], y, fit_intercept=False))


def test_an_intercept_is_a_column_too():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % 2
    with pytest.raises(ValueError, match="'intercept' of the smaller one"):
        likelihood_ratio_test(fitted(X, y, fit_intercept=False), fitted(X[:, :1], y))
    groups = np.eye(3)[np.arange(60) % 3]  # sums to the constant
    likelihood_ratio_test(fitted(groups, y, fit_intercept=False), fitted(groups[:, :1], y))
