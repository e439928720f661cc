import numpy as np
import pytest

from surefit.data.design import Design
from surefit.solvers.linear.factor import spectral_factor
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.linear.solution_set import constrained_multiplier, solution_set


def test_every_member_of_the_solution_set_solves_and_obeys_pythagoras():
    """Catalogue A-04, T-07."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 3)) @ rng.normal(size=(3, 7))
    found = solution_set(A, A @ rng.normal(size=7))
    assert found.consistent
    assert (found.rank, found.null_basis.shape) == (3, (7, 4))
    for _ in range(5):
        z = rng.normal(size=4)
        x = found.at(z)
        np.testing.assert_allclose(A @ x, A @ found.particular, atol=1e-12)
        np.testing.assert_allclose(x @ x, found.particular @ found.particular + z @ z, rtol=1e-12)


def test_fixture_eight_and_the_four_penrose_identities():
    """Catalogue FX8, T-06, E-033."""
    np.testing.assert_allclose(solution_set([[1.0, 1, 0], [0, 1, 1]], [1.0, 2]).particular, [0, 1, 1], atol=1e-15)
    rng = np.random.default_rng(1)
    A = rng.normal(size=(5, 2)) @ rng.normal(size=(2, 4))
    P = np.stack([solution_set(A, e).particular for e in np.eye(5)], axis=1)
    for left, right in ((A @ P @ A, A), (P @ A @ P, P), ((A @ P).T, A @ P), ((P @ A).T, P @ A)):
        np.testing.assert_allclose(left, right, atol=1e-12)


def test_an_inconsistent_system_is_detected():
    """Catalogue A-04."""
    found = solution_set([[1.0], [1.0]], [0.0, 1.0])
    assert not found.consistent
    np.testing.assert_allclose(found.particular, [0.5])
    with pytest.raises(ValueError, match="no solution"):
        found.at(np.zeros(0))
    assert solution_set(np.zeros((2, 2)), np.zeros(2)).consistent
    with pytest.raises(ValueError, match="need A"):
        solution_set([1.0], [1.0])


@pytest.mark.parametrize(
    ("X", "y", "radius", "sum_lam", "coef"),
    [
        ([[0.0], [1], [2], [3]], [1.0, 3, 2, 5], 0.55, 5.0, [0.55]),
        (
            [[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]],
            [3.0, 2, 1, 4, 7, 6],
            1.0,
            6.481741425,
            [0.310582484, 0.495685355, 0.811070003],
        ),
    ],
)
def test_constrained_ridge_and_its_multiplier(X, y, radius, sum_lam, coef):
    """Catalogue A-11, T-22, FX1 and FX2."""
    X, y = np.array(X), np.array(y)[:, None]
    lam = constrained_multiplier(spectral_factor(Design.of(X), True), y, radius)
    np.testing.assert_allclose(len(X) * lam, sum_lam, rtol=2e-10)
    solution = ridge(Design.of(X), y, lam).solution
    np.testing.assert_allclose(solution.coef[:, 0], coef, atol=5e-10)
    np.testing.assert_allclose(np.linalg.norm(solution.coef), radius, rtol=1e-12)
    centred, target = X - X.mean(axis=0), y - y.mean()
    stationarity = centred.T @ (centred @ solution.coef - target) + len(X) * lam * solution.coef
    np.testing.assert_allclose(stationarity, 0, atol=1e-10)


def test_a_wide_ball_leaves_least_squares_alone():
    """Catalogue A-11."""
    X, y = np.array([[0.0], [1], [2], [3]]), np.array([[1.0], [3], [2], [5]])
    factor = spectral_factor(Design.of(X), True)
    assert constrained_multiplier(factor, y, 1.2) == 0.0
    with pytest.raises(ValueError, match="radius must be > 0"):
        constrained_multiplier(factor, y, 0.0)
