"""Support-vector problems and their dual: values, conditions, and a gap that is never too small."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.kernels.library import Gaussian, Linear, Polynomial
from surefit.objective import EpsilonInsensitive, Hinge, QuadraticEpsilonInsensitive
from surefit.solvers.solution import Status
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.problem import SupportVectorProblem, Units, kernel_rounding, objective_and_gap
from surefit.solvers.support_vectors.solve import solve_dual

TIGHT = Budget(1e-11, 10**6, np.inf, 1e9)
ROUGH = Budget(1e-3, 10**6, np.inf, 1e9)


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(n)


@pytest.mark.parametrize("loss", [EpsilonInsensitive(0.1), QuadraticEpsilonInsensitive(0.1), Hinge()])
@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(2, 1.0), Gaussian(1.0) + 0.5 * Linear()])
def test_dual_value_is_a_quadratic_programmes(loss, offset, kernel):
    X, y = sample(12)
    y = np.sign(y) if isinstance(loss, Hinge) else y
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 12)
    problem = SupportVectorProblem(kernel, X, y, weight, loss, 0.02, offset)
    found = solve_dual(problem, TIGHT)
    dual, K = problem.dual(), kernel.gram(X)
    matrix = K + np.diag(dual.ridge)

    def value(parts):  # beta = plus - minus makes the tube smooth
        beta = parts[:12] - parts[12:]
        return beta @ matrix @ beta / 2 - dual.target @ beta + dual.tube * parts.sum()

    def slope(parts):
        half = matrix @ (parts[:12] - parts[12:]) - dual.target
        return np.r_[half + dual.tube, -half + dual.tube]

    box = [(0, hi) for hi in np.minimum(dual.upper, 1e3)] + [(0, -lo) for lo in np.maximum(dual.lower, -1e3)]
    balanced = {"type": "eq", "fun": lambda p: p[:12].sum() - p[12:].sum(), "jac": lambda p: np.repeat([1.0, -1], 12)}
    options = {"maxiter": 1000, "ftol": 1e-14}
    other = minimize(value, np.zeros(24), jac=slope, bounds=box, constraints=[balanced] * offset, options=options)
    ours = value(np.r_[np.maximum(found.coef, 0), np.maximum(-found.coef, 0)])
    assert ours == pytest.approx(other.fun, abs=1e-7)
    assert 0 <= found.gap < 1e-9
    assert found.status is Status.CONVERGED


@pytest.mark.parametrize("loss", [EpsilonInsensitive(0.05), QuadraticEpsilonInsensitive(0.05), Hinge()])
def test_gap_is_never_below_the_true_excess(loss):
    X, y = sample(150)
    y = np.sign(y) if isinstance(loss, Hinge) else y
    problem = SupportVectorProblem(Gaussian(1.0), X, y, np.ones(150), loss, 1e-3)
    best = solve_dual(problem, TIGHT).objective
    for steps in (1, 3, 10, 30, 100, 300):
        found = solve_dual(problem, Budget(1e-11, steps, np.inf, 1e9))
        assert found.gap >= found.objective - best
        assert found.n_iter <= steps
        assert abs(found.coef.sum()) < 1e-10


@pytest.mark.parametrize("loss", [Hinge(), EpsilonInsensitive(0.1), QuadraticEpsilonInsensitive(0.1)], ids=repr)
def test_rounding_of_the_kernel_is_part_of_the_gap(loss):
    rng = np.random.default_rng(0)
    X, y, beta = rng.normal(size=(40, 2)), np.where(rng.random(40) > 0.5, 1.0, -1.0), rng.normal(size=40)
    small, large = (
        kernel_rounding(SupportVectorProblem(Linear(), X + mean, y, np.ones(40), loss, 0.1), beta, 0 * y, 0.0)
        for mean in (0.0, 1e4)
    )
    assert 0 < small < 1e-10
    assert large > 1e6 * small


LOSSES = [Hinge(), EpsilonInsensitive(0.2), QuadraticEpsilonInsensitive(0.2)]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("exponent", [-450, -330, 230, 330, 465])
def test_powers_of_two_in_the_rows_change_no_bit_of_objective_and_gap(loss, exponent):
    X, y = np.array([[-2.2], [-2.3], [-9.0], [8.1], [-11.2]]), np.array([1.0, -1.1, -0.36, 0.16, -1.34])
    y = np.sign(y) if isinstance(loss, Hinge) else y
    found = [
        solve_dual(SupportVectorProblem(Linear(), X * 2.0**k, y, np.ones(5), loss, 0.01 * 4.0**k), TIGHT)
        for k in (0, exponent)
    ]
    assert found[0].gap == found[1].gap > 0
    assert found[0].objective == found[1].objective
    assert np.array_equal(found[0].coef, np.ldexp(found[1].coef, 2 * exponent))


def test_lam_and_objective_in_other_units_are_those_of_the_divided_problem():
    for loss, lam, factor in ((EpsilonInsensitive(0.5), 3.0, 8.0), (QuadraticEpsilonInsensitive(0.5), 0.375, 64.0)):
        problem = SupportVectorProblem(Linear(), np.ones((2, 1)), np.array([0.0, 1.0]), np.ones(2), loss, 6.0)
        units = Units(8.0, 16.0)
        assert problem.lam_in(units) == lam
        assert problem.objective_from(1.0, units) == factor


def exact_tube_objective(problem, beta, intercept):
    """The objective for a linear kernel in fractions."""
    X = [[Fraction(v) for v in row] for row in problem.X.tolist()]
    beta, lam = [Fraction(v) for v in beta.tolist()], Fraction(problem.lam)
    coef = [sum(b * row[j] for b, row in zip(beta, X, strict=True)) for j in range(len(X[0]))]
    total = Fraction(0)
    for row, y in zip(X, problem.y.tolist(), strict=True):
        residual = Fraction(y) - Fraction(intercept) - sum(v * w for v, w in zip(row, coef, strict=True))
        total += max(abs(residual) - Fraction(problem.tube), 0)
    return total / len(X) + lam * sum(w * w for w in coef)


@pytest.mark.parametrize("far", [0.0, 1e6, -3e9])
def test_a_target_far_from_zero_is_paid_for_in_the_gap(far):
    rng = np.random.default_rng(5)
    for _ in range(20):
        X, y = rng.normal(size=(6, 1)), rng.normal(size=6)
        moved = SupportVectorProblem(Linear(), X, y + far, np.ones(6), EpsilonInsensitive(0.1), 0.05)
        centred = SupportVectorProblem(Linear(), X, moved.y - far, np.ones(6), EpsilonInsensitive(0.1), 0.05)
        found, best = solve_dual(moved, TIGHT), solve_dual(centred, TIGHT)  # y + far - far is exact
        here = exact_tube_objective(moved, found.coef, found.intercept)
        below = min(here, exact_tube_objective(centred, best.coef, best.intercept))
        assert found.gap >= here - below
        assert found.gap >= abs(Fraction(found.objective) - here)
        assert found.gap >= np.finfo(float).eps * abs(far) / 10
        assert found.gap < 1e-12 + 1e-14 * abs(far)


def test_weights_that_do_not_sum_to_zero_pay_for_the_best_offset():
    X, y = sample(30)
    problem = SupportVectorProblem(Gaussian(1.0), X, y, np.ones(30), EpsilonInsensitive(0.1), 0.01)
    best = solve_dual(problem, TIGHT).objective
    beta = 0.1 * problem.dual().upper
    for push in (-5.0, 0.0, 5.0):
        objective, gap = objective_and_gap(problem, beta, Gaussian(1.0).gram(X) @ beta, push)
        assert gap >= objective - best


def test_the_edge_of_the_tube_is_known_to_rounding_only():
    y = np.array([0.1, 0.1 + 0.2 + 0.2])  # 0.5 in floating point numbers: half the range is the tube
    problem = SupportVectorProblem(Gaussian(1.0), np.array([[0.0], [9.0]]), y, np.ones(2), EpsilonInsensitive(0.2), 1.0)
    assert 0 < objective_and_gap(problem, np.zeros(2), np.zeros(2), 0.3 - problem.level)[1] < 1e-14


def test_scores_that_were_summed_over_larger_weights_are_less_certain():
    X, y = sample(30)
    problem = SupportVectorProblem(Gaussian(1.0), X, y, np.ones(30), EpsilonInsensitive(0.1), 0.01)
    beta = np.zeros(30)
    once, more = (kernel_rounding(problem, beta, beta, 0.0, summed) for summed in (None, np.full(30, 1e3)))
    assert once == 0.0
    assert more > 0.0


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_a_row_of_next_to_no_weight_changes_nothing(loss):
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, 1.0, 1.0])
    for light in (1e-290, 1e-300, 1e-320):
        weight = np.array([1e12, 1.0, light])
        found = solve_dual(SupportVectorProblem(Gaussian(1.0), X, y, weight, loss, 0.01), ROUGH)
        without = solve_dual(SupportVectorProblem(Gaussian(1.0), X[:2], y[:2], weight[:2], loss, 0.01), ROUGH)
        assert found.status is without.status is Status.CONVERGED
        assert found.coef[:2] == pytest.approx(without.coef, rel=1e-6)
        assert found.gap < 1e-12


def test_weights_too_small_for_numbers_that_do_not_matter_are_no_error():
    X, y, weight = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1e-25, 2e-25]), np.array([1.0, 1e-300, 1e-300])
    found = solve_dual(SupportVectorProblem(Gaussian(1.0), X, y, weight, EpsilonInsensitive(0.0), 1e24), ROUGH)
    assert found.intercept == pytest.approx(0.0, abs=1e-30)
    assert found.gap < 1e-30


@pytest.mark.parametrize("y", [[0.3, 0.8], [0.2, -0.5]])
def test_a_gap_is_not_zero_where_rounding_hides_the_loss_at_the_edge_of_the_tube(y):
    tube = abs(y[1] - y[0]) / 2
    problem = SupportVectorProblem(
        Gaussian(1.0), np.array([[0.0], [9.0]]), np.array(y), np.ones(2), EpsilonInsensitive(tube), 1.0
    )
    found = solve_dual(problem, ROUGH)
    excess = sum(max(abs(Fraction(one) - Fraction(found.intercept)) - Fraction(tube), 0) for one in y) / 2
    assert not np.any(found.coef)
    assert 0 < excess <= found.gap < 1e-14
