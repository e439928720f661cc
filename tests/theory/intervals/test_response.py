"""Responses of linear fits against refits: gains, own gains, left-out residuals (catalogue T-76)."""

import numpy as np
import pytest

from surefit import KernelRidge, LeastSquares, Ridge
from surefit.data.design import Design
from surefit.kernels.library import Gaussian, Linear
from surefit.solvers.kernel.system import KernelSystem
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals.response import KernelResponse, LinearResponse

N = 25


def sample(d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, d)) + 3.0
    return X, np.sin(X[:, 0]) + rng.normal(size=N), rng.normal(size=(6, d)) + 3.0


def linear(lam, fit_intercept=True, d=4):
    X, y, new = sample(d)

    def refit(rows, targets, sum_lam):
        if sum_lam == 0:
            return LeastSquares(fit_intercept).fit(rows, targets)
        return Ridge(sum_lam / len(targets), fit_intercept=fit_intercept).fit(rows, targets)

    response = LinearResponse(spectral_factor(Design.of(X), fit_intercept, N * lam), y, lam)
    return X, y, new, response, refit, N * lam


def kernel(lam, fit_intercept=True):
    X, y, new = sample(2)

    def refit(rows, targets, sum_lam):
        model = KernelRidge(Gaussian(1.5), sum_lam / len(targets), fit_intercept=fit_intercept, max_residual=1e-14)
        return model.fit(rows, targets)

    response = KernelResponse(KernelSystem(Gaussian(1.5), X, np.ones(N), fit_intercept), y, lam)
    return X, y, new, response, refit, N * lam


CASES = {
    "least squares": lambda: linear(0.0),
    "least squares through the origin": lambda: linear(0.0, False),
    "ridge": lambda: linear(0.3),
    "ridge through the origin": lambda: linear(0.3, False),
    "wide ridge": lambda: linear(0.3, d=40),
    "kernel ridge": lambda: kernel(0.02, False),
    "kernel ridge with an offset": lambda: kernel(0.02),
    "kernel ridge, hardly penalised": lambda: kernel(1e-6),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request):
    return request.param()


def test_predictions_and_residuals_are_those_of_the_fit(case):
    X, y, new, response, refit, sum_lam = case
    model = refit(X, y, sum_lam)
    np.testing.assert_allclose(response.at(new).prediction, model.predict(new), atol=1e-8)
    np.testing.assert_allclose(response.residual, y - model.predict(X), atol=1e-8)


def test_gains_are_derivatives_of_the_prediction_in_each_target(case):
    """Linear in the targets: a difference quotient is exact up to rounding."""
    X, y, new, response, refit, sum_lam = case
    base = refit(X, y, sum_lam).predict(new)
    for i in (0, 7):
        moved = refit(X, y + np.eye(N)[i], sum_lam).predict(new)
        np.testing.assert_allclose(response.at(new).gain[:, i], moved - base, atol=1e-7)


def test_own_gains_say_how_a_new_row_would_move_its_own_prediction(case):
    """Adding (x, y) at the same n * lam leaves the residual (y - f(x)) / (1 + G(x, x))."""
    X, y, new, response, refit, sum_lam = case
    gains = response.at(new)
    for j in range(len(new)):
        model = refit(np.vstack([X, new[j]]), np.append(y, 5.0), sum_lam)
        left = 5.0 - model.predict(new[[j]])[0]
        assert (5.0 - gains.prediction[j]) / (1 + gains.own[j]) == pytest.approx(left, abs=1e-7)


def test_left_out_residuals_equal_refits(case):
    X, y, _, response, refit, sum_lam = case
    refits = [y[i] - refit(np.delete(X, i, 0), np.delete(y, i), sum_lam).predict(X[[i]])[0] for i in range(N)]
    np.testing.assert_allclose(response.left_out, refits, atol=1e-7)


def test_rows_left_out_together_equal_a_refit(case):
    X, y, _, response, refit, sum_lam = case
    rows = np.array([2, 3, 11, 20])
    model = refit(np.delete(X, rows, 0), np.delete(y, rows), sum_lam)
    np.testing.assert_allclose(response.left_out_together(rows), y[rows] - model.predict(X[rows]), atol=1e-7)


def test_a_linear_kernel_is_ridge():
    X, y, new = sample(3)
    ridge = LinearResponse(spectral_factor(Design.of(X), True, 2.0), y, 0.2).at(new)
    dual = KernelResponse(KernelSystem(Linear(), X, np.ones(N), True), y, 0.2).at(new)
    for name in ("prediction", "gain", "own"):
        np.testing.assert_allclose(getattr(dual, name), getattr(ridge, name), atol=1e-10)


def test_a_row_outside_the_span_of_the_training_rows_would_decide_its_own_fit():
    X = np.column_stack([np.arange(5.0), np.zeros(5)])
    response = LinearResponse(spectral_factor(Design.of(X), True), np.array([1.0, 3, 2, 5, 4]), 0.0)
    own = response.at([[2.0, 0.0], [2.0, 1.0]]).own
    assert own[0] == pytest.approx(0.2)
    assert own[1] == np.inf


def test_a_fold_without_which_the_fit_is_undetermined_is_refused():
    X = np.column_stack([np.arange(6.0), [0, 0, 0, 0, 1.0, 1.0]])
    response = LinearResponse(spectral_factor(Design.of(X), True), np.arange(6.0) ** 2, 0.0)
    with pytest.raises(ValueError, match="without one of the folds the fit is not determined"):
        response.left_out_together(np.array([4, 5]))


def test_a_lam_lost_in_rounding_is_refused():
    X, y, new = sample(2)
    response = KernelResponse(KernelSystem(Gaussian(50.0), X, np.ones(N), False), y, 1e-17)
    with pytest.raises(ValueError, match="rounding decides the left-out fits; use a larger lam"):
        response.at(new)
