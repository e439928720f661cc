"""Widrow-Hoff and its relatives: published numbers, deterministic bounds, regret in hindsight."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from surefit.estimators.online.regressors import OnlineRegressor, WidrowHoff
from surefit.theory.bounds.online import best_widrow_hoff_bound, widrow_hoff_potential

FX2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]]), np.array([3.0, 2, 1, 4, 7, 6])


def test_the_lectures_numbers_for_one_pass():
    """A-27, R-12, FX1: w = 1.558 and total squared loss 22.5876 with eta = 0.05 and the factor 2."""
    x, y = np.arange(4.0)[:, None], np.array([1.0, 3, 2, 5])
    model = WidrowHoff(step=0.05, fit_intercept=False).partial_fit(x, y)
    np.testing.assert_allclose(model.coef_, [1.558])
    np.testing.assert_allclose(model.mean_loss_ * 4, 22.5876)
    same = WidrowHoff(step=0.1, factor=1, fit_intercept=False).partial_fit(x, y)
    np.testing.assert_array_equal(same.coef_, model.coef_)


def test_one_pass_over_fx2_is_the_lectures_loop():
    """A-27, FX2, with an intercept as a constant feature."""
    X, y = FX2
    model = WidrowHoff(step=0.01).partial_fit(X, y)
    w, rows = np.zeros(4), np.column_stack([X, np.ones(6)])
    for x, target in zip(rows, y, strict=True):
        w = w - 0.02 * (w @ x - target) * x
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), w, rtol=1e-13)


def test_the_plus_sign_of_a_slide_diverges_and_ours_does_not():
    """E-084: ascending the loss grows without bound on the stream that the right sign learns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X @ [1.0, -1.0]
    wrong = np.zeros(2)
    for x, target in zip(X, y, strict=True):
        wrong = wrong + 0.05 * (wrong @ x - target) * x
    model = WidrowHoff(step=0.025, fit_intercept=False).partial_fit(X, y)
    assert np.linalg.norm(wrong) > 100
    np.testing.assert_allclose(model.coef_, [1.0, -1.0], atol=1e-2)


def test_the_implicit_step_is_the_minimiser_that_the_lecture_means():
    """A-28, E-016: (0.46, 0.12); long steps interpolate the row; short ones are Widrow-Hoff's."""

    def moved(model):
        model.partial_fit(np.zeros((1, 2)), [0.0])
        model._state.arrays["coef"][:2] = [0.3, -0.2]
        return model.learn_one([1.0, 2.0], 1.5).coef_

    options = {"fit_intercept": False}
    np.testing.assert_allclose(moved(WidrowHoff(0.1, rule="implicit", **options)), [0.46, 0.12], rtol=1e-14)
    interpolating = moved(WidrowHoff(1.0, rule="normalised", **options))
    np.testing.assert_allclose(interpolating @ [1.0, 2.0], 1.5, rtol=1e-14)
    np.testing.assert_allclose(moved(WidrowHoff(1e9, rule="implicit", **options)), interpolating, rtol=1e-8)
    small = [moved(WidrowHoff(1e-6, rule=rule, **options)) for rule in ("implicit", "explicit")]
    np.testing.assert_allclose(small[0], small[1], atol=2e-11)


def runs(n_runs=300):
    rng = np.random.default_rng(2)
    for _ in range(n_runs):
        d, T = int(rng.integers(1, 5)), int(rng.integers(5, 80))
        X, y = rng.normal(size=(T, d)), 2 * rng.normal(size=T)
        yield X, y, rng.uniform(0.05, 0.95) / np.max(np.sum(X**2, axis=1)), rng


def test_the_bound_holds_on_300_streams_and_is_nearly_attained():
    """T-53: the loss never exceeds the bound of the learner's own regret, which equals the closed form on all rows."""
    ratios = []
    for X, y, step, _ in runs():
        regret = WidrowHoff(step, factor=1, fit_intercept=False, hindsight=True).partial_fit(X, y).regret()
        np.testing.assert_allclose(regret.bound.value, best_widrow_hoff_bound(X, y, step).value, rtol=1e-8)
        ratios.append(regret.loss / regret.bound.value)
    assert 0.9 < max(ratios) <= 1


def test_the_potential_falls_as_the_lemma_says_at_every_step():
    """T-52, on 100 streams, with the learner's own weights."""
    for X, y, step, rng in runs(100):
        model = WidrowHoff(step, factor=1, fit_intercept=False)
        weights = [np.zeros(X.shape[1])]
        for x, target in zip(X, y, strict=True):
            weights.append(model.learn_one(x, target).coef_)
        left, right = widrow_hoff_potential(weights, X, y, step, rng.normal(size=X.shape[1]))
        assert np.all(left <= right + 1e-9)


def test_the_adversary_of_the_wrong_step_stays_below_the_right_bound():
    """E-018, T-53: y_t = -sign(w_t): loss 1777.33 with eta = 0.25; the bound with s = 2 eta is 2000."""
    model = WidrowHoff(step=0.25, fit_intercept=False, hindsight=True)
    for _ in range(1000):
        w = model.coef_[0] if hasattr(model, "_state") else 0.0
        model.learn_one([1.0], -1.0 if w >= 0 else 1.0)
    regret = model.regret()
    np.testing.assert_allclose(regret.loss, 1777.33, atol=0.005)
    np.testing.assert_allclose(regret.bound.value, 2000, atol=0.005)
    assert regret.loss > 1333.33  # what s = eta would have promised


def test_the_best_weights_in_hindsight_are_those_of_least_squares():
    X, y = FX2
    regret = WidrowHoff(0.01, hindsight=True).partial_fit(X, y).regret()
    best = LinearRegression().fit(X, y)
    np.testing.assert_allclose(regret.best, [*best.coef_, best.intercept_], rtol=1e-9)
    np.testing.assert_allclose(regret.best_loss, 0.503937008, rtol=1e-8)
    assert regret.regret == regret.loss - regret.best_loss
    assert "the regret is" in str(regret)


def test_regret_is_kept_the_same_however_rows_come():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 3)), rng.normal(size=150)
    whole = WidrowHoff(0.01, hindsight=True).partial_fit(X, y).regret()
    parts = WidrowHoff(0.01, hindsight=True, bad_rows="skip")
    for start in range(0, 150, 11):
        parts.partial_fit(X[start : start + 11], y[start : start + 11])
    parts.learn_one([np.nan, 0.0, 0.0], 1.0)
    np.testing.assert_array_equal(parts.regret().best, whole.best)
    names = WidrowHoff(0.01, hindsight=True)
    for x, target in zip(X, y, strict=True):
        names.learn_one({"a": x[0], "b": x[1], "c": x[2]}, target)
    np.testing.assert_array_equal(names.regret().best, whole.best)


def test_no_bound_is_given_where_its_conditions_fail():
    X, y = FX2
    with pytest.raises(ValueError, match="hindsight=True"):
        WidrowHoff().partial_fit(X, y).regret()
    limited = WidrowHoff(0.2, hindsight=True).partial_fit(X, y)
    assert limited.regret().bound is None
    assert "was shortened on" in limited.regret().reason
    assert WidrowHoff(0.01, schedule="sqrt", hindsight=True).partial_fit(X, y).regret().bound is None
    edge = WidrowHoff(0.25, factor=1, fit_intercept=False, hindsight=True).partial_fit([[2.0]], [1.0])
    assert "needs s ||x||**2 < 1" in edge.regret().reason


def test_the_tuned_step_is_that_of_the_theorem():
    """T-54: (sqrt(L_u) + B ||u||)**2 bounds the loss of the tuned learner."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = X @ [1.0, 1.0] + 0.3 * rng.normal(size=400)
    u = np.array([1.0, 1.0])
    loss = float(np.sum((X @ u - y) ** 2))
    model = WidrowHoff.tuned(1.0, loss, float(np.linalg.norm(u)), fit_intercept=False).partial_fit(X, y)
    assert model.mean_loss_ * 400 <= (np.sqrt(loss) + np.linalg.norm(u)) ** 2


def test_the_bound_on_regret_holds_for_absolute_losses():
    """Zinkevich's bound, with the gradients that the learner saw."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        X, y, u = rng.normal(size=(60, 2)), rng.normal(size=60), rng.normal(size=3)
        model = OnlineRegressor("absolute", step=rng.uniform(0.01, 1)).partial_fit(X, y)
        other = np.abs(X @ u[:2] + u[2] - y).sum()
        assert model.mean_loss_ * 60 - other <= model.regret_bound(np.linalg.norm(u)).value


def test_a_constant_step_does_not_settle_under_noise_and_the_mean_does():
    """E-108: the last weights keep moving; their mean and slower steps are closer to the truth."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20_000, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=20_000)
    off = {
        name: np.linalg.norm(OnlineRegressor(step=0.05, **how).partial_fit(X, y).coef_ - [1.0, 2.0, 3.0])
        for name, how in (("last", {}), ("mean", {"weights": "mean"}), ("sqrt", {"schedule": "sqrt"}))
    }
    assert off["mean"] < 0.3 * off["last"]
    assert off["sqrt"] < 0.5 * off["last"]


def test_the_averaged_model_has_a_bound_on_its_risk():
    """Online to batch: the bound is above the true risk of the averaged weights, by the convexity of the loss."""
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, size=(4000, 2))
    y = np.clip(X @ [0.3, -0.3] + 0.1 * rng.uniform(-1, 1, size=4000), -1, 1)
    model = OnlineRegressor("absolute", step=0.01, weights="mean").partial_fit(X, y)
    found = model.certificate(upper=2.0)
    fresh = rng.uniform(-1, 1, size=(100_000, 2))
    truth = np.mean(np.abs(fresh @ [0.3, -0.3] + 0.1 * rng.uniform(-1, 1, size=100_000) - model.predict(fresh)))
    assert truth <= found.bound < 0.3
    assert "the mean of the weights used so far" in found.statement
    with pytest.raises(ValueError, match="declare one as upper"):
        model.certificate()
    with pytest.raises(ValueError, match="is not the largest loss"):
        model.certificate(upper=1e-3)
