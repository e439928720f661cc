"""Newton's steps: affine invariant, never uphill, with or without the Hessian in hand.  Catalogue A-29, T-78, T-81."""

import numpy as np
import pytest

from surefit.solvers.logistic.newton import newton, newton_cg, scaled_solution, still
from surefit.solvers.logistic.problem import LogisticProblem


def sample(k):
    rng = np.random.default_rng(k)
    X = rng.standard_normal((60, 3))
    return X, np.argmax(X @ rng.standard_normal((3, k)) + rng.gumbel(size=(60, k)), axis=1)


@pytest.mark.parametrize("k", [2, 3])
def test_iterates_do_not_depend_on_the_basis_of_the_columns(k):
    X, codes = sample(k)
    turn = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [0.5, 0.0, 1.0]])
    plain, turned = LogisticProblem.of(X, codes), LogisticProblem.of(X @ turn, codes)
    for steps in (1, 2, 3):
        one = newton(plain, plain.null_point(), 0.0, steps)
        other = newton(turned, turned.null_point(), 0.0, steps)
        np.testing.assert_allclose(plain.scores(one.V), turned.scores(other.V), atol=1e-9)


@pytest.mark.parametrize("method", [newton, newton_cg])
def test_a_far_start_is_walked_back_downhill(method):
    X, codes = sample(2)
    problem = LogisticProblem.of(X, codes, 1e-3)
    run = method(problem, np.array([[30.0], [-30.0], [20.0], [5.0]]), 1e-12, 200)
    assert run.settled
    assert np.all(np.diff(run.objectives) <= 1e-12)
    best = newton(problem, problem.null_point(), 0.0, 50)
    assert run.objectives[-1] == pytest.approx(best.objectives[-1], rel=1e-11)


def test_convergence_is_quadratic_at_the_end():
    X, codes = sample(3)
    problem = LogisticProblem.of(X, codes, 1e-3)
    errors = np.array(newton(problem, problem.null_point(), 0.0, 50).errors)
    late = errors[(errors < 1e-2) & (errors > 1e-15)]
    assert np.all(late[1:] <= 10 * late[:-1] ** 1.5)


def test_only_moves_of_all_classes_together_are_held_still():
    problem = LogisticProblem.of(np.eye(6)[:, :2], np.arange(6) % 3, 0.1)
    held = still(problem, np.full((6, 3), 1 / 3))
    together = np.tile([0.0, 0.0, 1.0], 3)
    assert together @ held @ together > 0
    assert not np.any(held @ np.concatenate([[0, 0, 1.0], [0, 0, -1.0], [0, 0, 0]]))


def test_conjugate_gradients_solve_in_as_many_steps_as_there_are_unknowns():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((8, 8))
    A = A @ A.T + np.eye(8)
    b = rng.standard_normal((8, 1))
    x = scaled_solution(lambda v: A @ v, b, np.diag(A)[:, None], 1e-12)
    np.testing.assert_allclose(A @ x, b, atol=1e-8)
