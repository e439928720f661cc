"""Mistakes and regret: deterministic, so every run is asserted."""

import numpy as np
import pytest

from surefit.solvers.halfspaces.perceptron import perceptron
from surefit.solvers.halfspaces.separability import max_margin
from surefit.theory.bounds import (
    best_widrow_hoff_bound,
    gradient_regret_bound,
    perceptron_mistake_bound,
    tuned_widrow_hoff_step,
    widrow_hoff_bound,
)
from surefit.theory.bounds.online import widrow_hoff_potential


def widrow_hoff(X, y, step):
    """The lecture's loop: iterates (T + 1, d) and the total squared loss."""
    weights, total = [np.zeros(X.shape[1])], 0.0
    for x, target in zip(X, y, strict=True):
        error = weights[-1] @ x - target
        total += error**2
        weights.append(weights[-1] - step * error * x)
    return np.array(weights), total


def test_the_and_table_stays_below_its_bound():
    """FX6, T-56: 18 updates, bound 51."""
    X = np.array([[0.0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    bound = perceptron_mistake_bound(np.sqrt(3), 1 / np.sqrt(17))
    np.testing.assert_allclose(bound.value, 51, rtol=1e-12)
    assert perceptron(X, np.array([-1.0, -1, -1, 1])).n_updates == 18


@pytest.mark.parametrize(
    ("e", "updates", "bound"), [(0.2, 13, 26), (0.1, 51, 101), (0.05, 200, 401), (0.02, 1251, 2501)]
)
def test_the_bound_is_attained_up_to_a_half_in_the_plane(e, updates, bound):
    """FX7, T-57: margin e, longest row sqrt(1 + e**2)."""
    X = np.array([[0.5, e], [-1, e], [1, e]])
    assert perceptron(X, np.ones(3), max_epochs=10**6).n_updates == updates
    np.testing.assert_allclose(perceptron_mistake_bound(np.sqrt(1 + e**2), e).value, bound, rtol=1e-12)


def test_the_bound_is_attained_exactly_by_orthonormal_rows():
    """T-57: n updates and a bound of n."""
    for n in (1, 3, 8):
        labels = np.where(np.arange(n) % 2, 1.0, -1.0)
        assert perceptron(np.eye(n), labels).n_updates == n
        np.testing.assert_allclose(perceptron_mistake_bound(1.0, 1 / np.sqrt(n)).value, n, rtol=1e-12)


def test_separable_runs_never_exceed_the_bound():
    """T-56: 60 random sets with the largest margin."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        d = int(rng.integers(1, 5))
        X = rng.normal(size=(int(rng.integers(2, 20)), d))
        labels = np.sign(X @ rng.normal(size=d))
        best = max_margin(X, labels)
        u = best.coef / np.linalg.norm(best.coef)
        bound = perceptron_mistake_bound(np.linalg.norm(X, axis=1).max(), np.min(labels * (X @ u)))
        assert perceptron(X, labels, max_epochs=10**6).n_updates <= bound.value * (1 + 1e-9)


def test_noisy_rows_never_exceed_the_hinge_bound_in_one_pass_or_in_ten():
    """Updates against 20 comparators and margins each; H counts every visit."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        X, labels = rng.normal(size=(50, 3)), rng.choice([-1.0, 1.0], size=50)
        r = np.linalg.norm(X, axis=1).max()
        for epochs in (1, 10):
            updates = perceptron(X, labels, max_epochs=epochs).n_updates
            for _ in range(20):
                u, rho = rng.normal(size=3), rng.uniform(0.05, 3)
                hinge = epochs * np.sum(np.maximum(0, 1 - labels * (X @ u) / np.linalg.norm(u) / rho))
                assert updates <= perceptron_mistake_bound(r, rho, hinge_sum=hinge).value * (1 + 1e-12)


def test_widrow_hoff_never_exceeds_its_bound_and_comes_close():
    """T-53: 300 random runs, ratio at most 1; the best comparator is a ridge solution; some run comes close."""
    rng, ratios = np.random.default_rng(2), []
    for _ in range(300):
        d, T = int(rng.integers(1, 5)), int(rng.integers(5, 150))
        X, y = rng.normal(size=(T, d)), 2 * rng.normal(size=T)
        step = rng.uniform(0.05, 0.95) / np.linalg.norm(X, axis=1).max() ** 2
        bound = best_widrow_hoff_bound(X, y, step)
        ratios.append(widrow_hoff(X, y, step)[1] / bound.value)
        other = rng.normal(size=d)
        worse = widrow_hoff_bound(
            step, np.linalg.norm(X, axis=1).max(), np.sum((X @ other - y) ** 2), np.linalg.norm(other)
        )
        assert bound.value <= worse.value * (1 + 1e-12)
    assert 0.9 < max(ratios) <= 1


def test_the_bound_with_the_wrong_step_is_false():
    """E-018, T-53: y_t = -sign(w_t), eta = .25, step .5: loss 1777.33 > 1333.33; with s = 2 eta the bound is 2000."""
    w, total, targets = 0.0, 0.0, []
    for _ in range(1000):
        targets.append(-1.0 if w >= 0 else 1.0)
        total += (w - targets[-1]) ** 2
        w -= 0.5 * (w - targets[-1])
    X, y = np.ones((1000, 1)), np.array(targets)
    np.testing.assert_allclose(total, 1777.33, atol=0.005)
    np.testing.assert_allclose(best_widrow_hoff_bound(X, y, 0.25).value, 1333.33, atol=0.005)
    np.testing.assert_allclose(best_widrow_hoff_bound(X, y, 0.5).value, 2000, atol=0.005)


def test_the_potential_inequality_holds_in_every_round():
    """T-52: 50 random runs; with the step doubled on the right side it is refuted."""
    rng, refuted = np.random.default_rng(3), False
    for _ in range(50):
        X, y, u = rng.normal(size=(40, 3)), rng.normal(size=40), rng.normal(size=3)
        step = rng.uniform(0.05, 0.45) / np.linalg.norm(X, axis=1).max() ** 2
        weights, _ = widrow_hoff(X, y, step)
        left, right = widrow_hoff_potential(weights, X, y, step, u)
        assert np.all(left <= right + 1e-12)
        refuted |= bool(np.any(left > widrow_hoff_potential(weights, X, y, 2 * step, u)[1] + 1e-9))
    assert refuted


def test_the_tuned_step_gives_the_square_of_the_sum():
    """T-54: L_u = 100, ||u|| = 2: 144; any B, and no other step is better."""
    step = tuned_widrow_hoff_step(1.0, 100.0, 2.0)
    np.testing.assert_allclose(widrow_hoff_bound(step, 1.0, 100.0, 2.0).value, 144, rtol=1e-12)
    step = tuned_widrow_hoff_step(3.0, 7.0, 0.5)
    best = widrow_hoff_bound(step, 3.0, 7.0, 0.5).value
    np.testing.assert_allclose(best, (np.sqrt(7) + 1.5) ** 2, rtol=1e-12)
    assert all(widrow_hoff_bound(s, 3.0, 7.0, 0.5).value >= best for s in np.linspace(0.001, 0.11, 50))


def test_small_steps_reach_the_comparator_only_if_the_rounds_outrun_them():
    """T-54, E-019: L_u = 0.1 T: average bound at s = T**-0.5 tends to 0.1, at s = 1 / T it does not."""
    average = lambda T, s: widrow_hoff_bound(s, 1.0, 0.1 * T, 1.0).value / T
    assert average(10**8, 1e-4) < 0.1002
    assert average(10**8, 1e-8) > 1


def test_gradient_descent_regret_holds_for_absolute_losses():
    """Any convex loss, any sequence: 40 random runs of the absolute loss against random comparators."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        X, y, step, w, own, norms = (
            rng.normal(size=(60, 2)),
            rng.normal(size=60),
            rng.uniform(0.01, 1),
            np.zeros(2),
            0,
            [],
        )
        for x, target in zip(X, y, strict=True):
            own += abs(w @ x - target)
            norms.append(np.linalg.norm(x))
            w = w - step * np.sign(w @ x - target) * x
        u = rng.normal(size=2)
        assert own - np.abs(X @ u - y).sum() <= gradient_regret_bound(step, np.linalg.norm(u), norms).value


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: widrow_hoff_bound(1.0, 1.0, 1.0, 1.0),
        lambda: widrow_hoff_bound(0.0, 1.0, 1.0, 1.0),
        lambda: perceptron_mistake_bound(1.0, 0.0),
        lambda: perceptron_mistake_bound(1.0, 1.0, hinge_sum=-1.0),
        lambda: gradient_regret_bound(0.0, 1.0, [1.0]),
        lambda: tuned_widrow_hoff_step(1.0, 0.0, 1.0),
    ],
)
def test_bad_input_is_refused_with_a_remedy(wrong):
    with pytest.raises(ValueError, match=r"must be .*; "):
        wrong()
