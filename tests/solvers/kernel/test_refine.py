"""Large kernel systems: every correction inside refinement reaches the same answer."""

import numpy as np
import pytest

from surefit.kernels.library import Gaussian
from surefit.kernels.stored import StoredGram
from surefit.solvers.kernel.refine import CholeskyCorrection, ConjugateGradients, refine
from surefit.solvers.kernel.ridge import kernel_ridge
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum, solve_spectrum
from surefit.solvers.solution import Status


def system_of(kernel, X, weight=None, fit_intercept=False):
    return KernelSystem(kernel, X, np.ones(len(X)) if weight is None else weight, fit_intercept)


def problem(n=60, d=3, k=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, :1]) + 0.3 * rng.standard_normal((n, k))


def closed_form(system, targets, lam):
    """The bordered system, written out.  Catalogue A-12, A-13."""
    n, W = system.n, np.diag(1.0 / system.weight)
    A = system.kernel.gram(system.X) + system.total * lam * W
    if not system.fit_intercept:
        return np.linalg.solve(A, targets), np.zeros(targets.shape[1])
    ones = np.ones((n, 1))
    solved = np.linalg.solve(np.block([[A, ones], [ones.T, np.zeros((1, 1))]]), np.vstack([targets, 0 * targets[:1]]))
    return solved[:n], solved[n]


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("route", ["cholesky", "eigen", "float32 cholesky", "cg float32", "cg int16"])
def test_every_route_reaches_the_closed_form(route, weighted, fit_intercept):
    """Catalogue A-06, A-12, A-13."""
    X, y = problem(n=200, k=2)
    weight = np.random.default_rng(1).uniform(0.2, 3.0, 200) if weighted else None
    system, lam = system_of(Gaussian(1.5), X, weight, fit_intercept), 0.01
    sum_lam = system.total * lam
    if route == "cholesky":
        fit = kernel_ridge(system, y, lam, 1e-12, 1e9)
        assert fit.status is Status.EXACT
    elif route == "eigen":
        fit = solve_spectrum(system, kernel_spectrum(system), y, lam)
    else:
        if route == "float32 cholesky":
            correction = CholeskyCorrection(system, sum_lam, np.float32)
        else:
            kind = np.float32 if route.endswith("32") else np.int16
            correction = ConjugateGradients(system, StoredGram.of(system.kernel, X, kind), sum_lam, 30, 1e-3)
        found = refine(system, y, sum_lam, correction, 1e-11)
        assert found.converged
        fit = system.solution(y, lam, found.beta, found.values, Status.CONVERGED)
    alpha, offset = closed_form(system, y, lam)
    np.testing.assert_allclose(fit.coef, alpha, atol=1e-8)
    np.testing.assert_allclose(fit.intercept, offset, atol=1e-9)


def test_conjugate_gradients_that_stall_hand_over_to_a_factorisation():
    """A rough kernel with a tiny penalty: the spectrum has no gap that a preconditioner could use."""
    from surefit.kernels.library import Matern

    X, y = problem(n=2100, d=1)
    system = system_of(Matern(bandwidth=50.0, smoothness=0.5), X)
    fit = kernel_ridge(system, y, 1e-9, 1e-6, 1e9)
    assert fit.facts["relative_residual"] <= 1e-6
    alpha, _ = closed_form(system, y, 1e-9)
    np.testing.assert_allclose(system.values(fit.coef), system.values(alpha), atol=1e-5)
