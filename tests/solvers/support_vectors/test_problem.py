"""Support-vector problems and their dual: values, conditions, and a gap that is never too small."""

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.kernels.library import Gaussian, Linear, Polynomial
from surefit.objective import EpsilonInsensitive, Hinge, QuadraticEpsilonInsensitive
from surefit.solvers.solution import Status
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.problem import SupportVectorProblem, kernel_rounding
from surefit.solvers.support_vectors.solve import solve_dual

TIGHT = Budget(1e-11, 10**6, np.inf, 1e9)


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
