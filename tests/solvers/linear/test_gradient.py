import numpy as np
import pytest

from surefit.data.design import Design
from surefit.solvers.linear.gradient import GradientDescent, StochasticGradientDescent
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.solution import Status

X1, Y1 = Design.of([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
STEP = 0.1  # 2 * step / n = 0.05, the step of the sum convention in the fixture


@pytest.mark.parametrize(("steps", "expected"), [(1, (0.55, 1.1)), (2, (0.66, 1.265))])
def test_gradient_descent_iterates_of_fixture_one(steps, expected):
    """Catalogue FX1, A-07, E-095: the copy starts at w, not at zero."""
    answer = GradientDescent(step=STEP, max_iter=steps).solve(X1, Y1)
    np.testing.assert_allclose((answer.intercept, answer.coef[0]), expected, rtol=1e-14)
    assert answer.status is Status.MAX_ITER


def test_gradient_descent_converges_to_least_squares_and_knows_its_gap():
    """Catalogue A-07, T-23."""
    answer = GradientDescent(tol=1e-8).solve(X1, Y1)
    assert answer.status is Status.CONVERGED
    np.testing.assert_allclose((answer.intercept, answer.coef[0]), (1.1, 1.1), rtol=1e-6)
    assert np.all(np.diff(answer.history["objective"]) <= 0)
    best = 2.7 / 4
    early = GradientDescent(max_iter=5).solve(X1, Y1)
    np.testing.assert_allclose(early.gap, early.objective - best, rtol=1e-9)


@pytest.mark.parametrize(("factor", "status"), [(0.999, Status.CONVERGED), (1.001, Status.DIVERGED)])
def test_the_step_threshold_separates_convergence_from_divergence(factor, status):
    """Catalogue T-23, FX1: 0.237950065 on the mean scale."""
    answer = GradientDescent(step=0.237950065 * factor, max_iter=60_000, tol=1e-6).solve(X1, Y1)
    assert answer.status is status


def test_from_zero_a_deficient_problem_is_solved_with_least_norm():
    """Catalogue A-07."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4, 7)), rng.normal(size=4)
    answer = GradientDescent(max_iter=200_000, tol=1e-13).solve(Design.of(X), y, fit_intercept=False)
    np.testing.assert_allclose(answer.coef, np.linalg.pinv(X) @ y, rtol=1e-7)


def test_weights_mean_repetition_for_the_gradient_too():
    weight = np.array([1.0, 2.0, 0.0, 3.0])
    X, y = X1.X, Y1
    direct = least_squares(Design.of(X, weight), y[:, None]).solution
    for solver in (GradientDescent(tol=1e-12), StochasticGradientDescent(step=0.001, epochs=20_000, seed=1)):
        answer = solver.solve(Design.of(X, weight), y)
        np.testing.assert_allclose(answer.coef, direct.coef[:, 0], rtol=0.02)


def test_sgd_solves_a_noise_free_problem():
    """Catalogue A-08: n = 200, error below 1e-6 after 5000 steps (25 epochs) at step a = 0.1 = 2 * step."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, -2.0, 0.5]
    answer = StochasticGradientDescent(step=0.05, epochs=25).solve(Design.of(X), y, fit_intercept=False)
    np.testing.assert_allclose(answer.coef, [1.0, -2.0, 0.5], atol=1e-6)
    assert len(answer.history["objective"]) == 26  # the start and every epoch
    assert answer.n_iter == 25


@pytest.mark.parametrize("settings", [{"decay": 0.7, "step": 0.1}, {"average": True, "step": 0.02}])
def test_decaying_or_averaged_steps_settle_at_least_squares_under_noise(settings):
    """Catalogue A-08, E-108: within 5 % of least squares, where a constant step still hovers."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=400)
    direct = least_squares(Design.of(X), y[:, None]).solution
    settled = StochasticGradientDescent(epochs=60, seed=3, **settings).solve(Design.of(X), y)
    assert np.linalg.norm(settled.coef - direct.coef[:, 0]) < 0.05 * np.linalg.norm(direct.coef)
    hovering = StochasticGradientDescent(epochs=60, seed=3, step=0.05).solve(Design.of(X), y)
    assert hovering.gap > 10 * settled.gap > 0


def test_one_sgd_step_is_on_average_a_share_of_a_batch_step():
    """Catalogue A-08: E[step] = (1/n) of a batch step in the sum convention; exact average over all rows."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(6, 2)), rng.normal(size=6)
    moves = []
    for i in range(6):
        one = StochasticGradientDescent(step=0.01, epochs=1).solve(Design.of(X[[i]]), y[[i]], fit_intercept=False)
        moves.append(one.coef)
    batch = GradientDescent(step=0.01, max_iter=1).solve(Design.of(X), y, fit_intercept=False)
    np.testing.assert_allclose(np.mean(moves, axis=0), batch.coef, rtol=1e-12)


def test_a_step_too_long_is_reported_not_returned_as_an_answer():
    answer = StochasticGradientDescent(step=50.0, epochs=400).solve(X1, Y1)
    assert answer.status is Status.DIVERGED
    assert answer.gap == np.inf


@pytest.mark.parametrize(
    ("solver", "reason"),
    [
        (GradientDescent(step=-1.0), "step must be > 0"),
        (StochasticGradientDescent(order="sorted"), "'permutation' or 'uniform'"),
        (StochasticGradientDescent(epochs=0), "epochs must be at least 1"),
        (StochasticGradientDescent(decay=np.nan), "decay must be >= 0"),
        (GradientDescent(max_iter=-1), "max_iter and tol must be >= 0"),
    ],
)
def test_bad_settings_are_named(solver, reason):
    with pytest.raises(ValueError, match=reason):
        solver.solve(X1, Y1)
