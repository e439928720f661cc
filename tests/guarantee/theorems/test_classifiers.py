"""Certificates without a hold-out: each model's own theorem, what breaks it, and what is advised instead."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import StandardScaler

from surefit import (
    ERM,
    SVC,
    SVR,
    Adaline,
    ElasticNet,
    KernelERM,
    KernelLogistic,
    KernelPerceptron,
    KernelRidge,
    KernelRidgeClassifier,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Memoriser,
    NearestNeighbourClassifier,
    NearestNeighbourRegressor,
    Perceptron,
    PlugInClassifier,
    Ridge,
    RobustRegression,
    SubsetRegression,
    ThresholdClassifier,
)
from surefit.features import Polynomial
from surefit.guarantee.theorems.classifiers import sorted_labels
from surefit.guarantee.theorems.regressors import _missed_by_constants
from surefit.kernels import Gaussian, Laplace, Linear
from surefit.objective import Hinge, Huber, Logistic
from surefit.testing import check_certificate
from surefit.theory.bounds import (
    Fitted,
    compression_risk,
    empirical_rademacher_bound,
    kernel_squared_bound,
    pac_bayes_linear,
    pseudo_dimension_bound,
)
from surefit.theory.bounds.complexity import NormBall
from surefit.theory.bounds.shattering import squared_loss_dimension, threshold_dimension
from surefit.theory.certificates.certificate import Standing, Verdict
from surefit.theory.certificates.wording import at_least
from surefit.theory.means.concentration import dkw_slack

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
XR, YR = load_diabetes(return_X_y=True)
XR = 20 * XR
XC, YC = load_breast_cancer(return_X_y=True)
XC = StandardScaler().fit_transform(XC)
MIXED = np.random.default_rng(0).permutation(len(YC))
XC, YC = XC[MIXED], YC[MIXED]
SIGNS = np.where(YC == 1, 1.0, -1.0)
WIDTH = YR.max() - YR.min()
REGRESSORS = [
    LeastSquares(), Ridge(0.01), Lasso(1.0), ElasticNet(1.0), SubsetRegression(), RobustRegression(Huber(50.0)), ERM(),
    KernelRidge(Gaussian(5.0), 0.01), SVR(Gaussian(5.0), 1e-4, 20.0), KernelERM(Huber(50.0), Gaussian(5.0), 0.01),
    NearestNeighbourRegressor(),
]  # fmt: skip
EVERY = [
    *REGRESSORS, LogisticRegression(0.01), SVC(Gaussian(5.0), 0.001), KernelLogistic(Gaussian(5.0), 0.001),
    KernelRidgeClassifier(Gaussian(5.0), 0.001),
    KernelERM(Logistic(), Gaussian(5.0), 0.001), Perceptron(max_epochs=20), KernelPerceptron(Gaussian(5.0)),
    KernelPerceptron(Gaussian(5.0), weights="mean"), Adaline(), ThresholdClassifier(), Memoriser(),
    NearestNeighbourClassifier(), PlugInClassifier(),
]  # fmt: skip


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
    assert standing(certificate, "lam, weights and coefficients need not be fixed") is Standing.CHECKED
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
    text = f"the loss of the best constant, which 442 rows show to be at least {at_least(floor)}"
    assert text in certificate.statement
    few = LeastSquares().fit(XR[:50], YR[:50]).certificate()
    assert few.vacuous
    assert few.inputs["value"] == np.inf
    check_certificate(few)


def test_the_rows_that_are_said_to_be_needed_are_enough_and_hardly_more():
    """What the constant is certain to lose grows with the rows too, towards what it loses on these."""
    certificate = Ridge(0.1).fit(XR, YR).certificate()
    seen, slack = certificate.inputs["constant_seen"], certificate.inputs["value"] - certificate.empirical
    doubt = seen - certificate.inputs["constant"]
    needed = 442 * ((slack + doubt) / (seen - certificate.empirical)) ** 2
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


def test_linear_classifiers_get_the_pac_bayes_bound():
    model = LogisticRegression(0.01).fit(XC, YC)
    rows, w = np.column_stack([XC, np.ones(len(YC))]), np.append(model.coef_[0], model.intercept_[0])
    margins = SIGNS * (rows @ w) / np.linalg.norm(w) / np.linalg.norm(rows, axis=1)
    expected = 2 * pac_bayes_linear(margins).value
    assert model.certificate().bound == pytest.approx(expected)
    assert model.certificate().status is Verdict.INFORMATIVE
    assert LogisticRegression(0.01).fit(sparse.csr_array(XC), YC).certificate().bound == pytest.approx(expected)
    for other in (Adaline(), Perceptron(weights="mean"), Perceptron(order="random", max_epochs=50)):
        assert other.fit(XC, YC).certificate().method.startswith("pac-bayes")
    erm = ERM(Logistic(), lam=0.01).fit(XC, SIGNS).certificate()
    assert erm.bound == pytest.approx(expected, rel=1e-4)
    assert ERM(Hinge(), lam=0.01, features=Polynomial(1)).fit(XC, SIGNS).certificate().status is Verdict.INFORMATIVE


@pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)
def test_frames_are_certified_without_a_warning_and_as_arrays_are(model):
    X, y = (XR, YR) if any(model is one for one in REGRESSORS) else (XC, YC)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    named = clone(model).fit(frame, pd.Series(y)).certificate()
    assert named.bound == pytest.approx(clone(model).fit(X, y).certificate().bound, rel=1e-6)
    check_certificate(named)


def test_rows_without_a_direction_have_no_theorem():
    X = XC.copy()
    X[0] = 0.0
    assert "no direction" in LogisticRegression(0.01, fit_intercept=False).fit(X, YC).certificate().statement
    assert LogisticRegression(0.01).fit(X, YC).certificate().status is Verdict.INFORMATIVE


def test_a_lam_chosen_on_the_rows_costs_uniform_bounds_nothing():
    chosen = LogisticRegression().fit(XC, YC)
    assert chosen.certificate().bound == pytest.approx(LogisticRegression(chosen.lam_).fit(XC, YC).certificate().bound)
    tuned = Ridge().fit(XR, YR)
    assert tuned.certificate().bound == pytest.approx(Ridge(tuned.lam_).fit(XR, YR).certificate().bound)


def test_what_no_theorem_covers_is_said():
    X, y = load_iris(return_X_y=True)
    for model in (LogisticRegression(0.1), KernelLogistic(Gaussian(1.0), 0.1)):
        certificate = model.fit(X, y).certificate()
        assert certificate.vacuous
        assert "two classes" in certificate.statement
    costly = LogisticRegression(0.01, costs=[[0, 1], [5, 0]]).fit(XC, YC).certificate()
    assert "the more probable one" in costly.statement
    anything = Memoriser().fit(XC, YC).certificate()
    assert anything.bound == 1.0
    assert "can fit any targets" in anything.statement
    assert "certify 2.6 % if none of them is wrong" in anything.statement
    assert NearestNeighbourRegressor().fit(XR, YR).certificate().bound == np.inf
    flat = Ridge(0.1).fit(XR, np.ones(len(YR))).certificate()
    assert "all targets are equal" in flat.statement
    for certificate in (anything, flat, costly):
        check_certificate(certificate)


def test_support_vectors_get_compression():
    """The count may not be below that of the support vectors nor of the rows near the margin or tube."""
    machine = SVC(Gaussian(5.0), 0.001).fit(XC, YC)
    margins = SIGNS * machine.decision_function(XC)
    k = max(len(machine.support_), int(np.sum(margins <= 1.001)))
    assert machine.certificate().bound == pytest.approx(compression_risk(569, k))
    assert machine.certificate().status is Verdict.INFORMATIVE
    tube = SVR(Gaussian(5.0), 1e-4, 100.0).fit(XR, YR)
    certificate = tube.certificate()
    assert certificate.inputs["k"] >= len(tube.support_)
    assert certificate.bound < 0.25
    assert "misses by more than 100" in certificate.statement
    linear = SVC(Linear(), 0.01).fit(XC, YC).certificate()
    assert linear.inputs["k"] == pytest.approx(len(SVC(Linear(), 0.01).fit(XC, YC).support_), abs=3)
    for one in (certificate, linear):
        check_certificate(one)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (SVR(Gaussian(5.0), epsilon=100.0), "lam was chosen on the same rows"),
        (SVR(lam=1e-4, epsilon=100.0), "the kernel was scaled on the same rows"),
        (SVR(Gaussian(5.0), 1e-4, 100.0, max_iter=3), "the fit ended at a limit"),
        (KernelRidge(lam=0.1), "the kernel was scaled on the same rows"),
        (KernelERM(Huber(50.0), lam=0.1), "the kernel was scaled on the same rows"),
    ],
)
def test_choices_made_on_the_rows_break_the_theorem_and_are_named(model, reason):
    certificate = model.fit(XR, YR).certificate()
    assert certificate.vacuous
    assert any(one.standing is Standing.VIOLATED for one in certificate.assumptions)
    assert certificate.statement.startswith(f"No guarantee from the training rows alone: {reason}")
    assert "Hold rows out: fit(..., certify=0.2) keeps 88" in certificate.statement
    check_certificate(certificate)


def test_unequal_weights_break_compression_and_nothing_else():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(YC))
    broken = SVC(Gaussian(5.0), 0.001).fit(XC, YC, weight).certificate()
    assert "rows of unequal sample_weight" in broken.statement
    assert broken.bound == 1.0
    assert not SVC(Gaussian(5.0), 0.001).fit(XC, YC, np.full(len(YC), 2.0)).certificate().vacuous
    assert LogisticRegression(0.01).fit(XC, YC, weight).certificate().status is Verdict.INFORMATIVE


def test_a_sorted_file_is_noticed_where_the_order_matters():
    order = np.argsort(YC)
    certificate = Perceptron(max_epochs=20).fit(XC[order], YC[order]).certificate()
    assert certificate.vacuous
    assert "the rows are sorted: 2 runs of equal labels where 267 are expected; shuffle them" in certificate.statement
    assert Perceptron(max_epochs=20).fit(XC, YC).certificate().status is Verdict.INFORMATIVE
    assert KernelPerceptron(Gaussian(5.0)).fit(XC, YC).certificate().status is Verdict.INFORMATIVE
    assert SVC(Gaussian(5.0), 0.001).fit(XC[order], YC[order]).certificate().status is Verdict.INFORMATIVE


def test_random_labels_are_not_taken_for_sorted():
    """A thousand files: six standard deviations are about one in a billion each."""
    rng = np.random.default_rng(0)
    assert not any(sorted_labels(rng.integers(0, 2, size=50)) for _ in range(1000))


def test_the_perceptron_is_certified_by_the_rows_that_it_needed():
    model = Perceptron(max_epochs=20).fit(XC, YC)
    wrong = SIGNS * model.decision_function(XC) <= 0
    k = np.sum((model.mistakes_ > 0) | wrong)
    assert model.certificate().bound == pytest.approx(compression_risk(569, k))
    signed = Perceptron(max_epochs=20, sign_zero=1).fit(XC, YC).certificate()
    assert signed.method == "compression, perceptron"


def test_margins_are_certified_for_kernel_classifiers():
    model = KernelLogistic(Gaussian(5.0), 1e-5).fit(XC, YC)
    certificate = model.certificate()
    assert certificate.method == "rademacher, margin"
    assert certificate.empirical == np.mean(model.predict(XC) != YC)
    assert "rows would be needed" in certificate.statement
    same = KernelERM(Logistic(), Gaussian(5.0), 1e-5).fit(XC, YC).certificate()
    assert same.bound == pytest.approx(certificate.bound, rel=1e-4)
    averaged = KernelPerceptron(Gaussian(5.0), weights="mean").fit(XC, YC).certificate()
    assert averaged.method == "rademacher, margin"


def test_thresholds_get_their_dimension():
    model = ThresholdClassifier().fit(XC, YC)
    expected = pseudo_dimension_bound(model.risk_, 569, threshold_dimension(30))
    assert model.certificate().bound == pytest.approx(expected.value)
    assert ThresholdClassifier().fit(XC[:5], [0, 1, 0, 1, 1]).certificate().vacuous


def test_the_dimension_of_thresholds_is_no_smaller_than_brute_force():
    for d in (1, 2, 3):
        points = np.random.default_rng(0).normal(size=(threshold_dimension(d) + 1, d))
        cuts = {
            tuple((points[:, j] >= t) == rising)
            for j in range(d)
            for t in np.append(points[:, j], np.inf)
            for rising in (True, False)
        }
        assert len(cuts) < 2 ** len(points)


def test_several_models_and_a_smaller_delta_cost():
    model = LogisticRegression(0.01).fit(XC, YC)
    assert model.certificate(n_models_fixed=20).bound == model.certificate(delta=0.0025).bound
    assert "This allows for 20 models that were fixed before" in model.certificate(n_models_fixed=20).statement
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        model.certificate(delta=0)
    with pytest.raises(ValueError, match="n_models_fixed must be a whole number"):
        model.certificate(n_models_fixed=0.5)


def test_what_the_theorems_cannot_do_is_refused():
    model = Ridge(0.1).fit(XR, YR)
    with pytest.raises(ValueError, match="a loss of your own needs held-out rows"):
        model.certificate(loss=lambda y, f: np.zeros(len(y)))
    with pytest.raises(ValueError, match="do not travel with a stored model"):
        pickle.loads(pickle.dumps(model)).certificate()
    assert copy.deepcopy(model).certificate() == model.certificate()
    with pytest.raises(ValueError, match="y has 2 columns"):
        Ridge(0.1).fit(XR, np.column_stack([YR, YR])).certificate()
    X = XR.copy()
    changed = Ridge(0.1).fit(X, YR)
    X[0, 0] += 1
    with pytest.raises(ValueError, match="changed in place since the fit"):
        changed.certificate()


def test_the_vote_of_support_vector_machines_is_certified():
    """Three overlapping clouds, n = 150, 120 fits: missed no oftener than delta = 0.05 allows (false alarm 1e-6)."""
    rng, R, missed = np.random.default_rng(1), 120, 0
    centres = np.array([[0.0, 0.0], [2.5, 0.0], [0.0, 2.5]])
    draw = lambda n: (lambda c: (rng.standard_normal((n, 2)) + centres[c], c))(rng.integers(0, 3, n))
    fresh, labels = draw(3000)
    slack = []
    for _ in range(R):
        X, y = draw(150)
        model = SVC(Gaussian(1.5), 0.002).fit(X, y)
        certificate, truth = model.certificate(), np.mean(model.predict(fresh) != labels)
        missed += certificate.bound < truth
        slack.append(certificate.bound - truth)
    assert missed <= binom.ppf(1 - 1e-6, R, 0.05)
    assert np.mean(slack) < 0.5


def test_a_linear_classifier_keeps_its_promise():
    """PAC-Bayes on noisy labels, 25 fits of 200 rows in two dimensions, never missed and not empty."""
    rng = np.random.default_rng(2)
    draw = lambda n: (lambda X: (X, (X[:, 0] + 0.3 * rng.standard_normal(n) > 0).astype(int)))(rng.normal(size=(n, 2)))
    fresh, labels = draw(4000)
    bounds = []
    for _ in range(25):
        model = LogisticRegression(0.01).fit(*draw(200))
        bounds.append(model.certificate().bound)
        assert bounds[-1] >= np.mean(model.predict(fresh) != labels)
    assert np.mean(bounds) < 0.8


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


def surely_missed(y, epsilon, delta):
    return _missed_by_constants(y, epsilon) - 2 * dkw_slack(len(y), delta / 2)


def test_no_constant_beats_what_constants_are_certain_to_miss():
    """300 samples of 60 exponential targets, width 0.6: the best constant misses exp(-0.6) = 0.549 of them.

    At delta = 0.2 P(more than 87 failures) < 1e-4.
    """
    rng = np.random.default_rng(0)
    failed = sum(surely_missed(rng.exponential(size=60), 0.3, 0.2) > np.exp(-0.6) for _ in range(300))
    assert failed <= 87
    assert surely_missed(np.arange(10_000.0), 0.25, 0.05) > 0.97
