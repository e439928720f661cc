"""Any loss with any penalty.  Catalogue A-16, A-45."""

import tracemalloc

import numpy as np
import pytest
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from surefit import LeastSquares, Ridge
from surefit.estimators.erm import ERM
from surefit.estimators.robust import RobustRegression
from surefit.features import Polynomial
from surefit.objective import (
    L1,
    L2,
    Absolute,
    Hinge,
    Huber,
    Logistic,
    LogLoss,
    Loss,
    MarginZeroOne,
    Pinball,
    Power,
    Squared,
    SquaredL2,
)
from surefit.solvers.any_loss.solve import SOLVERS
from surefit.solvers.solution import Status
from surefit.testing import check_loss

X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y = np.array([3.0, 2, 1, 4, 7, 6])


class OwnHuber(Loss):
    """Huber as a user writes it, in ten lines; no conjugate."""

    convex = smooth = symmetric = True
    smoothness = 2.0

    def __init__(self, threshold=0.5):
        self.threshold = threshold

    def value(self, y, f):
        r = np.abs(np.subtract(f, y))
        return np.where(r <= self.threshold, r**2, self.threshold * (2 * r - self.threshold))

    def derivative(self, y, f):
        return 2 * np.clip(np.subtract(f, y), -self.threshold, self.threshold)

    def curvature(self, y, f):
        return np.where(np.abs(np.subtract(f, y)) < self.threshold, 2.0, 0.0)


class Cauchy(Loss):
    """A smooth loss that is not convex."""

    smooth = twice_differentiable = symmetric = True
    smoothness = 2.0

    def value(self, y, f):
        return np.log1p(np.subtract(f, y) ** 2)

    def derivative(self, y, f):
        r = np.subtract(f, y)
        return 2 * r / (1 + r**2)

    def curvature(self, y, f):
        r = np.subtract(f, y)
        return 2 * (1 - r**2) / (1 + r**2) ** 2


def test_the_default_is_least_squares_and_with_lam_ridge():
    """A-45: the identity as activation gives A-01; A-16 reproduces A-09."""
    np.testing.assert_allclose(ERM().fit(X, Y).coef_, LeastSquares().fit(X, Y).coef_, rtol=1e-9)
    np.testing.assert_allclose(ERM(lam=0.1).fit(X, Y).coef_, Ridge(lam=0.1).fit(X, Y).coef_, rtol=1e-9)


def test_the_logistic_fixture_and_its_probabilities():
    """FX4: b = -ln 3, w = 2 ln 3, and with lam = 0.05 the printed values; A-45: the sigmoid as activation."""
    x, t = np.repeat([[0.0], [1.0]], 4, axis=0), np.array([1, -1, -1, -1, 1, 1, 1, -1.0])
    saturated = ERM(Logistic()).fit(x, t)
    assert saturated.intercept_ == pytest.approx(-np.log(3), abs=1e-9)
    assert saturated.coef_[0] == pytest.approx(2 * np.log(3), abs=1e-9)
    np.testing.assert_allclose(saturated.predict([[0.0], [1.0]]), [0.25, 0.75], atol=1e-9)
    shrunk = ERM(LogLoss(), lam=0.05).fit(x, (t + 1) / 2)
    np.testing.assert_allclose([shrunk.intercept_, shrunk.coef_[0]], [-0.38643779, 0.77287560], atol=1e-8)
    assert shrunk.solution_.objective == pytest.approx(0.644956331, abs=1e-9)
    np.testing.assert_allclose(shrunk.predict(x), expit(shrunk.scores(x)))


def test_logistic_with_a_ridge_penalty_equals_scikit_learns():
    """Its ``C`` is ``1 / (2 n lam)``."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((80, 3))
    t = np.where(A @ [1.0, -1.0, 0.5] + rng.standard_normal(80) > 0, 1.0, -1.0)
    peer = LogisticRegression(C=1 / (2 * 80 * 0.01), tol=1e-12, max_iter=10_000).fit(A, t)
    np.testing.assert_allclose(ERM(Logistic(), lam=0.01).fit(A, t).coef_, peer.coef_[0], atol=1e-6)


def test_a_hinge_predicts_labels():
    model = ERM(Hinge(), lam=0.01).fit(X, np.sign(Y - 3.5))
    np.testing.assert_array_equal(model.predict(X), np.sign(Y - 3.5))
    assert model.activation_ == "sign"


def test_features_are_applied_before_the_fit_and_before_prediction():
    """FX1: the polynomial of degree 3 interpolates with coefficients 1, 35/6, -5, 7/6."""
    x, y = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
    model = ERM(features=Polynomial(3)).fit(x, y)
    np.testing.assert_allclose([model.intercept_, *model.coef_], [1, 35 / 6, -5, 7 / 6], rtol=1e-8)
    np.testing.assert_allclose(model.predict(x), y, atol=1e-9)
    assert model.n_features_in_ == 1


def test_a_users_loss_gives_the_same_answer_as_the_built_in_one_with_a_gap_of_its_own():
    check_loss(OwnHuber(0.5))
    for penalty, lam in [(None, 0.1), (L1(), 0.1), (None, 0.0)]:
        own, ours = ERM(OwnHuber(0.5), penalty, lam=lam).fit(X, Y), ERM(Huber(0.5), penalty, lam=lam).fit(X, Y)
        np.testing.assert_allclose(own.coef_, ours.coef_, atol=1e-9)
        assert own.solution_.gap <= 1e-10


def test_a_loss_that_is_not_convex_reaches_a_stationary_point_and_claims_no_gap():
    model = ERM(Cauchy(), lam=0.01).fit(X, Y)
    assert model.solution_.gap == np.inf
    assert "not convex" in model.explain()
    assert model.solution_.facts["residual"] < 1e-5


def test_plan_says_which_solver_and_why_before_the_fit_and_explain_after_it():
    model = ERM(Absolute(), L1(), lam=0.1)
    before = model.plan(X)
    assert (before.solver, before.reason.split(";")[0]) == ("multipliers", "the loss has kinks")
    assert model.fit(X, Y).explain().startswith(f"multipliers: {before.reason}; converged")
    assert "asked for" in ERM(solver="lbfgs").plan(X).reason


def test_a_plan_counts_the_columns_of_features():
    plain, squares = ERM("huber").plan(5_000, 10), ERM("huber", features=Polynomial(2)).plan(5_000, 10)
    assert squares.memory_bytes > 4 * plain.memory_bytes


@pytest.mark.parametrize("features", [None, Polynomial(2)], ids=["columns", "features"])
def test_a_plan_foresees_the_memory_of_a_fit(features):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(5_000, 10))
    targets = rows[:, 0] + rng.normal(size=5_000)
    model = ERM("huber", features=features).fit(rows[:50], targets[:50])  # what is imported late is not counted
    tracemalloc.start()
    model.fit(rows, targets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.8 * peak <= model.plan(5_000, 10).memory_bytes <= 1.5 * peak


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name not in ("smoothed", "stochastic")])
def test_every_solver_can_be_asked_for_by_name(solver):
    model = ERM(lam=0.1, solver=solver).fit(X, Y)
    assert model.solution_.facts["method"] == solver
    np.testing.assert_allclose(model.coef_, Ridge(lam=0.1).fit(X, Y).coef_, atol=1e-3)


def test_stopping_early_is_said_aloud():
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        ERM(Huber(0.5), lam=0.001, solver="gradient", max_iter=2).fit(X, Y)


def test_wrong_parts_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"got the class Huber; write Huber\(\)"):
        ERM(loss=Huber).fit(X, Y)
    with pytest.raises(ValueError, match="L1"):
        ERM(penalty="l1").fit(X, Y)
    with pytest.raises(ValueError, match="lam must be >= 0"):
        ERM(lam=-1.0).fit(X, Y)
    with pytest.raises(ValueError, match="'auto'"):
        ERM(solver="magic").fit(X, Y)
    with pytest.raises(ValueError, match="-1 or \\+1"):
        ERM(Logistic()).fit(X, Y)


def test_a_weight_of_zero_is_an_absent_row():
    weight = np.array([1.0, 1, 0, 1, 1, 1])
    kept = weight > 0
    full, less = ERM(Squared(), lam=0.1).fit(X, Y, weight), ERM(Squared(), lam=0.1).fit(X[kept], Y[kept])
    np.testing.assert_allclose(full.coef_, less.coef_, rtol=1e-10)


def test_separated_labels_without_a_penalty_end_with_a_status():
    """The loss becomes flat: a step that grows for ever must not become infinite.  Catalogue A-16."""
    table = np.random.default_rng(0).standard_normal((40, 3))
    labels = np.where(table[:, 0] > 0, 1.0, -1.0)
    model = ERM(Hinge(), SquaredL2(), lam=0.0, solver="smoothed").fit(table, labels)
    assert model.solution_.status is Status.CONVERGED
    np.testing.assert_array_equal(model.predict(table), labels)


ABSENT = [
    (Huber(0.5), name) for name in ("auto", "newton", "prox-newton", "multipliers", "lbfgs", "proximal", "gradient")
]
ABSENT += [(Absolute(), name) for name in ("auto", "multipliers", "smoothed")] + [(Power(1.5), "auto")]


@pytest.mark.parametrize(("loss", "solver"), ABSENT, ids=str)
def test_without_lam_the_form_of_the_penalty_does_not_matter(loss, solver):
    """Catalogue P-08: lam = 0 is no penalty, be it separable or not."""
    rng = np.random.default_rng(1)
    table = rng.standard_normal((30, 3)) * [1.0, 100.0, 0.01]
    y = rng.standard_normal(30)
    norm, square = (ERM(loss, penalty, lam=0.0, solver=solver).fit(table, y) for penalty in (L2(), SquaredL2()))
    np.testing.assert_array_equal(norm.coef_, square.coef_)
    assert norm.solution_.status is Status.CONVERGED


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.95])
def test_pinball_fits_are_quantile_regressions(quantile):
    """The share of targets below the fit is the quantile up to the d + 1 rows that a linear fit passes through."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((300, 3))
    y = X @ [1.0, -2.0, 0.5] + (1 + np.abs(X[:, 0])) * rng.standard_normal(300)
    model = ERM(Pinball(quantile)).fit(X, y)
    below = np.mean(y < model.predict(X) - 1e-6)
    assert quantile - 4 / 300 <= below <= quantile
    assert model.solution_.gap < 1e-9


class Undeclared(Loss):
    """A smooth, convex loss whose author forgot to say so."""

    def value(self, y, f):
        return np.logaddexp(np.subtract(f, y), np.subtract(y, f)) - np.log(2)

    def derivative(self, y, f):
        return np.tanh(np.subtract(f, y))

    def curvature(self, y, f):
        return 1 - np.tanh(np.subtract(f, y)) ** 2


class Averaged(OwnHuber):
    """Takes the mean, which is the fit's affair."""

    def value(self, y, f):
        return np.mean(super().value(y, f))


def test_a_loss_without_its_facts_is_told_to_declare_them():
    """L-14: the remedy for a loss that says nothing is not another loss."""
    for ask in (lambda: ERM(Undeclared()).plan(X), lambda: ERM(Undeclared()).fit(X, Y)):
        with pytest.raises(ValueError, match=r"declares neither convex nor smooth.*convex = True, smooth = True"):
            ask()
    with pytest.raises(ValueError, match=r"is neither convex nor smooth.*use a convex surrogate such as Hinge\(\)"):
        ERM(MarginZeroOne()).plan(X)


@pytest.mark.parametrize("kind", [ERM, RobustRegression])
def test_a_loss_that_takes_the_mean_is_told_not_to(kind):
    with pytest.raises(ValueError, match=r"value of Averaged.* has shape \(\) for 2 targets; return one number"):
        kind(Averaged()).fit(X, Y)


@pytest.mark.parametrize("features", ["poly", Polynomial, 2])
def test_features_that_transform_nothing_are_refused(features):
    with pytest.raises(ValueError, match=r"features must be a transformer such as Polynomial\(2\), got"):
        ERM(features=features).fit(X, Y)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", [Squared(), Huber(0.5), Absolute(), Pinball(0.3), OwnHuber()], ids=str)
@pytest.mark.parametrize("penalty", [SquaredL2(), L1(), L2()], ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_plan_refuses_what_fit_refuses_in_the_same_words(solver, loss, penalty):
    """A-16: with the loss and penalty of the user, not with what standardising makes of them."""
    said = []
    for ask in (lambda model: model.plan(X), lambda model: model.fit(X * [1.0, 300.0, 1e-3], Y)):
        try:
            ask(ERM(loss, penalty, lam=0.1, solver=solver, max_iter=2))
            said.append(None)
        except ValueError as error:
            said.append(str(error))
    assert said[0] == said[1]
    assert "Rescaled" not in str(said[0])
