"""Norms, dual norms and projections onto balls (catalogue P-06, P-07)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from surefit.objective import (
    dual_norm,
    dual_order,
    norm,
    project_l1_ball,
    project_l2_ball,
    project_linf_ball,
    project_simplex,
)

VECTORS = st.lists(st.floats(-100, 100), min_size=1, max_size=6).map(np.array)
PROJECTIONS = {1: project_l1_ball, 2: project_l2_ball, np.inf: project_linf_ball}

FX2_X = np.array([[1, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]], dtype=float)
FX2_Y = np.array([3, 2, 1, 4, 7, 6], dtype=float)


def test_dual_norms_of_three_and_four():
    """P-07: the dual of L2 gives 5, of L1 the maximum 4, of the maximum the sum 7."""
    assert [dual_norm([3, 4], order) for order in (2, 1, np.inf)] == [5, 4, 7]


@pytest.mark.parametrize("order", [1, 1.2, 2, 3.5, np.inf])
def test_dual_norm_is_the_supremum_over_the_unit_ball_and_is_attained(order):
    """P-07: Hoelder, with 20,000 seeded directions in the plane, spacing 3e-4, so second-order error below 1e-6."""
    u = np.array([1.3, -0.4])
    angles = np.linspace(0, 2 * np.pi, 20_000)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    products = circle @ u / np.array([norm(v, order) for v in circle])
    assert products.max() <= dual_norm(u, order) + 1e-12
    assert products.max() == pytest.approx(dual_norm(u, order), abs=1e-3)


def test_the_dual_of_the_dual_order_is_the_order():
    for order in (1, 1.5, 2, 7, np.inf):
        assert dual_order(dual_order(order)) == pytest.approx(order)


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, np.inf])
def test_norms_agree_with_numpy_and_survive_extreme_scales(order):
    w = np.array([0.3, -2.0, 1.1])
    assert norm(w, order) == pytest.approx(np.linalg.norm(w, order))
    for scale in (1e300, 1e-300):
        assert norm(scale * w, order) == pytest.approx(scale * np.linalg.norm(w, order))
    assert norm([], order) == 0


def test_orders_below_one_are_refused():
    with pytest.raises(ValueError, match=r"order must be >= 1, got 0.5; below 1 it is not a norm"):
        norm([1.0], 0.5)


@pytest.mark.parametrize("order", list(PROJECTIONS))
@settings(deadline=None, derandomize=True, max_examples=60)
@given(v=VECTORS, z=VECTORS, radius=st.floats(0, 50))
def test_projection_obeys_its_optimality_inequality(order, v, z, radius):
    """P-06: <v - p, z - p> <= 0 for every z in the ball, and p is in the ball."""
    d = min(len(v), len(z))
    v, z = v[:d], z[:d]
    p = PROJECTIONS[order](v, radius)
    assert norm(p, order) <= radius * (1 + 1e-12) + 1e-12
    inside = z * min(1.0, radius / norm(z, order)) if norm(z, order) > 0 else z
    assert (v - p) @ (inside - p) <= 1e-8
    if norm(v, order) <= radius:
        np.testing.assert_array_equal(p, v)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(v=VECTORS, total=st.floats(0.01, 50))
def test_simplex_projection_is_feasible_and_optimal(v, total):
    """P-06: the inequality needs checking at the corners only."""
    p = project_simplex(v, total)
    assert np.all(p >= 0)
    assert p.sum() == pytest.approx(total, rel=1e-9)
    for corner in total * np.eye(len(v)):
        assert (v - p) @ (corner - p) <= 1e-7


def test_projections_keep_the_shape_and_leave_the_argument_alone():
    v = np.arange(6.0).reshape(2, 3)
    before = v.copy()
    for project in PROJECTIONS.values():
        assert project(v, 2.0).shape == v.shape
        assert project(v, 100.0) is not v
    np.testing.assert_array_equal(v, before)


def test_radius_zero_gives_the_zero_vector():
    for project in PROJECTIONS.values():
        np.testing.assert_array_equal(project([3.0, -4.0], 0.0), [0.0, 0.0])


def projected_descent(project, radius):
    """Accelerated projected gradient on the centred mean squared loss of FX2; 4,000 steps, converged to 1e-9."""
    X, y = FX2_X - FX2_X.mean(axis=0), FX2_Y - FX2_Y.mean()
    step = 1 / np.linalg.eigvalsh(2 * X.T @ X / len(y)).max()
    w = look = np.zeros(3)
    for k in range(4000):
        new = project(look - step * 2 * X.T @ (X @ look - y) / len(y), radius)
        look, w = new + k / (k + 3) * (new - w), new
    return w


def test_constrained_ridge_and_lasso_of_the_fixture():
    """P-06, FX2: ||w|| <= 1 and ||w||_1 <= 2."""
    ridge = projected_descent(project_l2_ball, 1.0)
    np.testing.assert_allclose(ridge, [0.310582484, 0.495685355, 0.811070003], atol=1e-8)
    lasso = projected_descent(project_l1_ball, 2.0)
    np.testing.assert_allclose(lasso, [0.265175719, 0.514376997, 1.220447284], atol=1e-8)


def test_constrained_fit_of_one_feature_is_clipped_least_squares():
    """P-06, FX1: |w| <= 0.55 binds, the least squares slope being 1.1."""
    assert project_l2_ball([1.1], 0.55) == pytest.approx(0.55)
    assert project_l1_ball([1.1], 0.55) == pytest.approx(0.55)


def test_l1_projection_agrees_with_a_general_optimiser():
    v = np.array([1.4, -0.9, 0.3])
    split = minimize(  # w = a - b with a, b >= 0
        lambda ab: np.sum((ab[:3] - ab[3:] - v) ** 2),
        np.zeros(6),
        bounds=[(0, None)] * 6,
        constraints={"type": "ineq", "fun": lambda ab: 1.0 - ab.sum()},
        method="SLSQP",
        options={"ftol": 1e-14},
    ).x
    np.testing.assert_allclose(project_l1_ball(v, 1.0), split[:3] - split[3:], atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project_l1_ball([1.0], -1.0), "radius must be >= 0, got -1.0; use radius=0"),
        (lambda: project_simplex([1.0], 0.0), "total must be finite and > 0, got 0.0"),
        (lambda: project_simplex([]), "v is empty"),
    ],
)
def test_impossible_balls_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
