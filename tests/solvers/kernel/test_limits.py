"""Other tuned numbers give other routes to the same function."""

import numpy as np
import pytest

from surefit.kernels import Gaussian
from surefit.objective import Logistic
from surefit.objective.softmax import SoftmaxCrossEntropy
from surefit.solvers.kernel import limits
from surefit.solvers.kernel.gram import DenseGram, LowRankGram
from surefit.solvers.kernel.newton import kernel_newton
from surefit.solvers.kernel.problem import KernelRiskProblem
from surefit.solvers.kernel.ridge import kernel_ridge
from surefit.solvers.kernel.system import KernelSystem
from tests.solvers.tuned import changed, unexplained

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 2))
Y, P = np.sin(2 * X[:, :1]), np.full(60, 1 / 60)
SYSTEM = KernelSystem(Gaussian(1.0), X, np.ones(60), False)


def test_every_number_has_a_sentence_of_its_own():
    assert not unexplained(limits)


@pytest.mark.parametrize("points", [10, 2_000])
@pytest.mark.parametrize(("name", "value"), changed(limits, without=["CHOLESKY_POINTS"]))
def test_predictions_are_the_same_whatever_the_number(name, value, points, monkeypatch):
    exact = np.linalg.solve(Gaussian(1.0).gram(X) + 0.06 * np.eye(60), Y)
    monkeypatch.setattr(limits, "CHOLESKY_POINTS", points)
    monkeypatch.setattr(limits, name, value)
    np.testing.assert_allclose(kernel_ridge(SYSTEM, Y, 1e-3, 1e-9, 1e9).coef, exact, atol=1e-5)


@pytest.mark.parametrize(
    "name", ["FEATURE_ROWS", "SOFTMAX_ACCURACY", "SOFTMAX_LARGEST_SYSTEM", "SOFTMAX_MAX_PRODUCTS", "NEWTON_SMALL"]
)
def test_newton_reaches_its_gap_whatever_the_number(name, monkeypatch):
    classes = np.argmax(np.column_stack([X, -X.sum(axis=1)]), axis=1)
    grams = DenseGram(Gaussian(1.0).gram(X)), LowRankGram(np.column_stack([X, X**2]))
    monkeypatch.setattr(limits, name, type(getattr(limits, name))(getattr(limits, name) / 7))
    for gram in grams:
        two = KernelRiskProblem(gram, np.sign(Y[:, 0]), Logistic(), 0.01, P, True)
        three = KernelRiskProblem(gram, classes, SoftmaxCrossEntropy(), 0.01, P, True, classes=3)
        assert kernel_newton(two).gap <= 1e-8
        assert kernel_newton(three).gap <= 1e-7
