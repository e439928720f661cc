"""Least squares on the diabetes data, columns bmi, bp and s5: the numbers of statsmodels 0.15.0, as printed."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from surefit import LeastSquares
from surefit.theory.inference.linear import fit_statistics, prediction_interval, slopes_test, variance_inflation


@pytest.fixture(scope="module")
def model():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    return LeastSquares().fit(X[:, [2, 3, 8]], y)


def test_coefficients_and_their_standard_errors(model):
    table = model.inference()
    np.testing.assert_allclose(table.estimate, [-334.881174, 6.500051, 0.902963, 49.577138], atol=5e-7)
    np.testing.assert_allclose(table.standard_error, [25.878493, 0.697097, 0.216769, 5.890389], atol=5e-7)
    robust = model.inference(covariance="HC0").standard_error, model.inference(covariance="HC3").standard_error
    np.testing.assert_allclose(robust[0], [21.691184, 0.730088, 0.228310, 5.815605], atol=5e-7)
    np.testing.assert_allclose(robust[1], [21.961755, 0.742988, 0.231426, 5.904764], atol=5e-7)


def test_statistics_of_the_fit(model):
    facts, fit = fit_statistics(model.linear_fit()), model.linear_fit()
    assert facts.r2 == pytest.approx(0.480082430, abs=5e-10)
    assert slopes_test(fit).statistic == pytest.approx(134.813745, abs=5e-7)
    assert (facts.aic, facts.bic) == pytest.approx((4813.226049, 4829.591289), abs=5e-7)
    assert fit.scale == pytest.approx(3111.207063, abs=5e-7)
    np.testing.assert_allclose(variance_inflation(fit), [1.344534, 1.274172, 1.342110], atol=5e-7)


def test_influence_and_prediction(model):
    influence, fit = model.influence(), model.linear_fit()
    loo = fit.residuals / (1 - fit.leverages)
    assert float(loo @ loo) == pytest.approx(1387686.317, abs=5e-4)
    assert influence.cooks_distance.max() == pytest.approx(0.033249684, abs=5e-10)
    assert fit.leverages.max() == pytest.approx(0.042946906, abs=5e-10)
    found = prediction_interval(fit, fit.X[:1])
    assert found.fitted[0] == pytest.approx(205.904754, abs=5e-7)
    np.testing.assert_allclose([found.lower[0], found.upper[0]], [95.94245, 315.867058], atol=5e-6)
