"""Certificates of regressors without a hold-out: the theorem of each, its numbers, and how many rows it needs."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes

from surefit import (
    ERM,
    SVR,
    KernelRidge,
    Lasso,
    LeastSquares,
    Ridge,
    RobustRegression,
    SubsetRegression,
)
from surefit.guarantee.theorems.regressors import _missed_by_constants
from surefit.kernels import Gaussian, Laplace, Linear
from surefit.objective import Huber
from surefit.page import number
from surefit.testing import check_certificate
from surefit.theory.bounds import (
    Fitted,
    empirical_rademacher_bound,
    kernel_squared_bound,
    pseudo_dimension_bound,
)
from surefit.theory.bounds.complexity import NormBall
from surefit.theory.bounds.shattering import squared_loss_dimension
from surefit.theory.certificates.certificate import Standing, Verdict

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
XR, YR = load_diabetes(return_X_y=True)
XR = 20 * XR
WIDTH = YR.max() - YR.min()


def cut_error(model, power=2):
    return np.mean(np.abs(YR - np.clip(model.predict(XR), YR.min(), YR.max())) ** power)


def standing(certificate, word):
    return next(one.standing for one in certificate.assumptions if word in one.text)


@pytest.mark.parametrize(("make", "order"), [(lambda: Ridge(0.1), 2), (lambda: Ridge(), 2), (lambda: Lasso(1.0), 1)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_linear_regressors_get_the_rademacher_bound_of_their_ball(make, order, kind):
    """An intercept is the weight of a constant column; the radius is the next power of two, and is paid for."""
    model = make().fit(kind(XR), YR)
    weights = np.append(model.coef_, model.intercept_)
    paid = Fitted(np.linalg.norm(weights, ord=order))
    ball = NormBall(np.column_stack([XR, np.ones(len(YR))]), paid.radius, order)
    expected = empirical_rademacher_bound(
        cut_error(model), len(YR), ball.bound(), lipschitz=2 * WIDTH, loss_bound=WIDTH**2, delta=0.05 * paid.share
    )
    certificate = model.certificate()
    assert certificate.bound == pytest.approx(expected.value)
    assert certificate.method == f"rademacher, L{order} ball"
    assert certificate.empirical == pytest.approx(cut_error(model))
    assert standing(certificate, "every target lies in [25, 346]") is Standing.DECLARED
    assert standing(certificate, "lam, weights and coefficients may depend") is Standing.CHECKED
    check_certificate(certificate)


def test_robust_losses_get_the_mean_absolute_error():
    for model in (RobustRegression(Huber(50.0)).fit(XR, YR), ERM(Huber(50.0)).fit(XR, YR)):
        assert model.certificate().empirical == pytest.approx(cut_error(model, 1))
        assert "mean absolute error" in model.certificate().statement
    assert "mean squared error" in ERM().fit(XR, YR).certificate().statement


@pytest.mark.parametrize("model", [LeastSquares(), SubsetRegression()])
def test_least_squares_gets_the_pseudo_dimension(model):
    certificate = model.fit(XR, YR).certificate()
    theorem = pseudo_dimension_bound(cut_error(model), 442, squared_loss_dimension(10), loss_bound=WIDTH**2)
    assert certificate.inputs["value"] == pytest.approx(theorem.value)
    assert certificate.status is Verdict.VACUOUS
    assert certificate.bound == WIDTH**2
    floor = certificate.inputs["constant"]
    assert 0.8 * np.var(YR) < floor < np.var(YR)
    text = f"rows would be needed for this bound to fall below the {number(floor)} that the best constant is certain"
    assert text in certificate.statement
    few = LeastSquares().fit(XR[:50], YR[:50]).certificate()
    assert few.vacuous
    assert few.inputs["value"] == np.inf
    check_certificate(few)


def test_the_rows_that_are_said_to_be_needed_are_enough_and_hardly_more():
    certificate = Ridge(0.1).fit(XR, YR).certificate()
    slack = certificate.inputs["value"] - certificate.empirical
    needed = 442 * (slack / (certificate.inputs["constant"] - certificate.empirical)) ** 2
    assert f"About {float(f'{math.ceil(needed):.2g}'):,.0f} rows" in certificate.statement


@pytest.mark.parametrize("offset", [False, True])
def test_kernel_ridge_gets_the_bound_of_its_ball(offset):
    model = KernelRidge(Gaussian(5.0), 0.01, fit_intercept=offset).fit(XR, YR)
    K = Gaussian(5.0).gram(XR) + offset
    values = model.predict(XR) - model.intercept_ * (not offset)
    norm = math.sqrt(values @ np.linalg.solve(K + 1e-10 * np.eye(442), values))
    theorem = kernel_squared_bound(
        cut_error(model), 442, radius=Fitted(norm), largest_error=WIDTH, feature_bound=math.sqrt(1 + offset)
    )
    assert model.certificate().bound == pytest.approx(theorem.value, rel=1e-6)
    check_certificate(model.certificate())


def test_one_of_several_fixed_kernels_is_paid_for():
    both, one = [KernelRidge(k, 0.01).fit(XR, YR).certificate() for k in ([Gaussian(5.0), Laplace(9.0)], Gaussian(5.0))]
    assert one.inputs["norm"] > 0
    assert both.inputs["value"] != one.inputs["value"]
    assert not any(a.standing is Standing.VIOLATED for a in both.assumptions)


def test_kernels_that_are_not_one_on_the_diagonal_use_their_trace():
    linear = KernelRidge(Linear(), 0.1, fit_intercept=False).fit(XR, YR).certificate()
    ridge = Ridge(0.1, fit_intercept=False).fit(XR, YR).certificate()
    assert linear.bound == pytest.approx(ridge.bound, rel=1e-6)


def test_the_best_constant_of_a_tube_is_the_fullest_window_not_the_median():
    """40 % of the targets lie within 0.25 of 0.25, and the median among others: 0.25 misses 60 %, the median 96 %."""
    rng = np.random.default_rng(0)
    n = 2000
    x, u = rng.uniform(5, 15, n), rng.random(n)
    spread = np.where(u < 0.75, x + rng.uniform(-0.2, 0.2, n), rng.uniform(100, 200, n))
    y = np.where(u < 0.4, rng.uniform(0, 0.5, n), spread)
    found = SVR(Linear(), lam=1e-3, epsilon=0.5).fit(x[:, None], y).certificate()
    assert np.mean(np.abs(y - np.median(y)) > 0.5) > 0.9
    assert 0.5 < found.inputs["constant"] <= 0.6
    assert found.status is not Verdict.INFORMATIVE


def test_no_constant_beats_what_constants_are_certain_to_miss():
    """300 samples of 60 exponential targets, width 0.6: the best constant misses exp(-0.6) = 0.549 of them.

    At delta = 0.2 P(more than 87 failures) < 1e-4.
    """
    rng = np.random.default_rng(0)
    failed = sum(_missed_by_constants(rng.exponential(size=60), 0.3, 0.2) > np.exp(-0.6) for _ in range(300))
    assert failed <= 87
    assert _missed_by_constants(np.arange(10_000.0), 0.25, 0.05) > 0.97
