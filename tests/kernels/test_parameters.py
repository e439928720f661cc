"""Parameters of kernels as scikit-learn's searches expect them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import GridSearchCV

from surefit.kernels.library import Gaussian, Laplace, Linear, Polynomial


def test_parameters_reach_into_nested_kernels_and_change_one_place_only():
    shared = Gaussian(1.0)
    kernel = shared + 2 * shared
    assert kernel.get_params()["right__kernel__bandwidth"] == 1.0
    assert kernel.get_params(deep=False) == {"left": shared, "right": 2 * shared}
    kernel.set_params(left__bandwidth=5.0, right__factor=3)
    assert kernel == Gaussian(5.0) + 3 * Gaussian(1.0)
    assert shared == Gaussian(1.0)


def test_a_refused_parameter_changes_nothing():
    kernel = Linear() + Gaussian(1.0)
    for changes in ({"right__bandwidth": -1.0}, {"middle": 1}, {"right__bandwidth__x": 1}, {"right": 3, "left__x": 2}):
        with pytest.raises(ValueError, match=r"must be|no parameter"):
            kernel.set_params(**changes)
        assert kernel == Linear() + Gaussian(1.0)


def test_equality_is_by_value_and_by_structure():
    assert Gaussian(1) == Gaussian(1.0) == Gaussian(np.float64(1))
    assert hash(Gaussian(1)) == hash(Gaussian(np.float64(1)))
    assert Linear().on([0, 1]) == Linear().on((0, 1)) == Linear().on(np.array([0, 1]))
    assert hash(Linear().on([0, 1])) == hash(Linear().on(np.array([0, 1])))
    assert Linear() + Gaussian() != Gaussian() + Linear()
    assert Gaussian() != Laplace()
    assert Gaussian() != 3


class Interpolator(RegressorMixin, BaseEstimator):
    """Kernel ridge in four lines, as a stand-in for an estimator with a kernel."""

    def __init__(self, kernel=None):
        self.kernel = kernel

    def fit(self, X, y):
        self.X_, self.weights_ = X, np.linalg.solve(self.kernel.gram(X) + 1e-3 * np.eye(len(X)), y)
        return self

    def predict(self, X):
        return self.kernel.times(X, self.X_, self.weights_)


def test_a_grid_search_sets_nested_parameters():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (60, 1))
    y = np.sin(3 * X[:, 0])
    kernel = Gaussian(50.0) + 0.1 * Linear()
    search = GridSearchCV(Interpolator(kernel), {"kernel__left__bandwidth": np.array([1e-3, 0.5, 100.0])}).fit(X, y)
    assert search.best_params_ == {"kernel__left__bandwidth": 0.5}
    assert search.best_estimator_.kernel == Gaussian(0.5) + 0.1 * Linear()
    assert kernel == Gaussian(50.0) + 0.1 * Linear()


def test_a_whole_kernel_can_be_a_parameter_of_the_search():
    model = clone(Interpolator(Gaussian())).set_params(kernel=Polynomial(3))
    assert model.get_params()["kernel__degree"] == 3
    assert model.set_params(kernel__degree=2).kernel == Polynomial(2)
    with pytest.raises(ValueError, match="degree must be a whole number"):
        model.set_params(kernel__degree=0)
