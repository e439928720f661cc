"""What an answer costs, counted and never timed.  Catalogue C-01, C-03, C-04, C-05."""

import numpy as np
import pytest
from scipy import linalg

from surefit import KernelRidge, LeastSquares
from surefit.compiled.twins import least_squares
from surefit.data import centred
from surefit.kernels.kernel import Kernel
from surefit.objective import Problem, Squared, SquaredL2
from surefit.solvers.any_loss.descent import GradientDescent

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")


class Counted(Kernel):
    """A kernel that counts the pairs it is asked for."""

    def __init__(self):
        self.asked = 0

    def pairs(self, X, Z, dtype):
        self.asked += len(X) * len(Z)
        return np.exp(-((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))


def test_least_squares_takes_one_gram_matrix_and_solves_without_an_inverse(monkeypatch):
    """One product of ``n d**2`` operations and one factor of ``d**3``.  Catalogue C-01."""
    products, factors, cholesky = [], [], np.linalg.cholesky
    gram_matrix = centred.gram_matrix
    monkeypatch.setattr(centred, "gram_matrix", lambda A, *with_: products.append(A.shape) or gram_matrix(A, *with_))
    monkeypatch.setattr(np.linalg, "cholesky", lambda A, **how: factors.append(A.shape) or cholesky(A, **how))
    for module in (np.linalg, linalg):
        monkeypatch.setattr(module, "inv", lambda *_: pytest.fail("solving needs no inverse"))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 30))
    model = LeastSquares(fit_intercept=False).fit(X, X @ np.arange(30.0))
    np.testing.assert_allclose(model.coef_, np.arange(30.0), atol=1e-12)
    assert len(products) <= 1
    assert len(factors) <= 1


@pytest.mark.parametrize("n", [40, 200])
def test_a_gram_matrix_is_each_pair_of_points_once_and_a_prediction_each_point_once(n):
    """``n (n + 1) / 2`` to ``n**2`` values to fit, and small blocks for the diagonal; ``n`` for a prediction.

    Catalogue C-03, C-02.
    """
    kernel = Counted()
    X = np.random.default_rng(0).standard_normal((n, 3))
    kernel.gram(X)
    assert n * (n + 1) // 2 <= kernel.asked <= n**2 + 40 * n
    model = KernelRidge(kernel, 0.1).fit(X, X[:, 0])
    model.kernel_.asked = 0
    model.predict(X[:7])
    assert model.kernel_.asked == 7 * n


def test_a_gradient_step_is_two_products_with_the_design():
    """``X w`` and ``X' r``, whatever the number of steps before.  Catalogue C-04."""
    products = []

    class Watched(np.ndarray):
        def __matmul__(self, other):
            if self.ndim == 2 and np.ndim(other) == 1:
                products.append(self.shape)
            return np.asarray(self) @ np.asarray(other)

    rng = np.random.default_rng(0)
    problem = Problem(rng.standard_normal((50, 4)), rng.standard_normal(50), Squared(), SquaredL2(), 0.0)
    object.__setattr__(problem, "X", problem.X.view(Watched))
    counts = []
    for steps in (3, 13):
        products.clear()
        GradientDescent(max_iter=steps, tol=0.0).run(problem)
        counts.append(len(products))
        assert set(products) == {(50, 4), (4, 50)}
    assert counts[1] - counts[0] == 2 * 10


@pytest.mark.parametrize("loops", [_native, least_squares])
def test_a_stochastic_step_reads_its_row_alone(loops):
    """The other rows may hold anything.  Catalogue C-05."""
    X, y, weight = np.full((1000, 3), np.nan), np.full(1000, np.nan), np.full(1000, np.nan)
    X[17], y[17], weight[17] = [1.0, 2.0, 0.0], 3.0, 1.0
    coef = np.zeros(3)
    loops.sgd_squared(X, y, weight, np.array([17]), coef, np.zeros(3), (0.0, 0.0), 0, 0.1, 0.0, False)
    np.testing.assert_allclose(coef, 0.1 * 2 * 3.0 * X[17])
