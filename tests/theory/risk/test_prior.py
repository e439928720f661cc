"""Penalties and priors translate into each other.  Catalogue A-31."""

import pytest

from surefit.objective import convert_lambda
from surefit.theory.risk.prior import (
    gaussian_prior_lam,
    gaussian_prior_variance,
    laplace_prior_lam,
    laplace_prior_variance,
)


@pytest.mark.parametrize("variance", [1e-3, 1.0, 40.0])
def test_there_and_back(variance):
    assert gaussian_prior_variance(gaussian_prior_lam(variance, 50), 50) == pytest.approx(variance)
    assert laplace_prior_variance(laplace_prior_lam(variance, 50), 50) == pytest.approx(variance)


def test_the_conventions_agree_with_the_table_of_conversions():
    assert gaussian_prior_lam(4.0, 8) == pytest.approx(convert_lambda(2.0, "map-logistic", 8))
    scale = 0.5
    assert laplace_prior_lam(2 * scale**2, 8) == pytest.approx(1 / (8 * scale))


@pytest.mark.parametrize("function", [gaussian_prior_lam, gaussian_prior_variance, laplace_prior_lam])
def test_flat_priors_and_no_rows_are_refused(function):
    with pytest.raises(ValueError, match="must be finite and > 0"):
        function(0.0, 8)
    with pytest.raises(ValueError, match="number of rows"):
        function(1.0, 0)
