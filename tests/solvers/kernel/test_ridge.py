"""Kernel ridge: closed forms, every route to the same answer, honest gaps, plans before allocations."""

import numpy as np
import pytest

from surefit.kernels.library import Gaussian, Linear, Polynomial
from surefit.solvers.cost import Shape
from surefit.solvers.kernel.ridge import choose_route, kernel_ridge
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum, solve_spectrum
from surefit.solvers.solution import Status
from surefit.theory.fit.loo import exact_loo, loo_curve
from surefit.theory.fit.smoother import degrees_of_freedom

FX1_X, FX1_Y = np.arange(4.0)[:, None], np.array([[1.0], [3.0], [2.0], [5.0]])
FX2_X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
FX2_Y = np.array([[3.0], [2], [1], [4], [7], [6]])


def system_of(kernel, X, weight=None, fit_intercept=False):
    return KernelSystem(kernel, X, np.ones(len(X)) if weight is None else weight, fit_intercept)


def problem(n=60, d=3, k=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, :1]) + 0.3 * rng.standard_normal((n, k))


def closed_form(system, targets, lam):
    """The bordered system, written out.  Catalogue A-12, A-13."""
    n, W = system.n, np.diag(1.0 / system.weight)
    A = system.kernel.gram(system.X) + system.total * lam * W
    if not system.fit_intercept:
        return np.linalg.solve(A, targets), np.zeros(targets.shape[1])
    ones = np.ones((n, 1))
    solved = np.linalg.solve(np.block([[A, ones], [ones.T, np.zeros((1, 1))]]), np.vstack([targets, 0 * targets[:1]]))
    return solved[:n], solved[n]


def test_fixture_one_is_reproduced():
    """Catalogue A-12, FX1."""
    system = system_of(Gaussian(1.0), FX1_X)
    fit = kernel_ridge(system, FX1_Y, 0.1, 1e-9, 1e9)
    np.testing.assert_allclose(fit.coef[:, 0], [-0.2451564, 2.43086627, -1.2891428, 3.89689007], atol=6e-9)
    fitted = system.kernel.gram(FX1_X) @ fit.coef[:, 0]
    np.testing.assert_allclose(fitted, [1.09806256, 2.02765349, 2.51565712, 3.44124397], atol=6e-9)
    assert Gaussian(1.0).times(np.array([[1.5]]), FX1_X, fit.coef)[0, 0] == pytest.approx(2.193111776, abs=6e-10)
    assert fit.coef[:, 0] @ fitted == pytest.approx(14.826865625, abs=6e-10)
    assert fit.objective == pytest.approx(2.395360718, abs=6e-10)
    values = np.linalg.eigvalsh(system.dense())
    np.testing.assert_allclose(values, [0.133814204, 0.509447064, 1.24854614, 2.108192593], atol=6e-10)
    factor = kernel_spectrum(system)
    assert degrees_of_freedom(factor, [0.1]).trace[0] == pytest.approx(2.408732502, abs=6e-10)
    assert 4 * loo_curve(factor, FX1_Y, [0.1])[0] == pytest.approx(25.494222884, abs=6e-9)


def test_refitting_at_the_same_mean_lam_gives_another_number():
    """Catalogue T-76, FX1: what stays fixed when a row leaves is n * lam."""
    total = {}
    for name, lam in (("sum", 0.4 / 3), ("mean", 0.1)):
        residuals = []
        for i in range(4):
            rest = np.arange(4) != i
            fit = kernel_ridge(system_of(Gaussian(1.0), FX1_X[rest]), FX1_Y[rest], lam, 1e-9, 1e9)
            residuals.append(FX1_Y[i, 0] - Gaussian(1.0).times(FX1_X[[i]], FX1_X[rest], fit.coef)[0, 0])
        total[name] = float(np.sum(np.square(residuals)))
    assert total["sum"] == pytest.approx(25.494222884, abs=6e-9)
    assert total["mean"] == pytest.approx(26.324179392, abs=6e-9)


def test_a_linear_kernel_with_offset_is_ridge():
    """Catalogue A-13, T-70, FX2."""
    fit = kernel_ridge(system_of(Linear(), FX2_X, fit_intercept=True), FX2_Y, 0.1, 1e-9, 1e9)
    np.testing.assert_allclose(FX2_X.T @ fit.coef[:, 0], [0.70202832, 0.87208583, 1.65852452], atol=6e-9)
    assert fit.intercept[0] == pytest.approx(-0.781615237, abs=6e-10)
    assert fit.objective == pytest.approx(0.530950467, abs=6e-10)


def test_dual_and_primal_values_agree():
    """Catalogue T-72: lam_s * max of the dual is the penalised sum of squares."""
    X, y = problem()
    K, sum_lam = Gaussian(1.3).gram(X), 0.7
    fit = kernel_ridge(system_of(Gaussian(1.3), X), y, sum_lam / len(X), 1e-12, 1e9)
    a = fit.coef
    dual = float((2 * a.T @ y - a.T @ (K + sum_lam * np.eye(len(X))) @ a)[0, 0])
    assert sum_lam * dual == pytest.approx(len(X) * fit.objective, rel=1e-12)


def test_many_points_take_conjugate_gradients_and_the_same_answer():
    X, y = problem(n=2100)
    system = system_of(Gaussian(2.0), X, fit_intercept=True)
    fit = kernel_ridge(system, y, 1e-4, 1e-10, 1e9)
    assert fit.facts["method"] == "conjugate gradients"
    assert fit.facts["relative_residual"] <= 1e-10
    exact = solve_spectrum(system, kernel_spectrum(system), y, 1e-4)
    np.testing.assert_allclose(system.values(fit.coef), system.values(exact.coef), atol=1e-8)


@pytest.mark.parametrize("lam", [1e-8, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_gap_is_never_below_the_true_excess(lam, fit_intercept):
    """For rough answers too: the excess over the closed form is at most the gap reported with them."""
    X, y = problem(n=80)
    system = system_of(Polynomial(degree=2, constant=1.0), X, fit_intercept=fit_intercept)
    best = solve_spectrum(system, kernel_spectrum(system), y, lam)
    rng = np.random.default_rng(3)
    for size in (1e-1, 1e-3, 1e-6, 0.0):
        beta = best.coef + size * system.centred(rng.standard_normal(best.coef.shape)) * np.abs(best.coef).max()
        rough = system.solution(y, lam, beta, system.values(beta), Status.MAX_ITER)
        rounding = 1e-13 * (1.0 + abs(best.objective))
        assert rough.objective - best.objective <= rough.gap + rounding


def test_leave_one_out_of_kernel_ridge_equals_n_refits():
    """Catalogue T-76, with offset and without, over a grid of 50."""
    X, y = problem(n=25)
    lams = np.geomspace(1e-6, 10, 50)
    for fit_intercept in (False, True):
        shortcut = exact_loo(kernel_spectrum(system_of(Gaussian(1.0), X, fit_intercept=fit_intercept)), y[:, 0], lams)
        for row, lam in zip(shortcut, lams, strict=True):
            refits = []
            for i in range(25):
                rest = np.arange(25) != i
                left = system_of(Gaussian(1.0), X[rest], fit_intercept=fit_intercept)
                alpha, offset = closed_form(left, y[rest], lam * 25 / 24)
                refits.append(y[i, 0] - (Gaussian(1.0).times(X[[i]], X[rest], alpha) + offset)[0, 0])
            np.testing.assert_allclose(row, refits, rtol=1e-8, atol=1e-10)


def test_duplicated_points_share_one_function():
    """Catalogue T-69, E-060: weights that the kernel does not see change nothing."""
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([[1.0], [2.0], [0.0]])
    fit = kernel_ridge(system_of(Gaussian(1.0), X), y, 0.1, 1e-12, 1e9)
    merged = kernel_ridge(
        system_of(Gaussian(1.0), X[1:], np.array([2.0, 1.0])), np.array([[1.5], [0.0]]), 0.1, 1e-12, 1e9
    )
    grid = np.linspace(-2, 2, 9)[:, None]
    np.testing.assert_allclose(
        Gaussian(1.0).times(grid, X, fit.coef), Gaussian(1.0).times(grid, X[1:], merged.coef), atol=1e-12
    )


def test_without_penalty_the_interpolant_of_smallest_norm_is_taken():
    """Catalogue A-12: lam = 0 and a singular Gram matrix."""
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([[1.0], [3.0], [0.0]])
    fit = kernel_ridge(system_of(Gaussian(1.0), X), y, 0.0, 1e-12, 1e9)
    np.testing.assert_allclose(Gaussian(1.0).gram(X) @ fit.coef, [[2.0], [2.0], [0.0]], atol=1e-12)
    np.testing.assert_allclose(fit.coef[0], fit.coef[1])


@pytest.mark.parametrize(
    ("n", "method", "memory", "expected"),
    [
        (500, "auto", 1e9, "cholesky"),
        (8_000, "auto", 1e9, "conjugate gradients"),
        (50_000, "auto", 6e9, "conjugate gradients"),
        (50_000, "auto", 1e9, "nystroem"),
        (200_000, "auto", 1e12, "nystroem"),
        (200_000, "exact", 1e12, "conjugate gradients"),
        (500, "nystroem", 1e9, "nystroem"),
    ],
)
def test_the_route_follows_size_and_memory(n, method, memory, expected):
    plan = choose_route(Shape(n, 10), method, memory)
    assert plan.solver == expected
    assert plan.memory_bytes <= memory
    assert plan.work.operations > 0


def test_exact_beyond_the_memory_is_refused_with_both_numbers():
    with pytest.raises(MemoryError, match=r"takes .* TB and the limit is 8.0 GB; raise memory"):
        choose_route(Shape(1_000_000, 10), "exact", 8e9)


def test_interpolating_too_many_points_is_refused():
    X, y = problem(n=3001)
    with pytest.raises(ValueError, match="use lam > 0"):
        kernel_ridge(system_of(Gaussian(1.0), X), y, 0.0, 1e-9, 1e9)
