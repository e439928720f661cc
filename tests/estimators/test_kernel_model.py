"""What kernel estimators share: the kernel settled, the points kept, predictions in tiles."""

import numpy as np
import pytest
from sklearn.utils import get_tags

from surefit import SVC, SVR, KernelERM, KernelLogistic, KernelPerceptron, KernelRidge
from surefit.kernels import Gaussian, Linear, Min
from surefit.objective import QuadraticEpsilonInsensitive

RNG = np.random.default_rng(0)


def test_points_inside_the_tube_have_no_weight_and_are_not_kept():
    X = RNG.uniform(size=(40, 1))
    y = np.sin(6 * X[:, 0])
    model = KernelERM(QuadraticEpsilonInsensitive(0.3), Gaussian(0.3), 1e-6).fit(X, y)
    assert 0 < len(model.points_) < 40
    f = Gaussian(0.3).gram(X) @ model.solution_.coef
    np.testing.assert_allclose(model.predict(X), f + model.intercept_, atol=1e-9)


def test_a_function_without_weights_is_zero():
    model = KernelERM(kernel=Gaussian(1.0), lam=0.1).fit(RNG.normal(size=(5, 2)), np.zeros(5))
    np.testing.assert_array_equal(model.predict(RNG.normal(size=(3, 2))), 0.0)


def test_the_columns_must_be_those_of_the_fit():
    model = KernelERM(lam=0.1).fit(RNG.normal(size=(5, 2)), np.arange(5.0))
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.zeros((1, 3)))


ALL = [KernelRidge, KernelERM, KernelLogistic, SVR, SVC, KernelPerceptron]


@pytest.mark.parametrize("kind", ALL)
def test_a_number_is_no_kernel_and_every_model_says_so_alike(kind):
    with pytest.raises(ValueError, match=r"^kernel must be a Kernel such as Gaussian\(1.0\), got 3; surefit.kernels"):
        kind(kernel=3).fit(np.arange(6.0)[:, None], np.arange(6) % 2)


@pytest.mark.parametrize("kind", ALL)
def test_sparse_rows_are_taken_just_where_the_kernel_takes_them(kind):
    for kernel in (Gaussian(1.0), Linear(), Min()):
        assert get_tags(kind(kernel=kernel)).input_tags.sparse == kernel.takes_sparse


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Linear()])
@pytest.mark.parametrize(("kind", "n_classes"), [(SVR, 3), (SVC, 2), (SVC, 3), (KernelLogistic, 3)])
def test_scores_have_the_precision_of_the_rows_asked_about(kind, n_classes, kernel):
    X, y = RNG.normal(size=(30, 2)), np.arange(30) % n_classes
    model = kind(kernel=kernel, lam=0.1).fit(X, y)
    scores = model.predict if kind is SVR else model.decision_function
    for precision in (np.float32, np.float64):
        assert scores(X.astype(precision)).dtype == precision
    np.testing.assert_allclose(scores(X.astype(np.float32)), scores(X), rtol=1e-4, atol=1e-5)
