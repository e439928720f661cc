"""Eigenvalues at work: conditioning and limits of ridge, norm constraints, gradient steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.theory.risk.conditioning import coefficient_shift_bound, gradient_steps, lam_for_norm, ridge_conditioning

FX1_DESIGN = np.column_stack([np.ones(4), np.arange(4.0)])
FX1_Y = np.array([1.0, 3.0, 2.0, 5.0])
FX2_X = np.array([[1, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]], dtype=float)
FX2_Y = np.array([3.0, 2.0, 1.0, 4.0, 7.0, 6.0])

seeds = st.integers(0, 10_000)


def ridge(X, y, lam):
    n, d = X.shape
    return np.linalg.solve(X.T @ X + n * lam * np.eye(d), X.T @ y)


def random_data(seed, n=9, d=4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal(n)


def nearly_collinear(seed, n=50):
    rng = np.random.default_rng(seed)
    first = rng.standard_normal(n)
    X = np.column_stack([first, first + 1e-6 * rng.standard_normal(n)])
    return X, X.sum(axis=1), 1e-2 * rng.standard_normal(n)


@given(seeds, st.floats(1e-3, 1e3))
def test_ridge_shifts_every_eigenvalue(seed, lam):
    """T-13, T-85: the condition number is (mu_max + lam) / (mu_min + lam)."""
    X, _ = random_data(seed)
    condition = ridge_conditioning(X, lam)
    values = np.linalg.eigvalsh(X.T @ X / 9 + lam * np.eye(4))
    np.testing.assert_allclose([condition.smallest, condition.largest], values[[0, -1]], rtol=1e-9)
    np.testing.assert_allclose(condition.number, np.linalg.cond(X.T @ X / 9 + lam * np.eye(4)), rtol=1e-8)


def test_singular_designs_need_lam():
    """T-13, E-070: lam = 0 with dependent columns is not invertible; any lam > 0 is."""
    wide = np.ones((2, 3))
    assert not ridge_conditioning(wide, 0.0).invertible
    assert ridge_conditioning(wide, 0.0).number == np.inf
    assert ridge_conditioning(wide, 1e-3).number == pytest.approx(3001.0)
    assert not ridge_conditioning(np.zeros((2, 2)), 0.0).invertible


@given(seeds, st.floats(0, 10), st.sampled_from([(9, 4), (3, 6)]))
def test_coefficients_move_at_most_by_the_bound(seed, lam, shape):
    """T-85: ||dw|| <= ||X^T dy|| / (n mu_min + n lam), tall and wide designs, minimum norm at lam = 0."""
    X, shift = random_data(seed, *shape)
    moved = ridge(X, shift, lam) if lam > 1e-6 else np.linalg.pinv(X) @ shift
    bound = coefficient_shift_bound(X, shift, lam if lam > 1e-6 else 0.0)
    assert np.linalg.norm(moved) <= bound * (1 + 1e-8)


def test_the_shift_bound_is_attained():
    """T-85: a response change along the weakest direction reaches it."""
    X, _ = random_data(0)
    U, _, _ = np.linalg.svd(X, full_matrices=False)
    shift = U[:, -1]
    moved = np.linalg.norm(ridge(X, shift, 0.2))
    assert moved == pytest.approx(coefficient_shift_bound(X, shift, 0.2), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_ridge_stabilises_a_nearly_collinear_design(seed):
    """T-85: x2 = x1 + 1e-6 noise, responses moved by noise of sd 0.01: least squares moves by >= 100, ridge by < 0.01.

    Coefficients of the weak direction move by 0.01 / (1e-6 sqrt(n) sd) ~ 1e3 times a normal number: at the five seeds
    given it exceeds 100.
    """
    X, y, shift = nearly_collinear(seed)
    least_squares = [np.linalg.lstsq(X, target, rcond=None)[0] for target in (y, y + shift)]
    assert np.linalg.norm(least_squares[1] - least_squares[0]) > 100
    assert np.linalg.norm(ridge(X, y + shift, 1e-2) - ridge(X, y, 1e-2)) < 0.01
    assert ridge_conditioning(X, 0.0).number > 1e11
    assert ridge_conditioning(X, 1e-2).number < 1e3


@given(seeds)
def test_ridge_tends_to_minimum_norm_least_squares_and_to_zero(seed):
    """T-85, E-027: lam -> 0 gives the pseudo-inverse solution (wide design); lam -> inf behaves as X^T y / (n lam)."""
    X, y = random_data(seed, n=3, d=6)
    limit = np.linalg.pinv(X) @ y
    bound = 1e-9 * 3 * np.linalg.norm(limit) * np.linalg.norm(np.linalg.pinv(X), 2) ** 2
    assert np.linalg.norm(ridge(X, y, 1e-9) - limit) <= bound * (1 + 1e-3) + 1e-5 * np.linalg.norm(limit)
    np.testing.assert_allclose(ridge(X, y, 1e9) * 3e9, X.T @ y, rtol=1e-6, atol=1e-6)


@given(seeds)
def test_the_norm_of_ridge_falls_with_lam(seed):
    """T-85, T-22: strictly, so the norm determines lam."""
    X, y = random_data(seed)
    norms = [np.linalg.norm(ridge(X, y, lam)) for lam in np.geomspace(1e-4, 1e4, 30)]
    assert (np.diff(norms) < 0).all()


def test_norm_constraints_of_the_fixtures_have_their_multipliers():
    """T-22, A-11: FX1 |w| <= 0.55 has n lam = 5; FX2 ||w|| <= 1 has n lam = 6.481741425."""
    x = (np.arange(4.0) - 1.5)[:, None]
    assert 4 * lam_for_norm(x, FX1_Y - FX1_Y.mean(), 0.55) == pytest.approx(5, rel=1e-12)
    X, y = FX2_X - FX2_X.mean(axis=0), FX2_Y - FX2_Y.mean()
    lam = lam_for_norm(X, y, 1.0)
    assert 6 * lam == pytest.approx(6.481741425, abs=5e-10)
    np.testing.assert_allclose(ridge(X, y, lam), [0.310582484, 0.495685355, 0.811070003], atol=5e-10)
    assert np.linalg.norm(ridge(X, y, 0.0)) == pytest.approx(2.234027550, abs=5e-10)


@given(seeds, st.floats(1e-3, 1e3))
def test_penalised_and_constrained_ridge_are_the_same(seed, lam):
    """T-22: the norm of the ridge solution leads back to lam; a loose constraint gives lam = 0."""
    X, y = random_data(seed)
    assert lam_for_norm(X, y, np.linalg.norm(ridge(X, y, lam))) == pytest.approx(lam, rel=1e-7)
    assert lam_for_norm(X, y, 1.01 * np.linalg.norm(ridge(X, y, 0.0))) == 0.0


def test_gradient_step_thresholds_of_the_first_fixture():
    """T-23, FX1: eigenvalues 1.189750324 and 16.810249676; thresholds 0.237950065 (mean) and 0.118975032 (sum)."""
    steps = gradient_steps(FX1_DESIGN)
    np.testing.assert_allclose(4 * steps.eigenvalues, [16.810249676, 1.189750324], atol=5e-10)
    assert steps.largest_step == pytest.approx(0.237950065, abs=5e-10)
    assert steps.largest_sum_step == pytest.approx(0.118975032, abs=1e-9)


def descend(X, y, step, rounds):
    w = np.zeros(X.shape[1])
    path = [w]
    for _ in range(rounds):
        w = w - step * 2 / len(y) * X.T @ (X @ w - y)
        path.append(w)
    return np.array(path)


def test_gradient_descent_of_the_first_fixture():
    """T-23, FX1: sum step 0.05 is mean step 0.1: iterates (0.55, 1.1), (0.66, 1.265), limit (1.1, 1.1)."""
    path = descend(FX1_DESIGN, FX1_Y, 0.1, 500)
    np.testing.assert_allclose(path[[1, 2]], [[0.55, 1.1], [0.66, 1.265]], rtol=1e-12)
    np.testing.assert_allclose(path[-1], [1.1, 1.1], rtol=1e-9)


@pytest.mark.parametrize("fraction", [0.3, 0.9, 0.999])
def test_error_contracts_by_the_factor_at_every_step(fraction):
    """T-23: below the threshold each step shrinks the error at least by the factor, and the factor is reached."""
    steps = gradient_steps(FX1_DESIGN)
    step = fraction * steps.largest_step
    errors = np.linalg.norm(descend(FX1_DESIGN, FX1_Y, step, 200) - [1.1, 1.1], axis=1)
    factor = steps.contraction(step)
    assert factor < 1
    assert (errors[1:] <= factor * errors[:-1] + 1e-14).all()
    assert errors[100] / errors[99] == pytest.approx(factor, rel=1e-3)


def test_gradient_descent_diverges_above_the_threshold():
    """T-23, A-07: 1 % above, the error grows; the best step has factor (kappa - 1) / (kappa + 1)."""
    steps = gradient_steps(FX1_DESIGN)
    path = descend(FX1_DESIGN, FX1_Y, 1.01 * steps.largest_step, 1_000)
    assert np.linalg.norm(path[-1] - 1.1) > 1e3
    assert steps.contraction(1.01 * steps.largest_step) > 1
    kappa = 16.810249676 / 1.189750324
    assert steps.contraction(steps.best_step) == pytest.approx((kappa - 1) / (kappa + 1), rel=1e-8)
    assert steps.contraction(steps.best_step) <= min(steps.contraction(s) for s in np.linspace(0.01, 0.23, 50))


def test_rank_deficient_descent_reaches_minimum_norm_from_zero():
    """T-23, A-07, FX8: directions outside the row space never move."""
    X, y = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]), np.array([1.0, 2.0])
    steps = gradient_steps(X)
    assert len(steps.eigenvalues) == 2
    np.testing.assert_allclose(descend(X, y, steps.best_step, 200)[-1], [0, 1, 1], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ridge_conditioning(np.eye(2), -1.0), "lam must be >= 0, got -1.0; use lam=0"),
        (lambda: coefficient_shift_bound(np.eye(2), np.ones(2), np.nan), "lam must be >= 0"),
        (lambda: lam_for_norm(np.eye(2), np.ones(2), 0.0), "radius must be > 0"),
        (lambda: gradient_steps(np.zeros((2, 2))), "there is no step to choose"),
        (lambda: gradient_steps(np.ones(3)), "reshape a single feature"),
    ],
)
def test_wrong_inputs_are_refused_with_a_remedy(call, message):
    """T-13, T-22, T-23, T-85."""
    with pytest.raises(ValueError, match=message):
        call()
