"""One support-vector problem after the other, each from the solution before: the same as each by itself."""

import numpy as np
import pytest

from surefit.kernels import Gaussian, Polynomial
from surefit.objective.margin import Hinge
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.solvers.support_vectors.solve import solve_dual
from surefit.solvers.support_vectors.warm import WarmDual

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
NUMBERS = np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=60)
SIGNS = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, 1.0, -1.0)
WEIGHT = RNG.uniform(0.5, 2.0, 60)


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(2)], ids=repr)
@pytest.mark.parametrize(
    ("loss", "y"),
    [(EpsilonInsensitive(0.1), NUMBERS), (QuadraticEpsilonInsensitive(0.1), NUMBERS), (Hinge(), SIGNS)],
    ids=["tube", "quadratic", "hinge"],
)
def test_every_solution_is_the_one_from_scratch(loss, y, kernel, offset):
    """A-19, A-21: functions agree to the tolerance, down three decades of lam."""
    gram = kernel.gram(X)
    problem = SupportVectorProblem(kernel, X, y, WEIGHT, loss, 1.0, offset)
    walk = WarmDual(problem, float(np.max(np.diag(gram))))
    for lam in np.logspace(0, -3, 7):
        beta, b, square = walk.step(lam, gram.astype(np.float32), 1e-4)
        alone = solve_dual(
            SupportVectorProblem(kernel, X, y, WEIGHT, loss, lam, offset), Budget(1e-8, 10**7, np.inf, 1e9)
        )
        expected = gram @ alone.coef
        np.testing.assert_allclose(gram @ beta + b, expected + alone.intercept, atol=0.02 * np.std(y))
        assert square == pytest.approx(alone.coef @ expected, rel=0.03, abs=1e-6)


def test_a_start_from_the_solution_before_takes_fewer_steps(monkeypatch):
    from surefit.solvers.support_vectors import warm

    taken, steps = [], warm.pair_steps
    monkeypatch.setattr(warm, "pair_steps", lambda *terms: taken.append(found := steps(*terms)) or found)
    gram = Gaussian(1.0).gram(X, dtype=np.float32)
    problem = SupportVectorProblem(Gaussian(1.0), X, NUMBERS, WEIGHT, EpsilonInsensitive(0.1), 1.0)
    walk = WarmDual(problem, 1.0)
    for lam in np.logspace(-1, -3, 9):
        walk.step(lam, gram, 1e-3)
    WarmDual(problem, 1.0).step(1e-3, gram, 1e-3)
    assert taken[-2][0] < 0.7 * taken[-1][0]
