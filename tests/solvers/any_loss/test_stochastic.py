"""Stochastic descent nears the minimiser, whatever the loss; its gap is right, and it says when it diverges.

Catalogue A-08, A-29, C-05, E-096, E-108.
"""

import numpy as np
import pytest
from scipy import sparse

from surefit.objective import L1, Absolute, Problem, Squared, SquaredL2
from surefit.solvers.any_loss import stochastic as module
from surefit.solvers.any_loss.descent import GradientDescent
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.any_loss.stochastic import StochasticGradientDescent, stochastic
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic
from surefit.solvers.solution import Status

RNG = np.random.default_rng(7)
X = RNG.normal(size=(200, 3))
Y = X @ [1.0, -1.0, 2.0] + 0.1 * RNG.normal(size=200)
RIDGE = Problem(X, Y, Squared(), SquaredL2(), 0.1)
LINE = Problem(np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), Squared(), SquaredL2(), 0.0)


def squares(X, y, fit_intercept=True, weight=None):
    return Problem(X, y, Squared(), SquaredL2(), 0.0, weight, fit_intercept)


def test_a_noise_free_problem_is_solved():
    """Catalogue A-08: n = 200, error below 1e-6 after 5000 steps (25 epochs) at step a = 0.1 = 2 * step."""
    rows = np.random.default_rng(1).normal(size=(200, 3))
    problem = squares(rows, rows @ [1.0, -2.0, 0.5], fit_intercept=False)
    answer = StochasticGradientDescent(step=0.05, epochs=25).solve(problem)
    np.testing.assert_allclose(answer.coef, [1.0, -2.0, 0.5], atol=1e-6)
    assert len(answer.history["objective"]) == 26  # the start and every epoch
    assert answer.n_iter == 25


@pytest.mark.parametrize("settings", [{"decay": 0.7, "step": 0.1}, {"average": True, "step": 0.02}])
def test_decaying_or_averaged_steps_settle_at_least_squares_under_noise(settings):
    """Catalogue A-08, E-108: within 5 % of least squares, where a constant step still hovers."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(400, 3))
    problem = squares(rows, rows @ [1.0, -2.0, 0.5] + rng.normal(size=400))
    direct = newton(problem)
    settled = StochasticGradientDescent(epochs=60, seed=3, **settings).solve(problem)
    assert np.linalg.norm(settled.coef - direct.coef) < 0.05 * np.linalg.norm(direct.coef)
    hovering = StochasticGradientDescent(epochs=60, seed=3, step=0.05).solve(problem)
    assert hovering.gap > 10 * settled.gap > 0


def test_one_step_is_on_average_a_share_of_a_batch_step():
    """Catalogue A-08: E[step] = (1/n) of a batch step in the sum convention; exact average over all rows."""
    rng = np.random.default_rng(4)
    rows, y = rng.normal(size=(6, 2)), rng.normal(size=6)
    one = StochasticGradientDescent(step=0.01, epochs=1)
    moves = [one.run(squares(rows[[i]], y[[i]], fit_intercept=False)).V for i in range(6)]
    batch = GradientDescent(step=0.01, max_iter=1).run(squares(rows, y, fit_intercept=False))
    np.testing.assert_allclose(np.mean(moves, axis=0), batch.V, rtol=1e-12)


def test_a_batch_of_all_rows_is_a_gradient_step():
    settings = StochasticGradientDescent(step=0.01, epochs=3, batch=200)
    np.testing.assert_allclose(settings.run(RIDGE).V, GradientDescent(0.01, 3, 0.0).run(RIDGE).V, rtol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"decay": 0.6}, {"average": True}, {"order": "uniform"}])
def test_the_compiled_loop_takes_the_same_steps(settings, monkeypatch):
    weight = np.r_[np.ones(100), np.full(100, 3.0)]
    descent = StochasticGradientDescent(epochs=2, seed=5, **settings)
    quick = descent.run(squares(X, Y, weight=weight))
    monkeypatch.setattr(module, "_compiled_walk", module._walk)
    np.testing.assert_allclose(descent.run(squares(X, Y, weight=weight)).V, quick.V, rtol=1e-10)


def test_one_epoch_of_single_rows_by_hand_on_a_logistic_loss_with_squares():
    rows, codes = np.array([[0.0], [1.0], [2.0], [1.5]]), np.array([0, 1, 1, 0])
    v = np.zeros(2)
    for t, i in enumerate(np.random.default_rng(4).permutation(4)):
        r = 1 / (1 + np.exp(-(rows[i, 0] * v[0] + v[1]))) - codes[i]
        v = v - 0.3 / (1 + t) ** 0.5 * np.array([r * rows[i, 0] + 0.2 * v[0], r])
    settings = StochasticGradientDescent(step=0.3, epochs=1, decay=0.5, seed=4)
    run = settings.run(LogisticProblem.of(rows, codes, 0.1).as_problem())
    np.testing.assert_allclose(run.V, v, rtol=1e-13)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("lam", [0.1, 10.0, 100.0, 1e6])
def test_the_default_step_of_single_rows_knows_the_penalty(k, lam):
    """E-096: a step that is stable for the rows alone diverges where the penalty is steeper than they are."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((100, 3))
    problem = LogisticProblem.of(rows, np.argmax(rows[:, [0]] * np.arange(k) + rng.gumbel(size=(100, k)), axis=1), lam)
    start = problem.null_point()
    settings = StochasticGradientDescent(epochs=50, average=True)
    run = settings.run(problem.as_problem(), start[:, 0] if k == 2 else start)
    assert run.objectives[-1] <= 1.01 * solve_logistic(problem).objective


def test_more_epochs_come_closer_and_the_gap_bounds_the_distance():
    """Seeded; the average is within one per cent of the null objective."""
    best = newton(RIDGE).objective
    early, late = stochastic(RIDGE, max_iter=4), stochastic(RIDGE, max_iter=100)
    assert 0 <= late.objective - best <= late.gap
    assert late.objective - best < min(0.01 * np.var(Y), early.objective - best)
    assert late.status is Status.EPOCHS_DONE
    assert len(late.history["objective"]) == 101


def test_the_seed_decides_and_sparse_rows_give_the_same_walk():
    again = Problem(sparse.csr_array(X), Y, Squared(), SquaredL2(), 0.1)
    one, two = (StochasticGradientDescent(epochs=3, seed=1).run(problem).V for problem in (RIDGE, again))
    np.testing.assert_allclose(one, two, rtol=1e-10)
    assert not np.allclose(one, StochasticGradientDescent(epochs=3, seed=2).run(RIDGE).V, rtol=1e-10)


def test_rows_of_weight_zero_do_not_count():
    weight = np.r_[np.ones(100), np.zeros(100)]
    wild = np.r_[Y[:100], np.full(100, 1e9)]
    solution = stochastic(Problem(X, wild, Absolute(), L1(), 0.01, sample_weight=weight), max_iter=20)
    assert np.all(np.abs(solution.coef) < 10)


@pytest.mark.parametrize("problem", [RIDGE, LINE], ids=["ridge", "compiled"])
def test_a_step_that_is_too_long_is_named(problem):
    answer = StochasticGradientDescent(step=1e6, epochs=400).solve(problem)
    assert answer.status is Status.DIVERGED
    assert answer.gap == np.inf


@pytest.mark.parametrize(
    ("solver", "reason"),
    [
        (StochasticGradientDescent(step=0.0), "step must be > 0"),
        (StochasticGradientDescent(order="sorted"), "'permutation' or 'uniform'"),
        (StochasticGradientDescent(epochs=0), "epochs must be at least 1"),
        (StochasticGradientDescent(batch=0), "batch must be at least 1"),
        (StochasticGradientDescent(decay=np.nan), "decay must be >= 0"),
    ],
)
def test_bad_settings_are_named(solver, reason):
    with pytest.raises(ValueError, match=reason):
        solver.solve(LINE)
