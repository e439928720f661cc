"""The mean squared error of what is published, where products with columns cancel against the intercept."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.lasso.squares import mean_squares


def exact(X, y, weight, coef, intercept):
    """In fractions."""
    total, coef = Fraction(0), list(map(Fraction, coef.tolist()))
    for row, t, w in zip(X.tolist(), y.tolist(), weight.tolist(), strict=True):
        residual = Fraction(t) - Fraction(intercept) - sum(c * Fraction(x) for c, x in zip(coef, row, strict=True))
        total += Fraction(w) * residual**2
    return float(total / sum(map(Fraction, weight.tolist())))


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1.0, 1e200])
def test_columns_far_from_zero_cost_the_mean_squared_error_no_digits(form, size):
    rng = np.random.default_rng(0)
    X = np.array([1.7e9, 0.0, 1e12]) + rng.normal(size=(40, 3))
    y, weight, coef = rng.normal(size=40), rng.integers(0, 3, size=40).astype(float), rng.normal(size=3)
    intercept = -float(coef @ X.mean(axis=0))
    unit = 2.0**-300 if size > 1 else 1.0  # the squares of 1e200 leave the range
    found = mean_squares(Design(form(X), weight), y * unit, coef * unit, intercept * unit)
    expected = exact(X, y, weight, coef, intercept) * unit * unit
    assert found == pytest.approx(expected, rel=1e-13)


def test_no_closer_look_is_taken_where_none_is_needed(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    monkeypatch.setattr("surefit.solvers.lasso.squares.gradient_at", None)
    coef = np.array([1.0, 0.0, -1.0])
    assert mean_squares(Design.of(X), y, coef, 0.5, 1e-12) == pytest.approx(np.mean((y - X @ coef - 0.5) ** 2))
