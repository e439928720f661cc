"""Prox-Newton: the conditions of optimality hold, on smooth losses of any kind."""

import numpy as np
import pytest
from scipy import sparse

from surefit.objective import L1, Absolute, ElasticNet, Huber, Logistic, Problem, SquaredL2
from surefit.solvers.any_loss.parts import Parts
from surefit.solvers.any_loss.prox_newton import minimise_model, proximal_newton
from surefit.solvers.solution import Status

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 8))
Y = X[:, 0] - 2 * X[:, 1] + RNG.standard_t(2, size=60)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.5), SquaredL2()], ids=str)
@pytest.mark.parametrize("loss", [Huber(0.3), Logistic()], ids=str)
def test_slopes_are_at_their_thresholds_where_coefficients_are_not_zero(loss, penalty, make):
    """Catalogue A-16, A-22."""
    y = np.sign(Y) if loss.targets == "signs" else Y
    problem = Problem(make(X), y, loss, penalty, 0.05)
    found = proximal_newton(problem)
    assert found.status is Status.CONVERGED
    assert problem.residual(found.coef, found.intercept) < 1e-6


def test_the_model_is_minimised_coordinate_by_coordinate():
    gram = X.T @ X / 60
    slope, start = RNG.normal(size=8), RNG.normal(size=8)
    parts = Parts(np.full(8, 0.1), np.full(8, 0.2))
    w = minimise_model(gram, slope, parts, start, (1e-14, 1.0))
    gradient = slope + gram @ (w - start) + 2 * parts.square * w
    inside = w != 0
    np.testing.assert_allclose(gradient[inside], -parts.absolute[inside] * np.sign(w[inside]), atol=1e-6)
    assert np.all(np.abs(gradient[~inside]) <= 0.1 + 1e-6)


def test_a_loss_with_kinks_is_refused():
    with pytest.raises(ValueError, match="prox-newton needs a smooth loss"):
        proximal_newton(Problem(X, Y, Absolute(), L1(), 0.1))
