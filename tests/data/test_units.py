"""Columns in units of their spread: a definition, and hard columns."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.data.units import Units, column_spreads


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_spreads_are_weighted_standard_deviations(make):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(50, 3)) * [1.0, 1e-8, 1e8] * (rng.random((50, 3)) < 0.8), rng.integers(0, 4, 50)
    repeated = np.repeat(X, weight, axis=0)
    np.testing.assert_allclose(column_spreads(Design.of(make(X), weight)), repeated.std(axis=0), rtol=1e-12)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_timestamp_keeps_its_spread_and_a_constant_its_size(make):
    ticks = np.arange(20.0)
    X = np.column_stack([1.7e12 + ticks, np.full(20, 7.0), np.zeros(20)])
    np.testing.assert_allclose(column_spreads(Design.of(make(X))), [ticks.std(), 7.0, 1.0], rtol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_predictions_do_not_depend_on_the_units(make):
    """Coefficients for rows in units, with the intercept that the design restores, predict what they did."""
    rng = np.random.default_rng(1)
    X = np.column_stack([1e6 + rng.normal(size=30), 1e-3 * rng.normal(size=30)])
    design = Design.of(make(X))
    units = Units.of(design, fit_intercept=True)
    inside = units.design(design)
    coef, level = np.array([2.0, -3.0]), 0.5
    raw = coef / units.scale
    scores = inside.matvec(coef) + level
    np.testing.assert_allclose(design.matvec(raw) + inside.user_intercept(coef, level), scores, atol=1e-8)
    np.testing.assert_allclose(np.asarray(units.rows(design.X) @ coef), inside.matvec(coef))
