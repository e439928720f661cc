"""Dual online support vector regression: the lectures' numbers, the batch answer in the limit, the budget."""

import numpy as np
import pytest

from surefit.kernels import Gaussian, Linear
from surefit.objective import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.solvers.online.dual import DualSettings, DualState, dual_passes

X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y = np.array([3.0, 2, 1, 4, 7, 6])


def test_one_pass_has_the_numbers_of_the_catalogue():
    """A-39, FX2: K = X X' / 10, eps = 0.2, C = 1, eta = 0.1."""
    settings = DualSettings(Linear() * 0.1, EpsilonInsensitive(0.2), 1.0, step=0.1)
    expected = [0.28, 0.1744, 0.072656, 0.3609912, 0.60790249, 0.45974742]
    up, down = dual_passes(X @ X.T / 10, Y, settings, 1)
    np.testing.assert_allclose(up - down, expected, atol=5e-9)
    state = DualState(settings, 3, points=np.zeros((0, 3)))
    state.learn_block(X, Y)
    np.testing.assert_allclose(state.weights, expected, atol=5e-9)


@pytest.mark.parametrize(
    ("weight", "coef", "value"),
    [(0.2, (0.339130435, 0.743478261, 1.230434783), 1.626521739), (10.0, (0.4, 0.8, 1.4), 17.38)],
)
def test_many_passes_reach_the_batch_dual(weight, coef, value):
    """A-39, FX2, without an offset: C = 0.2 and C = 10; multipliers stay in their box, and one of each pair is 0."""
    settings = DualSettings(Linear(), EpsilonInsensitive(0.2), weight)
    up, down = dual_passes(X @ X.T, Y, settings, 20_000 if weight == 10 else 2000)
    beta = up - down
    np.testing.assert_allclose(beta @ X, coef, atol=1e-8)
    dual = beta @ Y - 0.2 * np.sum(up + down) - 0.5 * np.sum((beta @ X) ** 2)
    np.testing.assert_allclose(dual, value, atol=1e-7)
    assert np.all((up >= 0) & (up <= weight) & (down >= 0) & (down <= weight))
    assert np.all(up * down == 0)


def test_the_quadratic_tube_adds_to_the_diagonal():
    """P-04 at the scale of the library: primal ||w||**2 / 2 + C sum(excess**2), dual with K + I / (2 C)."""
    C, eps = 0.7, 0.2
    up, down = dual_passes(X @ X.T, Y, DualSettings(Linear(), QuadraticEpsilonInsensitive(eps), C), 3000)
    w = (up - down) @ X
    excess = np.maximum(np.abs(Y - X @ w) - eps, 0) * np.sign(Y - X @ w)
    np.testing.assert_allclose(w, 2 * C * excess @ X, atol=1e-8)  # the gradient of the primal vanishes


def test_rows_inside_the_tube_are_forgotten_and_blocks_change_nothing():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(120, 2))
    y = np.sin(Z[:, 0])
    settings = DualSettings(Gaussian(1.0), EpsilonInsensitive(0.3), 1.0)
    whole, parts = (DualState(settings, 2, points=np.zeros((0, 2))) for _ in range(2))
    said = whole.learn_block(Z, y)[0]
    pieces = [parts.learn_block(Z[s : s + 7], y[s : s + 7])[0] for s in range(0, 120, 7)]
    np.testing.assert_array_equal(np.concatenate(pieces), said)
    np.testing.assert_array_equal(parts.weights, whole.weights)
    inside = np.sum(np.abs(said - y) <= 0.3)
    assert whole.kept == 120 - inside
    assert 0 < whole.kept < 60


def test_a_budget_removes_the_smallest_term_and_says_how_much_that_was():
    """No prediction differs from that with the forgotten rows by more than the sum of their norms."""
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(80, 2))
    y = Z[:, 0] + 0.5 * rng.normal(size=80)
    settings = DualSettings(Gaussian(1.0), EpsilonInsensitive(0.1), 0.5, budget=20)
    state, forgotten = DualState(settings, 2, points=np.zeros((0, 2))), []
    for z, target in zip(Z, y, strict=True):
        before = state.weights.copy(), state.points[: state.kept].copy()
        state.learn_row(z, target)
        if state.removed > len(forgotten):
            sizes = np.append(np.abs(before[0]), np.inf)  # the new row may be the smallest, too
            gone = [k for k in range(len(before[0])) if not any(np.array_equal(before[1][k], p) for p in state.points)]
            forgotten.append(gone)
            assert not gone or sizes[gone[0]] == sizes.min()
    assert state.kept == 20
    assert state.removed > 0
    assert state.removed_norm > 0


def test_names_may_join_and_bad_rows_are_judged_as_in_linear_learners():
    state = DualState(DualSettings(Linear(), EpsilonInsensitive(0.1), 1.0, missing_is_zero=True))
    assert state.learn_row({"a": 1.0}, 2.0) is None
    assert state.learn_row({"a": 1.0, "b": 1.0}, 3.0) is None
    assert state.points.shape[1] == 2
    assert state.learn_row({"a": "x"}, 1.0).feature == "a"
    assert state.learn_row({"a": np.nan}, 1.0) is not None
    assert state.rows == 2
    assert state.score_row({"a": 1.0, "c": 9.0}) == state.score_row({"a": 1.0})
