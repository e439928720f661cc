"""Support-vector duals: the catalogue's numbers, sequential quadratic programmes, honest gaps, budgets."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from surefit.kernels.library import Gaussian, Linear
from surefit.objective import EpsilonInsensitive, Hinge, QuadraticEpsilonInsensitive
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.problem import SupportVectorProblem, objective_and_gap
from surefit.solvers.support_vectors.solve import best_offsets, solve_by_points, solve_dual, solve_primal

X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])
TIGHT = Budget(1e-11, 10**6, np.inf, 1e9)


def fx2(loss, C, offset=True):
    return SupportVectorProblem(Linear(), X2, Y2, np.ones(6), loss, 1 / (12 * C), offset)


def fx3(loss, C, lam_of_C=2.0):
    X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    return SupportVectorProblem(Linear(), X, y, np.ones(2), loss, 1 / (lam_of_C * 2 * C))


def dual_value(problem, beta):
    K = problem.kernel.gram(problem.X)
    return beta @ problem.y - problem.tube * np.abs(beta).sum() - beta @ K @ beta / 2


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(n)


def test_fx2_epsilon_insensitive_is_the_exact_fraction():  # E-077
    found = solve_dual(fx2(EpsilonInsensitive(0.2), 5 / 6), TIGHT)
    assert X2.T @ found.coef == pytest.approx([24 / 35, 6 / 7, 11 / 7], abs=1e-9)
    assert found.intercept == pytest.approx(-22 / 35, abs=1e-9)
    assert found.objective == pytest.approx(0.519809524, abs=1e-9)
    free = (found.coef != 0) & (np.abs(found.coef) < 5 / 6 - 1e-9)
    assert found.coef[free] == pytest.approx([-0.104762, 0.142857, -0.042857, 0.004762], abs=5e-7)
    residual = Y2 - X2 @ (X2.T @ found.coef) - found.intercept
    assert residual == pytest.approx([-0.2, 0.2, -0.6, -0.2, 0.714285714, 0.2], abs=1e-8)


def test_fx2_quadratic_tube():  # A-21 with C = 1 / (n lam) = 5/3
    problem = SupportVectorProblem(Linear(), X2, Y2, np.ones(6), QuadraticEpsilonInsensitive(0.2), 0.1)
    found = solve_dual(problem, TIGHT)
    assert X2.T @ found.coef == pytest.approx([0.71173706, 0.84619587, 1.56467339], abs=5e-9)
    assert found.intercept == pytest.approx(-0.61333045, abs=5e-9)
    assert found.objective == pytest.approx(0.436754135, abs=5e-10)


@pytest.mark.parametrize(
    ("C", "w", "value"),
    [(0.2, [0.339130435, 0.743478261, 1.230434783], 1.626521739), (10.0, [0.4, 0.8, 1.4], 17.38)],
)
def test_fx2_without_offset_is_where_the_online_algorithm_ends(C, w, value):  # A-39, E-085
    problem = fx2(EpsilonInsensitive(0.2), C, offset=False)
    found = solve_dual(problem, TIGHT)
    assert X2.T @ found.coef == pytest.approx(w, abs=5e-9)
    assert found.intercept == 0.0
    assert dual_value(problem, found.coef) == pytest.approx(value, abs=5e-9)
    assert found.objective / (2 * problem.lam) == pytest.approx(value, abs=5e-9)
    assert X2.T @ _online_passes(C, 4000) == pytest.approx(w, abs=5e-9)


def _online_passes(C, passes):
    """A-39 with exact steps, pass after pass: projected coordinate ascent on the dual without offset."""
    K, beta = X2 @ X2.T, np.zeros(6)
    for _ in range(passes):
        for t in range(6):
            rest = Y2[t] - K[t] @ beta + K[t, t] * beta[t]
            beta[t] = np.clip(np.sign(rest) * max(abs(rest) - 0.2, 0) / K[t, t], -C, C)
    return beta


def test_fx3_with_free_support_vectors():
    problem = fx3(EpsilonInsensitive(0.1), 10.0)
    found = solve_dual(problem, TIGHT)
    assert found.coef == pytest.approx([-0.8, 0.8], abs=1e-10)
    assert found.intercept == pytest.approx(0.1, abs=1e-10)
    assert dual_value(problem, found.coef) == pytest.approx(0.32, abs=1e-10)


def test_fx3_without_free_support_vectors_has_an_interval_of_offsets():  # E-079
    problem = fx3(EpsilonInsensitive(0.1), 0.5)
    found = solve_dual(problem, TIGHT)
    assert found.coef == pytest.approx([-0.5, 0.5], abs=1e-12)
    assert dual_value(problem, found.coef) == pytest.approx(0.275, abs=1e-12)
    assert found.facts["intercept_interval"] == pytest.approx((0.1, 0.4), abs=1e-12)
    assert found.intercept == pytest.approx(0.25, abs=1e-12)
    for offset in (0.1, 0.4):
        score = problem.kernel.gram(problem.X) @ found.coef
        objective, gap = objective_and_gap(problem, found.coef, score, offset - problem.level)
        assert objective == pytest.approx(found.objective, abs=1e-12)
        assert gap < 1e-12


@pytest.mark.parametrize(("lam_of_C", "w", "b"), [(1.0, 0.2666667, 0.3666667), (2.0, 0.4, 0.3)])
def test_fx3_quadratic_in_both_conventions(lam_of_C, w, b):  # T-74, E-081, E-082: C/2 sum xi^2 and C sum xi^2
    found = solve_dual(fx3(QuadraticEpsilonInsensitive(0.1), 1.0, lam_of_C), TIGHT)
    assert found.coef[1] == pytest.approx(w, abs=5e-8)
    assert found.intercept == pytest.approx(b, abs=5e-8)


def test_without_the_box_the_dual_would_be_unbounded():  # E-076: K = 0, y = (0, 1)
    X = np.zeros((2, 1))
    for C in (1.0, 100.0):
        problem = SupportVectorProblem(
            Linear(), X, np.array([0.0, 1.0]), np.ones(2), EpsilonInsensitive(0.1), 1 / (4 * C)
        )
        found = solve_dual(problem, TIGHT)
        assert found.coef == pytest.approx([-C, C])
        assert dual_value(problem, found.coef) == pytest.approx(0.8 * C)


def test_quadratic_tube_of_width_zero_is_kernel_ridge_with_offset():  # T-74, E-083, A-13
    X, y = sample()
    kernel, lam = Gaussian(1.2), 0.01
    found = solve_dual(SupportVectorProblem(kernel, X, y, np.ones(60), QuadraticEpsilonInsensitive(0.0), lam), TIGHT)
    system = np.block(
        [[kernel.gram(X) + 60 * lam * np.eye(60), np.ones((60, 1))], [np.ones((1, 60)), np.zeros((1, 1))]]
    )
    right = np.linalg.solve(system, np.append(y, 0.0))
    assert found.coef == pytest.approx(right[:-1], abs=1e-8)
    assert found.intercept == pytest.approx(right[-1], abs=1e-8)


def test_optimality_pattern_of_residuals():  # T-73
    X, y = sample(200)
    problem = SupportVectorProblem(Gaussian(1.0), X, y, np.ones(200), EpsilonInsensitive(0.1), 1e-3)
    found = solve_dual(problem, TIGHT)
    residual = y - problem.kernel.gram(X) @ found.coef - found.intercept
    C = 1 / (2 * 200 * 1e-3)
    size, beta = np.abs(residual), np.abs(found.coef)
    assert np.all(beta[size < 0.1 - 1e-8] == 0)
    assert np.allclose(beta[size > 0.1 + 1e-8], C)
    assert np.allclose(size[(beta > 0) & (beta < C)], 0.1, atol=1e-8)
    assert np.all(found.coef * residual >= 0)


def test_the_quadratic_loss_has_only_support_vectors_outside_the_tube():
    X, y = sample(200)
    found = solve_dual(
        SupportVectorProblem(Gaussian(1.0), X, y, np.ones(200), QuadraticEpsilonInsensitive(0.1), 1e-3), TIGHT
    )
    size = np.abs(y - Gaussian(1.0).gram(X) @ found.coef - found.intercept)
    assert np.array_equal(found.coef != 0, size > 0.1)


def test_integer_weights_are_repeated_rows():
    X, y = sample(40)
    weight = np.random.default_rng(2).integers(1, 4, 40)
    repeated = np.repeat(np.arange(40), weight)
    for loss in (EpsilonInsensitive(0.1), QuadraticEpsilonInsensitive(0.1)):
        a = solve_dual(SupportVectorProblem(Gaussian(1.0), X, y, weight.astype(float), loss, 0.01), TIGHT)
        rows = SupportVectorProblem(Gaussian(1.0), X[repeated], y[repeated], np.ones(len(repeated)), loss, 0.01)
        b = solve_dual(rows, TIGHT)
        assert a.objective == pytest.approx(b.objective, abs=1e-10)
        assert a.coef == pytest.approx(np.bincount(repeated, b.coef), abs=1e-6)


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_units_of_the_target_and_the_kernel_change_nothing(scale):
    X, y = sample(80)
    base = solve_dual(SupportVectorProblem(Gaussian(1.0), X, y, np.ones(80), EpsilonInsensitive(0.1), 0.01), TIGHT)
    problem = SupportVectorProblem(
        Gaussian(1.0), X, y * scale, np.ones(80), EpsilonInsensitive(0.1 * scale), 0.01 / scale
    )
    assert solve_dual(problem, TIGHT).coef / scale == pytest.approx(base.coef, abs=1e-8)
    louder = SupportVectorProblem(scale * Gaussian(1.0), X, y, np.ones(80), EpsilonInsensitive(0.1), 0.01 * scale)
    assert solve_dual(louder, TIGHT).coef * scale == pytest.approx(base.coef, abs=1e-8)


def test_a_far_offset_of_the_target_costs_no_digits():
    X, y = sample(80)
    problem = [
        SupportVectorProblem(Gaussian(1.0), X, y + far, np.ones(80), EpsilonInsensitive(0.1), 0.01) for far in (0, 1e6)
    ]
    near, far = (solve_dual(one, TIGHT) for one in problem)
    assert far.coef == pytest.approx(near.coef, abs=1e-6)
    assert far.gap < 1e-8


def test_copies_of_points_are_solved_as_one():
    X, y = sample(50)
    copies = np.random.default_rng(6).permutation(np.repeat(np.arange(50), 3))
    weight = np.random.default_rng(7).uniform(0.5, 2.0, 150)
    for rows in (X, sparse.csr_matrix(X)):
        problem = SupportVectorProblem(Linear(), rows[copies], y[copies], weight, EpsilonInsensitive(0.1), 0.01)
        merged = replace(problem, X=rows, y=y, weight=np.bincount(copies, weight))
        a, b = solve_by_points(problem, TIGHT), solve_dual(merged, TIGHT)
        assert X.T @ np.bincount(copies, a.coef) == pytest.approx(X.T @ b.coef, abs=1e-8)
        assert np.all(np.abs(a.coef) <= weight / weight.sum() / (2 * 0.01) * (1 + 1e-12))
        assert a.objective == pytest.approx(b.objective, abs=1e-12)


@pytest.mark.parametrize("loss", [EpsilonInsensitive(0.2), QuadraticEpsilonInsensitive(0.2), Hinge()])
@pytest.mark.parametrize("offset", [True, False])
def test_primal_and_dual_agree_for_the_linear_kernel(loss, offset):
    X, y = sample(80)
    y = np.sign(y) if isinstance(loss, Hinge) else y
    problem = SupportVectorProblem(Linear(), X, y, np.ones(80), loss, 0.05, offset)
    a, b = solve_dual(problem, TIGHT), solve_primal(problem, 1e-12, None)
    assert X.T @ a.coef == pytest.approx(b.coef, abs=1e-6)
    assert a.objective == pytest.approx(b.objective, abs=1e-9)
    assert a.intercept == pytest.approx(b.intercept, abs=1e-5)


def test_best_offsets_are_the_minimisers_on_a_grid():  # E-079
    rng = np.random.default_rng(4)
    grid = np.linspace(-4, 4, 8001)
    for loss in (EpsilonInsensitive(0.3), Hinge()):
        y = np.sign(rng.standard_normal(9)) if isinstance(loss, Hinge) else rng.standard_normal(9)
        score, shares = rng.standard_normal(9), rng.dirichlet(np.ones(9))
        values = np.array([shares @ loss.value(y, score + b) for b in grid])
        low, high = best_offsets(loss, y, score, shares)
        assert shares @ loss.value(y, score + low) <= values.min() + 1e-12
        assert shares @ loss.value(y, score + high) <= values.min() + 1e-12
