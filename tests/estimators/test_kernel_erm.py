"""Any smooth loss over the functions of a kernel.  Catalogue A-17, T-68, P-04, E-058."""

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor

from surefit import ERM, KernelERM, KernelLogistic, Ridge, RobustRegression
from surefit.kernels import Gaussian, Linear
from surefit.objective import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    LogLoss,
    SoftmaxCrossEntropy,
    Squared,
    SquaredMargin,
)
from surefit.solvers.solution import Status

X1, Y1 = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])


def test_squared_loss_is_kernel_ridge_regression():
    """A-12, FX1: dual weights, fitted values, prediction, squared norm and objective as printed."""
    model = KernelERM(Squared(), Gaussian(1.0), lam=0.1, fit_intercept=False).fit(X1, Y1)
    np.testing.assert_allclose(model.dual_coef_, [-0.2451564, 2.43086627, -1.2891428, 3.89689007], atol=5e-9)
    np.testing.assert_allclose(model.predict(X1), [1.09806256, 2.02765349, 2.51565712, 3.44124397], atol=5e-9)
    assert model.predict([[1.5]])[0] == pytest.approx(2.193111776, abs=5e-10)
    squared_norm = model.dual_coef_ @ Gaussian(1.0).gram(X1) @ model.dual_coef_
    assert squared_norm == pytest.approx(14.826865625, abs=5e-9)
    assert model.solution_.objective == pytest.approx(2.395360718, abs=5e-10)


def test_squared_loss_with_an_offset_and_a_linear_kernel_is_ridge():
    """P-04: the norm of the function is the norm of ``X'a``."""
    model, ridge = KernelERM(Squared(), Linear(), 0.1, fit_intercept=True).fit(X2, Y2), Ridge(lam=0.1).fit(X2, Y2)
    np.testing.assert_allclose(model.points_.T @ model.dual_coef_, ridge.coef_, atol=1e-8)
    assert model.intercept_ == pytest.approx(-0.781615237, abs=5e-9)
    K = Linear().gram(X2)
    assert model.dual_coef_ @ K @ model.dual_coef_ == pytest.approx(np.sum(ridge.coef_**2), abs=1e-8)


def test_logistic_loss_is_kernel_logistic_regression():
    labels = np.array(["b", "a", "b", "a"])
    erm, own = (
        m.fit(X1, labels) for m in (KernelERM(Logistic(), Gaussian(1.0), 0.01), KernelLogistic(Gaussian(1.0), 0.01))
    )
    np.testing.assert_array_equal(erm.dual_coef_, own.dual_coef_)
    np.testing.assert_array_equal(erm.predict(X1), own.predict(X1))
    assert erm.score(X1, labels) == own.score(X1, labels)


def test_huber_with_a_linear_kernel_is_robust_regression():
    """A-20, FX2: weights, offset and objective as printed."""
    model = KernelERM(Huber(0.5), Linear(), 0.1, fit_intercept=True).fit(X2, Y2)
    np.testing.assert_allclose(model.points_.T @ model.dual_coef_, [0.57046542, 0.84906481, 1.58851675], atol=5e-9)
    assert model.intercept_ == pytest.approx(-0.56898652, abs=5e-9)
    assert model.solution_.objective == pytest.approx(0.521759461, abs=5e-10)
    robust = RobustRegression(Huber(0.5), lam=0.1).fit(X2, Y2)
    np.testing.assert_allclose(model.predict(X2), robust.predict(X2), atol=1e-8)


def test_the_representer_theorem_needs_a_strictly_increasing_penalty():
    """T-68, E-058: with lam > 0 nothing lies outside the span of the data; with lam = 0 other minimisers do."""
    x, y = np.array([[1.0, 0.0]]), np.array([1.0])
    model = KernelERM(Squared(), Linear(), 0.5, fit_intercept=False).fit(x, y)
    w = model.points_.T @ model.dual_coef_
    np.testing.assert_allclose(w, [2 / 3, 0.0], atol=1e-12)
    np.testing.assert_allclose(ERM(lam=0.5, fit_intercept=False).fit(x, y).coef_, w, atol=1e-12)
    outside = np.array([1.0, 5.0])
    assert float(np.mean((y - x @ outside) ** 2)) == 0.0
    with pytest.raises(ValueError, match="no function is singled out"):
        KernelERM(Squared(), Linear(), 0.0).fit(x, y)


def test_probabilities_as_targets_give_probabilities():
    y = np.array([0.1, 0.8, 0.3, 0.9])
    model = KernelERM(LogLoss(), Gaussian(0.3), 1e-7).fit(X1, y)
    np.testing.assert_allclose(model.predict(X1), y, atol=1e-4)


def test_the_targets_of_the_loss_decide_what_kind_of_model_it_is():
    assert is_regressor(KernelERM())
    assert is_regressor(KernelERM(Huber(1.0)))
    assert is_classifier(KernelERM(Logistic()))
    assert is_classifier(KernelERM(SoftmaxCrossEntropy()))
    assert not hasattr(KernelERM(), "decision_function")
    assert hasattr(KernelERM(SquaredMargin()), "decision_function")


@pytest.mark.parametrize("loss", [EpsilonInsensitive(0.1), Absolute(), Hinge()], ids=str)
def test_losses_with_kinks_are_refused_with_the_remedy(loss):
    with pytest.raises(ValueError, match="use SVR or SVC"):
        KernelERM(loss, lam=0.1).fit(X1, Y1)


def test_wrong_losses_and_targets_are_refused():
    with pytest.raises(ValueError, match="such as Huber"):
        KernelERM(3, lam=0.1).fit(X1, Y1)
    with pytest.raises(ValueError, match="tells two classes apart"):
        KernelERM(Logistic(), lam=0.1).fit(X1, [0, 1, 2, 1])
    with pytest.raises(ValueError, match="between 0 and 1"):
        KernelERM(LogLoss(), lam=0.1).fit(X1, Y1)


def test_lam_is_chosen_near_the_best_for_unseen_rows():
    """S-05: within a tenth of the least test error on the grid; the noise alone costs 0.04."""
    rng = np.random.default_rng(0)
    X, unseen = rng.uniform(-3, 3, (80, 1)), rng.uniform(-3, 3, (2000, 1))
    y, truth = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=80), np.sin(2 * unseen[:, 0])
    chosen = KernelERM(Huber(1.0), Gaussian(0.7)).fit(X, y)
    errors = [
        np.mean((KernelERM(Huber(1.0), Gaussian(0.7), lam).fit(X, y).predict(unseen) - truth) ** 2)
        for lam in chosen.lam_path_
    ]
    assert np.mean((chosen.predict(unseen) - truth) ** 2) <= min(errors) + 0.01
    assert len(chosen.criterion_path_) == len(chosen.criterion_se_) == len(chosen.lam_path_)


def test_rows_of_weight_zero_are_not_kept():
    model = KernelERM(Squared(), Gaussian(1.0), 0.1).fit(X1, Y1, [1.0, 0.0, 1.0, 1.0])
    np.testing.assert_array_equal(model.points_, X1[[0, 2, 3]])


def test_one_point_is_fitted():
    """(y - a)^2 + lam a^2 is least at ``a = y / (1 + lam)`` where ``k(x, x) = 1``."""
    model = KernelERM(Squared(), Gaussian(1.0), 0.5, fit_intercept=False).fit([[2.0]], [3.0])
    assert model.predict([[2.0]])[0] == pytest.approx(2.0)
    with pytest.raises(ValueError, match="one sample"):
        KernelERM(lam=0.5).fit([[2.0]], [3.0])


@pytest.mark.parametrize("seed", [5, 10, 11, 21])
def test_a_tiny_lam_ends_at_its_minimum_though_rounding_hides_the_last_steps(seed):
    """Integer targets and points: residuals change sides of the threshold in steps that lower the objective little."""
    rng = np.random.default_rng(seed)
    n, d = (30, 2) if seed % 5 == 0 else (40, 3)
    X, y = rng.integers(0, 5, (n, d)).astype(float), rng.integers(0, 6, n).astype(float)
    assert KernelERM("huber", lam=1e-8).fit(X, y).solution_.status is Status.CONVERGED
