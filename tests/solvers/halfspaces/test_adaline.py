"""Adaline: the printed pass, its limit, its stability, its mean."""

import numpy as np
import pytest
from scipy import sparse

from surefit.objective import SquaredMargin
from surefit.solvers.halfspaces.adaline import adaline

X1 = np.array([[0.0], [1], [2], [3]])
T1 = np.array([-1.0, 1, -1, 1])


def test_one_pass_over_the_printed_sample():
    """A-35, E-104: FX1 with labels sign(y - 2.5), step 0.1: (b, w) = (0.0391, 0.3203)."""
    run = adaline(X1, T1, step=0.1, epochs=1)
    np.testing.assert_allclose([run.intercept, run.coef[0]], [0.0391, 0.3203], rtol=1e-12)


def test_a_step_follows_half_the_derivative_of_the_squared_loss_on_labels():
    """L-13: (t - f)**2 = (1 - t f)**2; t f = -1, 1, 2 cost 4, 0, 1."""
    loss = SquaredMargin()
    np.testing.assert_allclose(loss.value([1, 1, 1], [-1.0, 1.0, 2.0]), [4, 0, 1])
    w, step = np.zeros(2), 0.1
    for x, t in zip(np.column_stack([X1, np.ones(4)]), T1, strict=True):
        w = w - step / 2 * loss.derivative(t, w @ x) * x
    run = adaline(X1, T1, step=step, epochs=1)
    np.testing.assert_allclose([run.coef[0], run.intercept], w, rtol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_small_steps_lead_to_least_squares_on_the_labels(fit_intercept, plain):
    """A-35: within the order of the step."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    t = np.where(X.sum(axis=1) + rng.standard_normal(50) > 0, 1.0, -1.0)
    rows = np.column_stack([X, np.ones(50)]) if fit_intercept else X
    exact = np.linalg.lstsq(rows, t, rcond=None)[0]
    errors = []
    for step in (1e-2, 1e-3) if plain else (1e-2, 1e-3, 1e-4):
        run = adaline(X, t, step=step, fit_intercept=fit_intercept, epochs=int(10 / step))
        last = np.append(run.coef, run.intercept)[: rows.shape[1]]
        errors.append(np.linalg.norm(last - exact))
    assert errors[0] < 0.05
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 10, rtol=0.2)


def test_the_mean_covers_the_second_half_of_the_visits():
    rng = np.random.default_rng(1)
    X, t = rng.standard_normal((10, 2)), rng.choice([-1.0, 1.0], 10)
    w, iterates = np.zeros(3), []
    for _ in range(5):
        for x, label in zip(np.column_stack([X, np.ones(10)]), t, strict=True):
            w = w + 0.05 * (label - w @ x) * x
            iterates.append(w)
    run = adaline(X, t, step=0.05, epochs=5)
    np.testing.assert_allclose([*run.mean_coef, run.mean_intercept], np.mean(iterates[20:], axis=0), rtol=1e-10)


def test_the_step_chosen_is_stable_whatever_the_scale():
    rng = np.random.default_rng(2)
    for scale in (1e-6, 1.0, 1e6):
        run = adaline(rng.standard_normal((30, 4)) * scale, rng.choice([-1.0, 1.0], 30), draws=np.random.default_rng(0))
        assert np.all(np.isfinite(run.coef))
        assert np.max(np.abs(run.coef)) * scale < 10


def test_sparse_rows_run_as_dense_ones():
    rng = np.random.default_rng(3)
    X, t = rng.standard_normal((30, 4)) * (rng.random((30, 4)) < 0.4), rng.choice([-1.0, 1.0], 30)
    np.testing.assert_allclose(adaline(sparse.csr_array(X), t).mean_coef, adaline(X, t).mean_coef, rtol=1e-9)


@pytest.mark.parametrize("step", [0.0, -1.0, np.inf, np.nan])
def test_steps_that_are_no_steps_are_refused(step):
    with pytest.raises(ValueError, match="step must be finite and > 0"):
        adaline(X1, T1, step=step)
