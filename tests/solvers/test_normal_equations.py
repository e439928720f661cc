"""Weighted, centred, ridged normal equations: both sides solve one system, a singular one gets the shortest answer."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers import normal_equations
from surefit.solvers.normal_equations import flat_directions, solve_psd, solve_tall, solve_wide, weighted_gram

RNG = np.random.default_rng(0)


def system(X, curvature, centre, ridge):
    A = X - centre
    return A.T @ (curvature[:, None] * A) + np.diag(ridge)


@pytest.mark.parametrize(("make", "few"), [(np.asarray, 0), (sparse.csr_array, 0), (sparse.csr_array, 10**6)])
@pytest.mark.parametrize("shape", [(30, 4), (6, 15)])
def test_both_sides_solve_the_system_by_definition(shape, make, few, monkeypatch):
    """The centre is the weighted mean, as it is where there is an intercept.  Few sparse entries are made dense."""
    monkeypatch.setattr(normal_equations, "FEW_ENTRIES", few)
    X, curvature = RNG.normal(size=shape), RNG.random(shape[0])
    curvature[0] = 0.0
    centre, ridge, target = curvature @ X / curvature.sum(), RNG.random(shape[1]) + 0.1, RNG.normal(size=shape[1])
    exact = np.linalg.solve(system(X, curvature, centre, ridge), target)
    for solve in (solve_tall, solve_wide):
        coef, left = solve(make(X), curvature, centre, ridge, target)
        np.testing.assert_allclose(coef, exact, rtol=1e-8)
        assert np.linalg.norm(left) <= 1e-8 * np.linalg.norm(target)


def test_a_singular_system_gets_the_shortest_solution_with_and_without_its_null_space():
    X = RNG.normal(size=(40, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    gram = X.T @ X
    target = gram @ RNG.normal(size=4)
    shortest = np.linalg.pinv(gram) @ target
    np.testing.assert_allclose(solve_psd(gram, target), shortest, rtol=1e-8)
    still = flat_directions(X, fit_intercept=False)
    np.testing.assert_allclose(still @ still, still, atol=1e-10)
    np.testing.assert_allclose(solve_psd(gram, target, lambda: still), shortest, rtol=1e-8)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_rows_without_curvature_do_not_count(make):
    X, curvature = RNG.normal(size=(50, 3)), np.where(np.arange(50) % 3, 0.0, 2.0)
    X[1] = 1e200
    kept = curvature > 0
    X_safe = np.where(kept[:, None], X, 0.0)
    np.testing.assert_allclose(weighted_gram(make(X_safe), curvature), 2.0 * X_safe[kept].T @ X_safe[kept], rtol=1e-12)


def test_no_curvature_at_all_solves_nothing_and_says_so():
    coef, left = solve_wide(np.ones((2, 3)), np.zeros(2), np.zeros(3), np.zeros(3), np.ones(3))
    assert not np.any(coef)
    assert np.array_equal(left, np.ones(3))
