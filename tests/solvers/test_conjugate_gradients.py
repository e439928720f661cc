"""Conjugate gradients: as many steps as eigenvalues, columns that end on their own, right-hand sides of zero."""

import numpy as np

from surefit.solvers.conjugate_gradients import conjugate_gradients


def small(residual, energy):
    return np.linalg.norm(residual, axis=0) <= 1e-12


def test_small_systems_take_as_many_steps_as_they_have_eigenvalues():
    A, right = np.diag([1.0, 2.0, 2.0, 5.0]), np.arange(8.0).reshape(4, 2)
    x, taken = conjugate_gradients(lambda v: A @ v, lambda v: v, right, small, 100)
    np.testing.assert_allclose(A @ x, right, atol=1e-10)
    assert taken <= 4


def test_the_inverse_as_preconditioner_takes_one_step():
    rng = np.random.default_rng(0)
    F = rng.standard_normal((20, 30))
    A, right = F @ F.T, rng.standard_normal((20, 3))
    loose = lambda residual, energy: np.linalg.norm(residual, axis=0) <= 1e-9
    x, taken = conjugate_gradients(lambda v: A @ v, lambda v: np.linalg.solve(A, v), right, loose, 100)
    np.testing.assert_allclose(A @ x, right, atol=1e-9)
    assert taken == 1


def test_columns_that_are_done_stand_still_while_others_go_on():
    A = np.diag([1.0, 10.0, 100.0])
    right = np.column_stack([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], np.zeros(3)])
    x, taken = conjugate_gradients(lambda v: A @ v, lambda v: v, right, small, 100)
    np.testing.assert_allclose(x, np.linalg.solve(A, right), atol=1e-12)
    assert taken == 3
    assert not x[:, 2].any()


def test_nothing_to_do_takes_no_step_and_the_limit_is_kept():
    A, right = np.diag([1.0, 10.0]), np.ones((2, 1))
    assert conjugate_gradients(lambda v: A @ v, lambda v: v, np.zeros((2, 1)), small, 9)[1] == 0
    assert conjugate_gradients(lambda v: A @ v, lambda v: v, right, small, 1)[1] == 1
