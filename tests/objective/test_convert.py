"""Every row of the conversion table, against a minimiser of the other objective (catalogue section 0)."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNet as SkElasticNet
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.svm import SVC, SVR

from surefit.objective import (
    L1,
    ElasticNet,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    LogLoss,
    Problem,
    QuadraticEpsilonInsensitive,
    Squared,
    SquaredL2,
    convert_elastic_net,
    convert_lambda,
    elastic_net_to_convention,
    lambda_conventions,
    to_convention,
)

RNG = np.random.default_rng(11)
N = 23
X = RNG.normal(size=(N, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.5 + 0.4 * RNG.normal(size=N)
T = np.where(Y + RNG.normal(size=N) > 0.5, 1.0, -1.0)
TUBE = lambda r: np.maximum(np.abs(r) - 0.1, 0)


# source, their number, extra arguments, their objective without intercept, our loss
SMOOTH_ROWS = [
    ("mean", 0.3, {}, lambda w: np.mean((Y - X @ w) ** 2) + 0.3 * w @ w, Squared()),
    ("sum", 3.0, {}, lambda w: np.sum((Y - X @ w) ** 2) + 3.0 * w @ w, Squared()),
    ("scaled-sum", 3.0, {}, lambda w: (np.sum((Y - X @ w) ** 2) + 3.0 * w @ w) / N, Squared()),
    ("half-sum", 3.0, {}, lambda w: 0.5 * np.sum((Y - X @ w) ** 2) + 3.0 * w @ w, Squared()),
    ("half-mean", 0.2, {}, lambda w: 0.5 * np.mean((Y - X @ w) ** 2) + 0.2 * w @ w, Squared()),
    (
        "quadratic-svr",
        0.7,
        {},
        lambda w: 0.5 * w @ w + 0.7 * np.sum(TUBE(Y - X @ w) ** 2),
        QuadraticEpsilonInsensitive(0.1),
    ),
    (
        "quadratic-svr-half",
        0.7,
        {},
        lambda w: 0.5 * w @ w + 0.35 * np.sum(TUBE(Y - X @ w) ** 2),
        QuadraticEpsilonInsensitive(0.1),
    ),
    (
        "map-logistic",
        0.8,
        {},
        lambda w: np.sum(np.logaddexp(0, -T * (X @ w))) + w @ w / (2 * 0.8**2),
        Logistic(),
    ),
    (
        "map-gaussian",
        0.8,
        {"noise": 0.4},
        lambda w: np.sum((Y - X @ w) ** 2) / (2 * 0.4**2) + w @ w / (2 * 0.8**2),
        Squared(),
    ),
]


@pytest.mark.parametrize(("source", "value", "extras", "theirs", "loss"), SMOOTH_ROWS, ids=lambda row: str(row)[:24])
def test_smooth_conventions_have_the_same_minimiser(source, value, extras, theirs, loss):
    """Their objective minimised numerically, then certified by our duality gap (BFGS error about 1e-10)."""
    w = minimize(theirs, np.zeros(3), options={"gtol": 1e-7}).x
    lam = convert_lambda(value, source, N, **extras)
    targets = T if loss == Logistic() else Y
    assert Problem(X, targets, loss, SquaredL2(), lam, fit_intercept=False).gap(w) <= 1e-8
    assert Problem(X, targets, loss, SquaredL2(), 1.5 * lam, fit_intercept=False).gap(w) > 1e-6


# source, their number, extra arguments, their objective without intercept, our loss, our penalty
KINKED_ROWS = [
    ("svr", 0.6, {}, lambda w: 0.5 * w @ w + 0.6 * np.sum(TUBE(Y - X @ w)), EpsilonInsensitive(0.1), SquaredL2()),
    ("libsvm", 0.6, {}, lambda w: 0.5 * w @ w + 0.6 * np.sum(TUBE(Y - X @ w)), EpsilonInsensitive(0.1), SquaredL2()),
    (
        "svr-with-lambda",
        1.7,
        {"C": 0.6},
        lambda w: 0.85 * w @ w + 0.6 * np.sum(TUBE(Y - X @ w)),
        EpsilonInsensitive(0.1),
        SquaredL2(),
    ),
    (
        "lasso-with-C",
        1.7,
        {"C": 0.6},
        lambda w: 1.7 * np.abs(w).sum() + 0.6 * np.sum((Y - X @ w) ** 2),
        Squared(),
        L1(),
    ),
    (
        "sklearn.LogisticRegression.l1",
        0.6,
        {},
        lambda w: np.abs(w).sum() + 0.6 * np.sum(np.logaddexp(0, -T * (X @ w))),
        Logistic(),
        L1(),
    ),
]


@pytest.mark.parametrize(
    ("source", "value", "extras", "theirs", "loss", "penalty"), KINKED_ROWS, ids=lambda row: str(row)[:24]
)
def test_kinked_conventions_are_our_objective_times_a_constant(source, value, extras, theirs, loss, penalty):
    """Proportional objectives have the same minimisers: their ratio is one number at 50 seeded points."""
    lam = convert_lambda(value, source, N, **extras)
    problem = Problem(X, T if loss == Logistic() else Y, loss, penalty, lam, fit_intercept=False)
    points = 2 * np.random.default_rng(4).normal(size=(50, 3))
    ratios = np.array([theirs(w) / problem.primal(w) for w in points])
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-12)


def test_scikit_learn_ridge_is_ours():
    model = Ridge(alpha=3.0).fit(X, Y)
    problem = Problem(X, Y, Squared(), SquaredL2(), convert_lambda(3.0, "sklearn.Ridge", N))
    assert problem.gap(model.coef_, model.intercept_) <= 1e-12


def test_scikit_learn_kernel_ridge_is_ours():
    """Linear kernel: w = X' c, so ||f||**2 = ||w||**2."""
    model = KernelRidge(alpha=3.0).fit(X, Y)
    lam = convert_lambda(3.0, "sklearn.KernelRidge", N)
    assert Problem(X, Y, Squared(), SquaredL2(), lam, fit_intercept=False).gap(X.T @ model.dual_coef_) <= 1e-12


def test_scikit_learn_lasso_is_ours():
    model = Lasso(alpha=0.1, tol=1e-12).fit(X, Y)
    problem = Problem(X, Y, Squared(), L1(), convert_lambda(0.1, "sklearn.Lasso", N))
    assert problem.gap(model.coef_, model.intercept_) <= 1e-10


def test_scikit_learn_svr_is_ours():
    """The dual point is theirs, at our scale ``-dual_coef / C``."""
    C = 0.6
    model = SVR(kernel="linear", C=C, epsilon=0.1, tol=1e-9).fit(X, Y)
    u = np.zeros(N)
    u[model.support_] = -model.dual_coef_[0] / C
    problem = Problem(X, Y, EpsilonInsensitive(0.1), SquaredL2(), convert_lambda(C, "sklearn.SVR", N))
    assert problem.gap(model.coef_[0], model.intercept_[0], u) <= 1e-8


def test_scikit_learn_svc_is_ours():
    C = 0.6
    model = SVC(kernel="linear", C=C, tol=1e-9).fit(X, T)
    u = np.zeros(N)
    u[model.support_] = -model.dual_coef_[0] / C
    problem = Problem(X, T, Hinge(), SquaredL2(), convert_lambda(C, "sklearn.SVC", N))
    assert problem.gap(model.coef_[0], model.intercept_[0], u) <= 1e-8


def test_scikit_learn_logistic_regression_is_ours():
    model = LogisticRegression(C=0.6, tol=1e-10, max_iter=1000).fit(X, T)
    lam = convert_lambda(0.6, "sklearn.LogisticRegression", N)
    assert Problem(X, T, Logistic(), SquaredL2(), lam).gap(model.coef_[0], model.intercept_[0]) <= 1e-10
    labels = (T + 1) / 2
    assert Problem(X, labels, LogLoss(), SquaredL2(), lam).gap(model.coef_[0], model.intercept_[0]) <= 1e-10


@pytest.mark.parametrize("mixing", [0.2, 0.5, 1.0])
def test_scikit_learn_elastic_net_is_ours_with_another_ratio(mixing):
    model = SkElasticNet(alpha=0.1, l1_ratio=mixing, tol=1e-12).fit(X, Y)
    lam, l1_ratio = convert_elastic_net(0.1, mixing, "sklearn.ElasticNet", N)
    problem = Problem(X, Y, Squared(), ElasticNet(l1_ratio), lam)
    assert problem.gap(model.coef_, model.intercept_) <= 1e-10
    assert convert_elastic_net(0.1, mixing, "glmnet", N) == (lam, l1_ratio)  # the same objective


@pytest.mark.parametrize(
    ("source", "theirs"),
    [
        ("glmnet.binomial", lambda w, share: np.mean(np.logaddexp(0, -T * (X @ w))) + 0.3 * share(w)),
        (
            "sklearn.LogisticRegression.elasticnet",
            lambda w, share: share(w) + 0.3 * np.sum(np.logaddexp(0, -T * (X @ w))),
        ),
    ],
)
def test_logistic_elastic_nets_are_our_objective_times_a_constant(source, theirs):
    share = lambda w: 0.4 * np.abs(w).sum() + 0.3 * w @ w
    lam, l1_ratio = convert_elastic_net(0.3, 0.4, source, N)
    problem = Problem(X, T, Logistic(), ElasticNet(l1_ratio), lam, fit_intercept=False)
    points = np.random.default_rng(4).normal(size=(50, 3))
    ratios = np.array([theirs(w, share) / problem.primal(w) for w in points])
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-12)


def test_ridge_of_the_fixture_in_three_conventions():
    """FX1: sum-lambda 5 is lam 1.25; FX2: eps-insensitive with C = 5/6 at n = 6 is lam 0.1."""
    assert convert_lambda(5.0, "sum", 4) == 1.25
    assert convert_lambda(5 / 6, "svr", 6) == pytest.approx(0.1)
    assert convert_lambda(2.5, "half-sum", 4) == 1.25


EXTRAS = {"svr-with-lambda": {"C": 0.7}, "lasso-with-C": {"C": 0.7}, "map-gaussian": {"noise": 1.3}}
MIXED = ["sklearn.ElasticNet", "glmnet", "glmnet.binomial", "sklearn.LogisticRegression.elasticnet"]


@pytest.mark.parametrize("source", [name for name in lambda_conventions() if name not in MIXED])
def test_to_convention_inverts_convert_lambda(source):
    extras = EXTRAS.get(source, {})
    lam = convert_lambda(0.37, source, 19, **extras)
    assert to_convention(lam, source, 19, **extras) == pytest.approx(0.37, rel=1e-14)


@pytest.mark.parametrize("source", MIXED)
def test_elastic_net_to_convention_inverts_convert_elastic_net(source):
    for mixing in (0.0, 0.3, 1.0):
        ours = convert_elastic_net(0.37, mixing, source, 19)
        assert elastic_net_to_convention(*ours, source, 19) == pytest.approx((0.37, mixing))


def test_every_convention_is_covered_here():
    """A row added to the table without a minimiser to compare with turns this red."""
    compared = {row[0] for row in SMOOTH_ROWS + KINKED_ROWS} | set(MIXED)
    estimators = {"Ridge", "KernelRidge", "Lasso", "SVR", "SVC", "LogisticRegression"}
    assert compared | {f"sklearn.{name}" for name in estimators} == set(lambda_conventions())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: convert_lambda(1.0, "weka", 5), "got 'weka'; use one of mean, sum, .*sklearn.Ridge.*libsvm"),
        (lambda: convert_lambda(1.0, "glmnet", 5), "'glmnet' also changes the mixing; use convert_elastic_net"),
        (lambda: convert_elastic_net(1.0, 0.5, "sum", 5), "'sum' is no elastic net; use convert_lambda"),
        (lambda: convert_lambda(1.0, "svr-with-lambda", 5), "needs C, because it minimises .*; pass C="),
        (lambda: convert_lambda(1.0, "map-gaussian", 5), "needs noise"),
        (lambda: convert_lambda(1.0, "sum", 5, C=2.0), "'sum' has no C besides its value; leave C out"),
        (lambda: convert_lambda(-1.0, "sum", 5), "value must be >= 0, got -1.0; it is the lambda of sum loss"),
        (lambda: convert_lambda(0.0, "svr", 5), "value must be finite and > 0, got 0.0; it is the C of"),
        (lambda: convert_lambda(1.0, "sum", 0), "n must be finite and > 0, got 0; give the number of samples"),
        (lambda: to_convention(0.0, "svr", 5), "lam must be finite and > 0, got 0.0; no finite C means lam=0"),
        (lambda: convert_elastic_net(1.0, 1.5, "glmnet", 5), "mixing must be from 0 to 1, got 1.5"),
    ],
)
def test_nonsense_is_refused_with_a_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()
