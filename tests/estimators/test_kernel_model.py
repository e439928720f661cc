"""What kernel estimators share: the kernel settled, the points kept, predictions in tiles."""

import numpy as np
import pytest

from surefit import KernelERM
from surefit.kernels import Gaussian
from surefit.objective import QuadraticEpsilonInsensitive

RNG = np.random.default_rng(0)


def test_points_inside_the_tube_have_no_weight_and_are_not_kept():
    X = RNG.uniform(size=(40, 1))
    y = np.sin(6 * X[:, 0])
    model = KernelERM(QuadraticEpsilonInsensitive(0.3), Gaussian(0.3), 1e-6).fit(X, y)
    assert 0 < len(model.points_) < 40
    f = Gaussian(0.3).gram(X) @ model.solution_.coef
    np.testing.assert_allclose(model.predict(X), f, atol=1e-9)


def test_a_function_without_weights_is_zero():
    model = KernelERM(kernel=Gaussian(1.0), lam=0.1).fit(RNG.normal(size=(5, 2)), np.zeros(5))
    np.testing.assert_array_equal(model.predict(RNG.normal(size=(3, 2))), 0.0)


def test_the_columns_must_be_those_of_the_fit():
    model = KernelERM(lam=0.1).fit(RNG.normal(size=(5, 2)), np.arange(5.0))
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.zeros((1, 3)))
