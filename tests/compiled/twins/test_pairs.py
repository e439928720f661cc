"""The two-variable steps against their plain-Python twin, storage by storage."""

import numpy as np
import pytest

from surefit.compiled.twins import pairs

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")


def system(rng, n, dtype):
    points = rng.standard_normal((n, 2))
    gram = np.exp(-0.5 * np.sum((points[:, None] - points) ** 2, axis=2))
    unit = 1.0
    if dtype == np.int16:
        unit, gram = 1 / 32767, np.rint(gram * 32767)
    target, ridge = rng.standard_normal(n), rng.uniform(0, 0.1, n)
    upper = rng.uniform(0.1, 2.0, n)
    return gram.astype(dtype), unit, ridge, np.full(n, 0.1), -upper, upper, target


def objective(gram, unit, ridge, tube, target, beta):
    K = unit * gram.astype(float) + np.diag(ridge)
    return 0.5 * beta @ K @ beta - beta @ target + tube @ np.abs(beta)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("n", [2, 15, 16, 17, 70, 600])
def test_compiled_steps_and_twin_reach_the_same_minimum(n, dtype):
    gram, unit, ridge, tube, lower, upper, target = system(np.random.default_rng(n), n, dtype)
    found = []
    for loops in (_native, pairs):
        beta = np.zeros(n)
        gradient = (-target).astype(np.float64 if dtype == np.float64 else np.float32)
        steps, violation = loops.pair_steps(gram, unit, ridge, tube, lower, upper, (1e-5, 100_000), beta, gradient)
        assert steps < 100_000
        assert violation <= 1e-5
        assert np.all((lower <= beta) & (beta <= upper))
        assert abs(beta.sum()) < 1e-12 * n
        K = unit * gram.astype(float) + np.diag(ridge)
        assert np.allclose(gradient, K @ beta - target, atol=1e-12 if dtype == np.float64 else 1e-4)
        found.append(objective(gram, unit, ridge, tube, target, beta))
    assert found[0] == pytest.approx(found[1], abs=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_first_steps_are_the_same_pairs(dtype):
    gram, unit, ridge, tube, lower, upper, target = system(np.random.default_rng(3), 40, dtype)
    betas = []
    for loops in (_native, pairs):
        beta, gradient = np.zeros(40), (-target).astype(dtype)
        assert loops.pair_steps(gram, unit, ridge, tube, lower, upper, (0.0, 5), beta, gradient)[0] == 5
        betas.append(beta)
    assert np.allclose(*betas, atol=1e-6)


def test_a_step_passes_the_kink_at_zero():
    gram, ridge, tube = np.eye(2), np.zeros(2), np.full(2, 0.1)
    for loops in (_native, pairs):
        beta = np.array([-1.0, 1.0])  # far on the wrong side of zero
        gradient = beta - np.array([2.0, -2.0])
        loops.pair_steps(gram, 1.0, ridge, tube, np.full(2, -9.0), np.full(2, 9.0), (1e-12, 10), beta, gradient)
        assert beta == pytest.approx([1.9, -1.9], abs=1e-12)


def test_bounds_are_reached_exactly():
    gram, tube = np.eye(2), np.zeros(2)
    for loops in (_native, pairs):
        beta, gradient = np.zeros(2), np.array([-5.0, 5.0])
        loops.pair_steps(gram, 1.0, tube, tube, np.full(2, -0.3), np.full(2, 0.3), (1e-9, 10), beta, gradient)
        assert beta.tolist() == [0.3, -0.3]


def test_no_variable_that_can_move_means_no_violation():
    for loops in (_native, pairs):
        beta = np.array([0.5, 0.5])
        steps, violation = loops.pair_steps(
            np.eye(2), 1.0, np.zeros(2), np.zeros(2), np.zeros(2), beta.copy(), (1e-3, 10), beta, np.array([-1.0, 1.0])
        )
        assert steps == 0
        assert violation <= 0


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_rounded_storage_is_symmetric_and_to_the_nearest_unit(n):
    points = np.random.default_rng(n).standard_normal((n, 3))
    gram = (points @ points.T).astype(np.float32)
    unit = float(np.max(np.diag(gram))) / 32767
    for loops in (_native, pairs):
        stored = np.empty((n, n), np.int16)
        for first in range(0, n, 128):
            last = min(n, first + 128)
            loops.store_rounded(np.ascontiguousarray(gram[first:last, :last]), first, unit, 2, stored)
        assert np.array_equal(stored, stored.T)
        assert np.max(np.abs(stored * unit - gram)) <= 0.51 * unit


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="one number per variable"):
        _native.pair_steps(
            np.eye(2), 1.0, np.zeros(2), np.zeros(3), np.zeros(2), np.zeros(2), (0.1, 1), np.zeros(2), np.zeros(2)
        )
    with pytest.raises(ValueError, match="multiple of 64"):
        _native.store_rounded(np.zeros((1, 2), np.float32), 1, 1.0, 1, np.zeros((2, 2), np.int16))


def test_a_variable_an_ulp_from_its_bound_does_not_end_the_steps():
    """The step to its bound is lost in its partner, whose last digit is larger; the other pairs have far to go."""
    gram, ridge, tube = np.eye(4), np.zeros(4), np.zeros(4)
    lower, upper = np.full(4, -1.0), np.array([16.0, 1.0, 1.0, 1.0])
    for loops in (_native, pairs):
        beta = np.array([8.0, np.nextafter(-1.0, 0.0), 0.0, 0.0])
        gradient = np.array([-9.0, 9.0, -0.5, 0.5])
        _, violation = loops.pair_steps(gram, 1.0, ridge, tube, lower, upper, (1e-6, 1000), beta, gradient)
        assert violation <= 1e-6
        assert beta[1] == -1.0
        assert np.all(beta[2:] != 0.0)
