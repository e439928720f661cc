"""The perceptron: printed runs, the convergence theorem, tie rules, means and kernels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from surefit.objective import PerceptronLoss
from surefit.solvers.halfspaces.perceptron import kernel_perceptron, perceptron
from surefit.solvers.halfspaces.separability import max_margin
from surefit.theory.risk.geometry import homogenise, margin

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([-1.0, -1, -1, 1])


def test_and_by_the_rule_that_updates_at_zero():
    """FX6, A-33: w = (3, 2, -4), 18 updates, 9 epochs of which the last is clean; 18 <= 51."""
    run = perceptron(homogenise(CORNERS), AND)
    assert run.coef.tolist() == [3, 2, -4]
    assert (run.n_updates, run.n_epochs, run.converged) == (18, 9, True)
    assert margin(run.coef, homogenise(CORNERS), AND) > 0


def test_and_by_the_rule_that_reads_zero_as_plus_one():
    """FX6, A-34: w = (2, 1, -3), 11 updates, 6 epochs, and (1, 1) ends on the plane: no strict separator."""
    run = perceptron(homogenise(CORNERS), AND, sign_zero=1)
    assert run.coef.tolist() == [2, 1, -3]
    assert (run.n_updates, run.n_epochs, run.converged) == (11, 6, True)
    assert (homogenise(CORNERS) @ run.coef)[3] == 0


def test_zero_read_as_minus_one_mirrors_zero_read_as_plus_one():
    """E-028: swapping the labels and the rule negates the weights."""
    plus, minus = perceptron(homogenise(CORNERS), AND, sign_zero=1), perceptron(homogenise(CORNERS), -AND, sign_zero=-1)
    assert (-minus.coef).tolist() == plus.coef.tolist()
    assert minus.n_updates == plus.n_updates


def test_the_intercept_is_the_weight_of_a_constant_feature():
    """D-03."""
    run = perceptron(CORNERS, AND, fit_intercept=True)
    assert (*run.coef, run.intercept) == (3, 2, -4)
    same = perceptron(homogenise(CORNERS), AND)
    np.testing.assert_allclose([*run.mean_coef, run.mean_intercept], same.mean_coef, rtol=1e-14)


@pytest.mark.parametrize(("e", "updates"), [(0.2, 13), (0.1, 51), (0.05, 200), (0.02, 1251), (0.01, 5001)])
def test_the_hard_triple_needs_half_of_the_bound(e, updates):
    """FX7, T-57, C-06: about 1/(2 e**2) updates of at most 1 + 1/e**2."""
    X = np.array([[0.5, e], [-1, e], [1, e]])
    run = perceptron(X, np.ones(3), max_epochs=5000)
    assert run.n_updates == updates
    assert run.converged
    assert 0.49 < updates / max_margin(X, np.ones(3)).perceptron_bound < 0.51


def test_orthonormal_rows_attain_the_bound():
    """T-56, T-57: n updates, and the bound is n."""
    t = np.array([1.0, -1, 1, -1, 1])
    run = perceptron(np.eye(5), t)
    assert run.n_updates == 5 == round(max_margin(np.eye(5), t).perceptron_bound, 9)


@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_updates_stay_below_the_bound_on_two_hundred_separable_samples(order):
    """T-56, any order, and both tie rules."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((rng.integers(2, 30), rng.integers(1, 5)))
        t = np.where(X @ rng.standard_normal(X.shape[1]) > 0, 1.0, -1.0)
        bound = max_margin(X, t).perceptron_bound
        draws = None if order == "cyclic" else rng
        for sign_zero in (None, 1):
            run = perceptron(X, t, sign_zero=sign_zero, draws=draws, max_epochs=300)
            assert run.n_updates <= bound * (1 + 1e-9)


@given(st.lists(st.floats(-10, 10), min_size=6, max_size=6), st.sampled_from([-1, 1]))
def test_an_update_adds_the_squared_length_to_the_margin(numbers, t):
    """T-55: t (w + t x) . x = t w . x + ||x||**2."""
    w, x = np.array(numbers[:3]), np.array(numbers[3:])
    assert t * ((w + t * x) @ x) == pytest.approx(t * (w @ x) + x @ x, abs=1e-9)


def test_an_update_is_a_step_against_the_derivative_of_the_perceptron_loss():
    """A-34, L-12: with the derivative at 0 chosen as -t it is the rule that updates at zero."""
    loss, w = PerceptronLoss(update_at_zero=True), np.zeros(3)
    X = homogenise(CORNERS)
    for _ in range(9):
        for x, t in zip(X, AND, strict=True):
            w = w - loss.derivative(t, w @ x) * x
    assert w.tolist() == perceptron(X, AND).coef.tolist()


def test_zero_is_a_minimiser_of_the_perceptron_loss_that_the_algorithm_leaves():
    """E-103, A-34: at w = 0 the loss is 0; with sign(0) = +1 and only positive labels nothing is ever updated."""
    assert np.all(PerceptronLoss().value(AND, np.zeros(4)) == 0)
    run = perceptron(CORNERS + 1, np.ones(4), sign_zero=1)
    assert (run.n_updates, run.n_epochs, run.converged) == (0, 1, True)
    assert not run.coef.any()
    assert perceptron(CORNERS + 1, np.ones(4)).n_updates == 1


def test_mistakes_are_the_dual_weights():
    run = perceptron(homogenise(CORNERS), AND)
    np.testing.assert_array_equal((run.mistakes * AND) @ homogenise(CORNERS), run.coef)
    assert run.mistakes.sum() == 18


def test_mean_weights_are_the_mean_over_all_visits():
    """Twin: keep every iterate and average."""
    rng = np.random.default_rng(0)
    X, t = rng.standard_normal((20, 3)), rng.choice([-1.0, 1.0], 20)
    w, iterates = np.zeros(3), []
    for _ in range(7):
        for x, label in zip(X, t, strict=True):
            w = w + label * x * (label * (w @ x) <= 0)
            iterates.append(w)
    run = perceptron(X, t, max_epochs=7)
    assert not run.converged
    np.testing.assert_allclose(run.coef, w, rtol=1e-12)
    np.testing.assert_allclose(run.mean_coef, np.mean(iterates, axis=0), rtol=1e-12)


def test_sparse_rows_run_as_dense_ones_and_repeated_entries_add_up():
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (40, 6)).astype(float)
    X[:, 0] += 5 * (X[:, 0] == 0)
    t = rng.choice([-1.0, 1.0], 40)
    dense, thin = perceptron(X, t, max_epochs=5), perceptron(sparse.csr_array(X), t, max_epochs=5)
    assert thin.coef.tolist() == dense.coef.tolist()
    doubled = sparse.csr_matrix(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    assert perceptron(doubled, np.ones(1)).coef.tolist() == [3]
    assert len(doubled.data) == 2  # the caller's matrix is left as it was


def test_random_draws_are_reproducible_and_stop_when_all_rows_are_right():
    """A-34."""
    X = homogenise(CORNERS)
    once, again = (perceptron(X, AND, draws=np.random.default_rng(3)) for _ in range(2))
    assert once.coef.tolist() == again.coef.tolist()
    assert once.converged
    assert np.all(AND * (X @ once.coef) > 0)
    assert once.n_updates <= 51


@pytest.mark.parametrize("draws", [None, 5])
@pytest.mark.parametrize("sign_zero", [None, -1, 1])
def test_the_kernel_form_with_the_linear_kernel_is_the_same_run(draws, sign_zero):
    """A-33: whole numbers, so ties are ties in both."""
    rng = np.random.default_rng(2)
    X, t = rng.integers(-3, 4, (25, 3)) + np.array([0.0, 0, 0.5]), rng.choice([-1.0, 1.0], 25)
    generator = (lambda: None) if draws is None else (lambda: np.random.default_rng(draws))
    linear = perceptron(X, t, sign_zero=sign_zero, draws=generator(), max_epochs=6)
    dual = kernel_perceptron((X @ X.T).__getitem__, t, sign_zero=sign_zero, draws=generator(), max_epochs=6)
    np.testing.assert_array_equal(dual.mistakes, linear.mistakes)
    np.testing.assert_allclose(dual.coef @ X, linear.coef, atol=1e-10)
    np.testing.assert_allclose(dual.mean_coef @ X, linear.mean_coef, atol=1e-10)
    assert (dual.n_epochs, dual.converged) == (linear.n_epochs, linear.converged)


def test_epochs_are_told_which_rows_caused_updates():
    told = []
    run = perceptron(homogenise(CORNERS), AND, on_epoch=told.append)
    assert len(told) == run.n_epochs
    np.testing.assert_array_equal(np.bincount(np.concatenate(told)), run.mistakes)


def test_rows_of_zeros_are_refused_unless_no_rule_would_update_them():
    """A-33: x = 0 would be updated for ever."""
    X = np.array([[1.0], [0.0]])
    with pytest.raises(ValueError, match="row 1 is zero"):
        perceptron(X, np.array([1.0, 1.0]))
    with pytest.raises(ValueError, match="row 1 is zero"):
        perceptron(X, np.array([1.0, -1.0]), sign_zero=1)
    assert perceptron(X, np.array([1.0, 1.0]), sign_zero=1).converged
    assert perceptron(X, np.array([1.0, -1.0]), fit_intercept=True).converged
    with pytest.raises(ValueError, match=r"k\(x, x\) = 0 for row 1"):
        kernel_perceptron((X @ X.T).__getitem__, np.array([1.0, 1.0]))


def test_rows_too_long_to_be_squared_are_refused():
    with pytest.raises(ValueError, match="overflows; divide the columns"):
        perceptron(np.array([[1e200], [1.0]]), np.array([1.0, -1.0]), fit_intercept=True)


def test_unknown_tie_rules_are_refused():
    with pytest.raises(ValueError, match="sign_zero must be None, -1 or"):
        perceptron(CORNERS + 1, AND, sign_zero=0)
