import numpy as np
import pytest
from scipy import sparse

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.linear.lsmr import lsmr_fit
from surefit.solvers.solution import Status


@pytest.mark.parametrize("lam", [0.0, 0.2])
def test_lsmr_agrees_with_the_direct_solution(lam):
    """Catalogue A-03, A-05: weights, intercept and several targets, the design never formed."""
    rng = np.random.default_rng(0)
    X = sparse.random(80, 6, density=0.4, random_state=rng, format="csr")
    Y, weight = rng.normal(size=(80, 2)), rng.random(80)
    solution, residual = lsmr_fit(centre(Design.of(X, weight), True), Y, lam)
    direct = ridge(Design.of(X.toarray(), weight), Y, lam).solution
    assert solution.status is Status.CONVERGED
    np.testing.assert_allclose(solution.coef, direct.coef, rtol=1e-8)
    np.testing.assert_allclose(solution.intercept, direct.intercept, rtol=1e-8)
    np.testing.assert_allclose(residual, Y - X @ solution.coef - solution.intercept, atol=1e-12)
    assert solution.gap == np.inf if lam == 0 else solution.gap < 1e-12


def test_lsmr_finds_the_shortest_solution():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(5, 9)), rng.normal(size=(5, 1))
    solution, _ = lsmr_fit(centre(Design.of(X), False), y, 0.0)
    np.testing.assert_allclose(solution.coef, np.linalg.pinv(X) @ y, rtol=1e-9)
