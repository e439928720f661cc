"""Primal, dual and gap of linear problems (catalogue P-08, fixtures FX1, FX2, FX4)."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from surefit.objective import (
    L1,
    L2,
    Absolute,
    ElasticNet,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    LogLoss,
    Loss,
    MarginZeroOne,
    PNorm,
    Power,
    Problem,
    QuadraticEpsilonInsensitive,
    SoftmaxCrossEntropy,
    Squared,
    SquaredL2,
)

FX1_X, FX1_Y = np.arange(4.0)[:, None], np.array([1.0, 3.0, 2.0, 5.0])
FX2_X = np.array([[1, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]], dtype=float)
FX2_Y = np.array([3, 2, 1, 4, 7, 6], dtype=float)
FX4_X = np.repeat([0.0, 1.0], 4)[:, None]
FX4_Y = np.array([1, 0, 0, 0, 1, 1, 1, 0])

REGRESSION = [Squared(), Absolute(), Power(1.5), EpsilonInsensitive(0.2), QuadraticEpsilonInsensitive(0.2), Huber(0.5)]
PENALTIES = [SquaredL2(), L1(), ElasticNet(0.5), L2(), PNorm(np.inf)]


def centred_ridge(X, y, lam):
    mean = X.mean(axis=0)
    w = np.linalg.solve((X - mean).T @ (X - mean) / len(y) + lam * np.eye(X.shape[1]), (X - mean).T @ y / len(y))
    return w, y.mean() - mean @ w


def exact_lasso_fx2(lam):
    """All three coefficients positive below the second knot: w solves the sign equations."""
    X, y = FX2_X - FX2_X.mean(axis=0), FX2_Y - FX2_Y.mean()
    w = np.linalg.solve(X.T @ X, X.T @ y - 6 * lam / 2)
    return w, FX2_Y.mean() - FX2_X.mean(axis=0) @ w


@pytest.mark.parametrize("lam", [1e-6, 0.1, 1.25, 100.0])
def test_gap_vanishes_at_ridge_solutions(lam):
    for X, y in ((FX1_X, FX1_Y), (FX2_X, FX2_Y)):
        problem = Problem(X, y, Squared(), SquaredL2(), lam)
        w, b = centred_ridge(X, y, lam)
        assert problem.gap(w, b) <= 1e-12
        assert problem.residual(w, b) <= 1e-12


def test_ridge_fixture_values():
    """FX1: lam = 1.25 gives (0.55, 1.925); FX2: lam = 0.1 gives objective 0.530950467."""
    assert Problem(FX1_X, FX1_Y, Squared(), SquaredL2(), 1.25).gap([0.55], 1.925) <= 1e-12
    w, b = centred_ridge(FX2_X, FX2_Y, 0.1)
    assert Problem(FX2_X, FX2_Y, Squared(), SquaredL2(), 0.1).primal(w, b) == pytest.approx(0.530950467, abs=1e-9)


@pytest.mark.parametrize(("lam", "w", "b"), [(0.5, 0.9, 1.4), (1.25, 0.6, 1.85), (2.75, 0.0, 2.75), (9.0, 0.0, 2.75)])
def test_gap_vanishes_at_the_lasso_solutions_of_the_first_fixture(lam, w, b):
    """FX1 with sum-lambda 2, 5, 11 and beyond."""
    assert Problem(FX1_X, FX1_Y, Squared(), L1(), lam).gap([w], b) <= 1e-12


@pytest.mark.parametrize(("lam", "objective"), [(1.0, 2.866141732), (0.5, 1.680446194), (0.1, 0.436141732)])
def test_gap_vanishes_at_the_lasso_solutions_of_the_second_fixture(lam, objective):
    """FX2, whose printed coefficients have eight digits; the exact ones solve the sign equations."""
    w, b = exact_lasso_fx2(lam)
    problem = Problem(FX2_X, FX2_Y, Squared(), L1(), lam)
    assert problem.primal(w, b) == pytest.approx(objective, abs=1e-9)
    assert problem.gap(w, b) <= 1e-12
    assert problem.residual(w, b) <= 1e-12


@pytest.mark.parametrize("shift", [1e-2, 1e-4, 1e-6])
def test_gap_shrinks_with_the_distance_to_the_lasso_solution(shift):
    """The dual point is scaled into the dual ball: off the solution the gap is of the order of the shift, not of 1."""
    w, b = exact_lasso_fx2(0.5)
    problem = Problem(FX2_X, FX2_Y, Squared(), L1(), 0.5)
    for sign in (-1, 1):
        assert 0 < problem.gap(w + sign * shift, b) <= 30 * shift


def test_gap_certifies_the_null_model_exactly_from_lam_max_on():
    """FX2: lam_max = 19/6."""
    null = np.zeros(3), FX2_Y.mean()
    assert Problem(FX2_X, FX2_Y, Squared(), L1(), 19 / 6).gap(*null) <= 1e-12
    assert Problem(FX2_X, FX2_Y, Squared(), L1(), 0.99 * 19 / 6).gap(*null) > 1e-4


def test_gap_is_small_at_the_robust_solutions_of_the_fixture():
    """FX2, Huber and quadratic tube at lam = 0.1: eight printed digits leave about 1e-14 of objective."""
    huber = Problem(FX2_X, FX2_Y, Huber(0.5), SquaredL2(), 0.1)
    w, b = [0.57046542, 0.84906481, 1.58851675], -0.56898652
    assert huber.primal(w, b) == pytest.approx(0.521759461, abs=1e-9)
    assert huber.gap(w, b) <= 1e-7
    tube = Problem(FX2_X, FX2_Y, QuadraticEpsilonInsensitive(0.2), SquaredL2(), 0.1)
    w, b = [0.71173706, 0.84619587, 1.56467339], -0.61333045
    assert tube.primal(w, b) == pytest.approx(0.436754135, abs=1e-9)
    assert tube.gap(w, b) <= 1e-7


def dual_from_stationarity(X, w, lam, fixed):
    """Subgradients u with X'u/n = -2 lam w and sum u = 0, the known entries fixed, the rest by least squares."""
    n = len(X)
    free = [i for i in range(n) if i not in fixed]
    A = np.vstack([X.T, np.ones(n)]) / n
    target = np.append(-2 * lam * np.asarray(w), 0.0)
    for i, value in fixed.items():
        target = target - A[:, i] * value
    u = np.zeros(n)
    u[free] = np.linalg.lstsq(A[:, free], target, rcond=None)[0]
    for i, value in fixed.items():
        u[i] = value
    return u


def test_gap_vanishes_at_kinked_solutions_with_the_dual_point_of_the_solver():
    """FX2: absolute loss has objective 43/70; the tube of 0.2 has four points exactly on its edge."""
    absolute = Problem(FX2_X, FX2_Y, Absolute(), SquaredL2(), 0.1)
    w, b = np.array([2, 6, 11]) / 7, -3 / 7
    assert absolute.primal(w, b) == pytest.approx(43 / 70, abs=1e-12)
    residuals = absolute.scores(w, b) - FX2_Y
    u = dual_from_stationarity(FX2_X, w, 0.1, {i: np.sign(r) for i, r in enumerate(residuals) if abs(r) > 1e-9})
    assert absolute.gap(w, b, u) <= 1e-12

    tube = Problem(FX2_X, FX2_Y, EpsilonInsensitive(0.2), SquaredL2(), 0.1)
    w, b = np.array([24 / 35, 6 / 7, 11 / 7]), -22 / 35
    assert tube.primal(w, b) == pytest.approx(0.519809524, abs=1e-9)
    residuals = tube.scores(w, b) - FX2_Y
    u = dual_from_stationarity(FX2_X, w, 0.1, {i: np.sign(r) for i, r in enumerate(residuals) if abs(r) > 0.2 + 1e-9})
    assert tube.gap(w, b, u) <= 1e-12


def test_logistic_fixture():
    """FX4: lam = 0.05 gives (-0.38643779, 0.77287560) and objective 0.644956331."""
    problem = Problem(FX4_X, FX4_Y, LogLoss(), SquaredL2(), 0.05)
    assert problem.primal([0.77287560], -0.38643779) == pytest.approx(0.644956331, abs=1e-9)
    assert problem.gap([0.77287560], -0.38643779) <= 1e-12
    signed = Problem(FX4_X, 2 * FX4_Y - 1, Logistic(), SquaredL2(), 0.05)
    assert signed.gap([0.7], -0.3) == pytest.approx(problem.gap([0.7], -0.3), rel=1e-9)


def test_gap_vanishes_at_least_squares_without_a_penalty():
    """lam = 0: FX1 (1.1, 1.1) and FX2, with and without intercept."""
    assert Problem(FX1_X, FX1_Y, Squared(), SquaredL2(), 0.0).gap([1.1], 1.1) <= 1e-12
    assert Problem(FX1_X, FX1_Y, Squared(), L1(), 0.0, fit_intercept=False).gap([11 / 7]) <= 1e-12
    assert Problem(sp.csr_array(FX1_X), FX1_Y, Squared(), L1(), 0.0).gap([1.1], 1.1) <= 1e-12
    problem = Problem(FX1_X, FX1_Y, Squared(), SquaredL2(), 0.0)
    assert problem.gap([1.0], 1.1) == pytest.approx(problem.primal([1.0], 1.1) - 2.7 / 4, abs=1e-12)


@st.composite
def small_problems(draw):
    """Up to 6 x 3 numbers, any loss and penalty, weights and intercept or not, and two candidate points."""
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    loss = draw(st.sampled_from([*REGRESSION, Logistic(), Hinge(), LogLoss()]))
    y = {"real": rng.normal(size=n), "signs": rng.choice([-1.0, 1.0], n)}.get(loss.targets, rng.random(n))
    weights = draw(st.sampled_from([None, rng.integers(0, 3, n) + np.eye(n)[0]]))
    lam = draw(st.sampled_from([0.0, 1e-3, 0.1, 1.0, 30.0]))
    penalty = draw(st.sampled_from(PENALTIES))
    problem = Problem(rng.normal(size=(n, d)), y, loss, penalty, lam, weights, draw(st.booleans()))
    return problem, rng


@settings(deadline=None, derandomize=True, max_examples=300)
@given(small_problems())
def test_gap_is_never_below_the_distance_to_any_other_point(drawn):
    """Honesty: primal(w) - gap(w) is a lower bound on the objective at 40 other points, and along lines to them."""
    problem, rng = drawn
    d = problem.X.shape[1]
    w, b = rng.normal(size=d), float(rng.normal()) * problem.fit_intercept
    floor = problem.primal(w, b) - problem.gap(w, b)
    for scale in (0.1, 1.0):
        for _ in range(20):
            other = w + scale * rng.normal(size=d), b + scale * rng.normal() * problem.fit_intercept
            assert floor <= problem.primal(*other) + 1e-9
    assert floor <= problem.primal(np.zeros(d), 0.0) + 1e-9


@pytest.mark.parametrize(
    "loss", [Squared(), Power(1.5), QuadraticEpsilonInsensitive(0.2), Huber(0.5), Logistic()], ids=repr
)
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_gap_and_residual_vanish_at_numerical_optima_of_smooth_losses(loss, penalty):
    """A seeded 12 x 3 problem, weighted, solved by proximal gradient; the floor is tight, not merely valid."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(12, 3))
    y = rng.choice([-1.0, 1.0], 12) if loss.targets == "signs" else X @ [1.0, -0.5, 0.0] + 0.3 * rng.normal(size=12)
    problem = Problem(X, y, loss, penalty, 0.15, rng.random(12) + 0.1)
    w, b = np.zeros(3), 0.0
    for _ in range(3000):
        slope, pull = problem.gradient(w, b)
        w, b = penalty.prox(w - 0.1 * slope, 0.1 * 0.15), b - 0.1 * pull
    assert problem.gap(w, b) <= 1e-9
    assert problem.residual(w, b) <= 1e-6
    assert problem.gap(w + 0.1, b) >= problem.primal(w + 0.1, b) - problem.primal(w, b) - 1e-12
    assert problem.residual(w + 0.1, b) > 1e-3


def test_integer_weights_equal_repeated_rows():
    weights = np.array([2, 0, 1, 3, 1, 1])
    rows = np.repeat(np.arange(6), weights)
    weighted = Problem(FX2_X, FX2_Y, Huber(0.5), L1(), 0.2, weights)
    repeated = Problem(FX2_X[rows], FX2_Y[rows], Huber(0.5), L1(), 0.2)
    w, b = np.array([0.3, -0.1, 0.8]), 0.4
    assert weighted.primal(w, b) == pytest.approx(repeated.primal(w, b), rel=1e-14)
    assert weighted.gap(w, b) == pytest.approx(repeated.gap(w, b), rel=1e-12)
    assert weighted.residual(w, b) == pytest.approx(repeated.residual(w, b), rel=1e-12)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_matrix, sp.coo_array], ids=lambda make: make.__name__)
def test_sparse_designs_give_the_same_numbers(make):
    dense = Problem(FX2_X, FX2_Y, Squared(), L1(), 0.5)
    sparse = Problem(make(FX2_X), FX2_Y, Squared(), L1(), 0.5)
    w, b = np.array([0.3, 0.0, 0.8]), 0.4
    for name in ("primal", "gap", "residual"):
        assert getattr(sparse, name)(w, b) == pytest.approx(getattr(dense, name)(w, b), rel=1e-12)


def test_dual_is_minus_infinity_off_its_constraints():
    problem = Problem(FX2_X, FX2_Y, Absolute(), L1(), 1e6)
    assert problem.dual(np.ones(6)) == -np.inf  # not balanced, but there is an intercept
    assert problem.dual(2 * np.array([1, -1, 1, -1, 1, -1])) == -np.inf  # steeper than the loss
    assert np.isfinite(problem.dual(np.array([1, -1, 1, -1, 1, -1])))
    assert Problem(FX2_X, FX2_Y, Squared(), L1(), 1e-6).dual([1, -1, 1, -1, 1, -1]) == -np.inf  # beyond the dual ball
    assert np.isfinite(Problem(FX2_X, FX2_Y, Absolute(), L1(), 1e6, fit_intercept=False).dual(np.ones(6)))


def test_weak_duality_holds_for_any_pair():
    rng = np.random.default_rng(2)
    problem = Problem(FX2_X, FX2_Y, Squared(), SquaredL2(), 0.3)
    for _ in range(100):
        u = 3 * rng.normal(size=6)
        assert problem.dual(u - u.mean()) <= problem.primal(rng.normal(size=3), rng.normal())


def test_softmax_problems_have_a_gap_too():
    """FX5 with L2: solved by BFGS, tight at the optimum, honest before it."""
    x = np.repeat([0.0, 1.0], 4)[:, None]
    y = np.array([0, 0, 1, 2, 0, 1, 2, 2])
    problem = Problem(x, y, SoftmaxCrossEntropy(), SquaredL2(), 0.05)
    split = lambda v: (v[:3].reshape(1, 3), v[3:])

    def slope(v):
        w, b = split(v)
        in_w, in_b = problem.gradient(w, b)
        return np.concatenate([np.ravel(in_w + 0.1 * w), in_b])

    best = minimize(lambda v: problem.primal(*split(v)), np.zeros(6), jac=slope, options={"gtol": 1e-10}).x
    assert problem.gap(*split(best)) <= 1e-12
    assert problem.residual(*split(best)) <= 1e-8
    rng = np.random.default_rng(0)
    for _ in range(50):
        point = split(rng.normal(size=6))
        assert problem.gap(*point) >= problem.primal(*point) - problem.primal(*split(best)) - 1e-12


class PseudoHuber(Loss):
    """A stranger's loss with the default, numeric conjugate."""

    convex = smooth = twice_differentiable = symmetric = True
    smoothness = 1.0

    def value(self, y, f):
        return np.hypot(1, f - y) - 1

    def derivative(self, y, f):
        return (f - y) / np.hypot(1, f - y)

    def curvature(self, y, f):
        return np.hypot(1, f - y) ** -3.0


@pytest.mark.parametrize("penalty", [SquaredL2(), L1()], ids=repr)
def test_a_strangers_loss_gets_a_tight_gap_for_nothing(penalty):
    problem = Problem(FX2_X, FX2_Y, PseudoHuber(), penalty, 0.1)
    w, b = np.zeros(3), 0.0
    for _ in range(6000):
        slope, pull = problem.gradient(w, b)
        w, b = penalty.prox(w - 0.1 * slope, 0.01), b - 0.1 * pull
    assert problem.gap(w, b) <= 1e-9
    assert 0.01 < problem.gap(np.zeros(3), 0.0) < problem.primal(np.zeros(3), 0.0) + 1e-12


def test_residual_at_small_steps_is_the_distance_to_a_subgradient():
    """L1: on the support |g_j + lam sign(w_j)|, off it max(|g_j| - lam, 0)."""
    problem = Problem(FX2_X, FX2_Y, Squared(), L1(), 0.5)
    w, b = np.array([0.3, 0.0, 0.8]), 0.4
    slope, pull = problem.gradient(w, b)
    distance = np.where(w != 0, np.abs(slope + 0.5 * np.sign(w)), np.maximum(np.abs(slope) - 0.5, 0))
    assert problem.residual(w, b, step=1e-9) == pytest.approx(np.hypot(np.linalg.norm(distance), pull), rel=1e-6)


def test_problem_is_frozen_and_non_convex_losses_have_no_gap():
    problem = Problem(FX2_X, np.sign(FX2_Y - 3.5), MarginZeroOne(), SquaredL2(), 0.1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.lam = 2.0
    with pytest.raises(NotImplementedError, match="not declared convex"):
        problem.gap(np.zeros(3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lam": -1.0}, "lam must be >= 0, got -1.0; use lam=0"),
        ({"X": FX2_X[0]}, "X must be a table .*reshape"),
        ({"X": np.empty((0, 3)), "y": []}, "at least one row"),
        ({"y": FX2_Y[:5]}, "one entry per row of X, got .5,. for 6 rows"),
        ({"y": FX2_Y * np.nan}, "finite real numbers, got nan"),
        ({"sample_weight": np.ones(5)}, "sample_weight must have shape .6,., got .5,."),
        ({"sample_weight": -np.ones(6)}, "finite, >= 0 and not all 0"),
        ({"sample_weight": np.zeros(6)}, "finite, >= 0 and not all 0"),
        ({"loss": Logistic()}, r"-1 or \+1, got 3.0; map 0/1"),
    ],
)
def test_bad_problems_are_refused_with_a_remedy(change, message):
    given_parts = {"X": FX2_X, "y": FX2_Y, "loss": Squared(), "penalty": L1(), "lam": 0.1} | change
    with pytest.raises(ValueError, match=message):
        Problem(**given_parts)
