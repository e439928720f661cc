"""Prediction intervals of estimators: what they promise, what tuning takes away, what is refused."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit import ERM, KernelRidge, LeastSquares, Ridge, calibrate, calibrate_quantiles
from surefit.guarantee.intervals import fold_numbers
from surefit.kernels import Gaussian, Linear
from surefit.objective import Pinball
from surefit.theory.certificates.wording import at_least
from surefit.theory.intervals.conformal import unlucky_coverage

RNG = np.random.default_rng(7)
X, NEW = RNG.normal(size=(80, 3)), RNG.normal(size=(9, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=80)
METHODS = ["jackknife+", "cv+", "full"]
MODELS = [
    LeastSquares(),
    Ridge(0.1),
    KernelRidge(Gaussian(2.0), 0.01),
    KernelRidge(Gaussian(2.0), 0.01, fit_intercept=True),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_intervals_surround_the_prediction_and_grow_with_coverage(model, method):
    model = clone(model).fit(X, Y)
    narrow, wide = (model.predict_interval(NEW, coverage, method) for coverage in (0.6, 0.95))
    assert narrow.lower.shape == narrow.upper.shape == (9,)
    assert np.all(wide.lower <= narrow.lower)
    assert np.all(narrow.upper <= wide.upper)
    middle = model.predict(NEW)
    assert np.all((wide.lower < middle) & (middle < wide.upper))
    assert wide.broken == ()
    assert wide.guaranteed > 0


@pytest.mark.parametrize("method", METHODS)
def test_a_lam_chosen_on_the_same_rows_takes_the_guarantee_away(method):
    found = Ridge().fit(X, Y).predict_interval(NEW, 0.9, method)
    assert found.broken == ("lam was chosen on the same rows",)
    assert found.guaranteed == 0.0
    assert found.statement.startswith("No theorem covers these intervals: lam was chosen on the same rows.")


@pytest.mark.parametrize(
    ("model", "broken"),
    [
        (Ridge(radius=1.0), ["lam follows from radius"]),
        (KernelRidge(lam=0.1), ["the kernel was chosen or scaled"]),
        (KernelRidge(Gaussian(1.0) + Linear(), lam=0.1), []),
        (KernelRidge([Gaussian(1.0), Gaussian(2.0)], lam=0.1), ["the kernel was chosen or scaled"]),
        (KernelRidge(Gaussian(1.0)), ["lam was chosen"]),
        (KernelRidge(Gaussian(1.0), 0.1, solver="nystroem", n_landmarks=20), ["the landmarks were drawn"]),
        (KernelRidge(solver="nystroem", n_landmarks=20), ["lam was chosen", "the kernel was", "the landmarks were"]),
    ],
    ids=str,
)
def test_everything_that_was_tuned_on_the_rows_is_named(model, broken):
    found = model.fit(X, Y).predict_interval(NEW, 0.8)
    assert len(found.broken) == len(broken)
    assert all(one.startswith(start) for one, start in zip(found.broken, broken, strict=True))


@pytest.mark.parametrize("rule", ["nystroem", "partial cholesky"])
def test_low_rank_intervals_equal_refits_on_the_same_features(rule):
    """Jackknife+ with 15 landmarks held fixed, against n ridge fits to their features at the same n * lam."""
    model = KernelRidge(Gaussian(1.5), 0.05, solver=rule, n_landmarks=15).fit(X, Y)
    kernel, points = model.kernel_, model.points_
    root = np.linalg.cholesky(kernel.gram(points))
    features, new = (np.linalg.solve(root, kernel.block(rows, points).T).T for rows in (X, NEW))
    known = Ridge(0.05).fit(features, Y).predict_interval(new, 0.8)
    found = model.predict_interval(NEW, 0.8)
    np.testing.assert_allclose(found.lower, known.lower, atol=1e-7)
    np.testing.assert_allclose(found.upper, known.upper, atol=1e-7)


def test_with_all_rows_as_landmarks_low_rank_intervals_are_exact_ones():
    exact = KernelRidge(Gaussian(1.0), 0.1).fit(X, Y).predict_interval(NEW, 0.8)
    low = KernelRidge(Gaussian(1.0), 0.1, solver="nystroem", n_landmarks=80).fit(X, Y).predict_interval(NEW, 0.8)
    np.testing.assert_allclose(low.lower, exact.lower, atol=1e-7)


def test_sparse_and_float32_rows_have_the_same_intervals():
    dense = Ridge(0.1).fit(X, Y).predict_interval(NEW)
    thin = Ridge(0.1).fit(sparse.csr_matrix(X), Y).predict_interval(sparse.csr_matrix(NEW))
    np.testing.assert_allclose(thin.lower, dense.lower, atol=1e-10)
    single = Ridge(0.1).fit(X.astype(np.float32), Y).predict_interval(NEW.astype(np.float32))
    np.testing.assert_allclose(single.lower, dense.lower, atol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_unequal_weights_are_refused_because_rows_are_no_longer_exchangeable(model):
    weighted = clone(model).fit(X, Y, sample_weight=np.linspace(1, 2, 80))
    with pytest.raises(ValueError, match="not exchangeable with a new row"):
        weighted.predict_interval(NEW)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_equal_weights_are_none_and_rows_of_weight_zero_are_not_there(model):
    plain, twice = clone(model).fit(X, Y), clone(model).fit(X, Y, np.full(80, 2.0))
    np.testing.assert_allclose(twice.predict_interval(NEW).lower, plain.predict_interval(NEW).lower, atol=1e-8)
    without, zeroed = clone(model).fit(X[10:], Y[10:]), clone(model).fit(X, Y, np.arange(80) >= 10)
    np.testing.assert_allclose(zeroed.predict_interval(NEW).lower, without.predict_interval(NEW).lower, atol=1e-8)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_stored_and_copied_models_have_intervals(model):
    fitted = clone(model).fit(X, Y)
    before = fitted.predict_interval(NEW)
    stored = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(fitted))))
    found = stored.predict_interval(NEW)
    assert found.guaranteed == before.guaranteed
    assert np.all(found.lower <= before.lower + 1e-9)
    assert np.all(found.upper >= before.upper - 1e-9)
    assert np.mean(found.width) < 1.2 * np.mean(before.width)
    for copied in (deepcopy(fitted), stored if isinstance(model, KernelRidge) else fitted):
        np.testing.assert_allclose(
            copied.predict_interval(NEW, method="full").lower, fitted.predict_interval(NEW, method="full").lower
        )
    if not isinstance(model, KernelRidge):
        with pytest.raises(ValueError, match=r"method='full' needs the training rows.*store the result of surefit"):
            stored.predict_interval(NEW, method="full")


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_changes_in_place_are_noticed(model):
    rows, y = X.copy(), Y.copy()
    fitted = clone(model).fit(rows, y)
    rows *= 3.0
    y += 100.0
    if not isinstance(model, KernelRidge):
        with pytest.raises(ValueError, match="changed in place since the fit"):
            pickle.loads(pickle.dumps(fitted)).predict_interval(NEW)
    with pytest.raises(ValueError, match="changed in place since the fit"):
        fitted.predict_interval(NEW)


def test_wrong_use_is_refused_with_a_remedy():
    model = Ridge(0.1).fit(X, Y)
    with pytest.raises(ValueError, match=r"method must be one of .* use calibrate"):
        model.predict_interval(NEW, method="split")
    with pytest.raises(ValueError, match="coverage must lie between 0 and 1, got 90"):
        model.predict_interval(NEW, 90)
    with pytest.raises(ValueError, match=r"80 rows are too few for 0\.999 coverage: at least 999 needed"):
        model.predict_interval(NEW, 0.999)
    with pytest.raises(ValueError, match="features"):
        model.predict_interval(NEW[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.predict_interval(np.full((1, 3), np.nan))
    with pytest.raises(ValueError, match="y had 2 columns"):
        Ridge(0.1).fit(X, np.column_stack([Y, Y])).predict_interval(NEW)
    with pytest.raises(ValueError, match="which iterative solvers lack"):
        LeastSquares(solver="gradient").fit(X, Y).predict_interval(NEW)
    with pytest.raises(ValueError, match="lam = 0 leaves no residuals"):
        KernelRidge(Gaussian(1.0), 0.0).fit(X, Y).predict_interval(NEW)
    many = np.random.default_rng(0).standard_normal((2100, 3))
    with pytest.raises(ValueError, match=r"no left-out fits: that takes 105\.8 MB of memory; calibrate on a hold-out"):
        KernelRidge(Gaussian(1.0), 0.1, memory=6e7).fit(many, many[:, 0]).predict_interval(NEW)
    with pytest.raises(ValueError, match="folds must be a number from 2 to n = 80"):
        model.predict_interval(NEW, method="cv+", folds=1)


def test_a_new_fit_forgets_the_old_rows():
    model = Ridge(0.1).fit(X, Y)
    model.predict_interval(NEW)
    again = model.fit(X[:40], Y[:40]).predict_interval(NEW)
    fresh = Ridge(0.1).fit(X[:40], Y[:40]).predict_interval(NEW)
    np.testing.assert_array_equal(again.lower, fresh.lower)


def test_folds_are_of_equal_size_and_drawn_once_for_all():
    assert np.bincount(fold_numbers(7, 80)).tolist() == [12] * 3 + [11] * 4
    np.testing.assert_array_equal(fold_numbers(7, 80), fold_numbers(7, 80))


def halves(n, seed, d=2):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d))
    return rows, rows[:, 0] + (0.2 + np.abs(rows[:, 1])) * rng.normal(size=n)


@pytest.mark.parametrize(
    "model", [LinearRegression(), make_pipeline(StandardScaler(), Ridge(0.1)), RandomForestRegressor(5, random_state=0)]
)
def test_split_intervals_of_any_regressor_are_the_ranked_held_out_errors(model):
    rows, y = halves(150, 0)
    model.fit(rows[:50], y[:50])
    found = calibrate(model, rows[50:], y[50:]).predict_interval(NEW[:, :2], 0.9)
    radius = np.sort(np.abs(y[50:] - model.predict(rows[50:])))[91 - 1]
    np.testing.assert_allclose(found.width, 2 * radius)
    np.testing.assert_allclose((found.lower + found.upper) / 2, model.predict(NEW[:, :2]))
    pac = calibrate(model, rows[50:], y[50:]).predict_interval(NEW[:, :2], 0.9, "pac")
    np.testing.assert_allclose(pac.width, 2 * np.sort(np.abs(y[50:] - model.predict(rows[50:])))[96 - 1])


def test_pac_intervals_refuse_a_hold_out_of_28_rows():
    held_out = calibrate(Ridge(0.1).fit(X[:50], Y[:50]), X[50:78], Y[50:78])
    with pytest.raises(ValueError, match="at least 29 needed"):
        held_out.predict_interval(NEW, 0.9, "pac")
    assert np.all(held_out.predict_interval(NEW, 0.9, "split").width > 0)


class Zero:
    """Somebody else's regressor: all that is asked of it is `predict`."""

    def predict(self, rows):
        return np.zeros(len(rows))


def group_misses(by_group, repetitions, seed):
    """Misses in the noisy one of two groups, 40 held-out rows each; the model predicts zero."""
    rng, missed = np.random.default_rng(seed), 0
    groups = np.repeat(["calm", "noisy"], 40)
    for _ in range(repetitions):
        scale = np.where(groups == "noisy", 3.0, 1.0)
        held_out = calibrate(
            Zero(), np.zeros((80, 1)), scale * rng.normal(size=80), within=groups if by_group else None
        )
        found = held_out.predict_interval(np.zeros((1, 1)), 0.9, within=["noisy"] if by_group else None)
        missed += not found.lower[0] <= 3 * rng.normal() <= found.upper[0]
    return missed


@pytest.mark.verify
def test_group_conditional_intervals_cover_each_group_and_marginal_ones_are_caught(protocol):
    """False alarm 1e-4: 0.9 within the noisy group; one radius for all leaves it at about 0.8."""
    R = protocol.repeats
    allowed = protocol.allowed(R, 0.1)
    assert group_misses(True, R, seed=0) <= allowed
    assert group_misses(False, R, seed=0) > allowed


def test_groups_have_their_own_radius_and_unknown_ones_are_refused():
    rows, y = halves(100, 1)
    groups = np.where(np.abs(rows[:, 1]) > 0.7, "b", "a")
    held_out = calibrate(LinearRegression().fit(*halves(50, 2)), rows, y, within=groups)
    found = held_out.predict_interval(NEW[:2, :2], 0.8, within=["a", "b"])
    assert found.width[1] > found.width[0]
    for group, width in zip("ab", found.width, strict=True):
        alone = calibrate(LinearRegression().fit(*halves(50, 2)), rows[groups == group], y[groups == group])
        assert width == pytest.approx(alone.predict_interval(NEW[:1, :2], 0.8).width[0])
    assert found.method == "split conformal by category"
    assert found.statement.startswith("In each category by itself, a new target")
    with pytest.raises(ValueError, match="category 'c' has no held-out row"):
        held_out.predict_interval(NEW[:1, :2], within=["c"])
    with pytest.raises(ValueError, match="give within for each of the 2 rows"):
        held_out.predict_interval(NEW[:2, :2])
    with pytest.raises(ValueError, match="the hold-out had no categories"):
        calibrate(LinearRegression().fit(rows, y), rows, y).predict_interval(NEW[:1, :2], within=["a"])
    with pytest.raises(ValueError, match="one category for each of the 100 held-out rows"):
        calibrate(LinearRegression().fit(rows, y), rows, y, within=["a"])


def test_the_promise_by_group_is_that_of_the_worst_group_not_of_the_smallest():
    """29 rows promise less than 28, since ranks are whole numbers."""
    worst, smallest = unlucky_coverage(29, 0.9), unlucky_coverage(28, 0.9)
    assert worst < smallest
    groups = np.repeat(["a", "b"], [28, 29])
    held_out = calibrate(Zero(), np.zeros((57, 1)), np.arange(57.0), within=groups)
    found = held_out.predict_interval(np.zeros((2, 1)), within=["a", "b"])
    assert f"hold-outs of 29 rows the true coverage is at least {at_least(worst, 3)}." in found.statement
    alone = held_out.predict_interval(np.zeros((1, 1)), within=["a"])
    assert f"hold-outs of 28 rows the true coverage is at least {at_least(smallest, 3)}." in alone.statement


def test_conformalised_quantiles_are_the_band_moved_by_a_ranked_score():
    rows, y = halves(300, 3)
    low, high = (ERM(Pinball(q)).fit(rows[:150], y[:150]) for q in (0.1, 0.9))
    held_out = calibrate_quantiles(low, high, rows[150:], y[150:])
    scores = np.maximum(low.predict(rows[150:]) - y[150:], y[150:] - high.predict(rows[150:]))
    found = held_out.predict_interval(NEW[:, :2], 0.9)
    amount = np.sort(scores)[int(np.ceil(0.9 * 151)) - 1]
    np.testing.assert_allclose(found.lower, low.predict(NEW[:, :2]) - amount)
    np.testing.assert_allclose(found.upper, high.predict(NEW[:, :2]) + amount)
    assert found.method == "split conformal of a quantile band"


@pytest.mark.verify
def test_conformalised_quantiles_cover_although_the_quantile_fits_are_wrong(protocol):
    """False alarm 1e-4, exact coverage 0.9 (n = 19) from bands far too narrow; uncalibrated: caught."""
    rng, R, missed, bare = np.random.default_rng(5), protocol.of(600), 0, 0
    rows, y = halves(60, 4)
    low, high = (ERM(Pinball(q)).fit(rows, y) for q in (0.4, 0.6))
    for _ in range(R):
        rows, y = halves(20, rng)
        found = calibrate_quantiles(low, high, rows[:19], y[:19]).predict_interval(rows[19:], 0.9)
        missed += not found.lower[0] <= y[19] <= found.upper[0]
        bare += not low.predict(rows[19:])[0] <= y[19] <= high.predict(rows[19:])[0]
    assert missed <= protocol.allowed(R, 0.1)
    assert bare > protocol.allowed(R, 0.1)


def test_held_out_rows_that_cannot_be_scored_are_refused():
    model = Ridge(0.1).fit(X, Y)
    with pytest.raises(ValueError, match="one finite target for each of the 9 held-out rows"):
        calibrate(model, NEW, np.full(9, np.nan))
    with pytest.raises(ValueError, match="one finite target for each of the 9 held-out rows"):
        calibrate(model, NEW, np.zeros(8))
    with pytest.raises(ValueError, match="the model predicts 2 targets"):
        calibrate(Ridge(0.1).fit(X, np.column_stack([Y, Y])), NEW, np.zeros(9))
    with pytest.raises(ValueError, match=r"method must be one of .* jackknife\+ needs no hold-out"):
        calibrate(model, NEW, np.zeros(9)).predict_interval(NEW, method="jackknife+")
    with pytest.raises(ValueError, match="rows were used"):
        calibrate(model, X, Y)


def test_copies_among_the_training_rows_break_the_promise():
    twice = KernelRidge(Gaussian(0.2), 1e-6).fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2))
    found = twice.predict_interval(NEW)
    assert found.guaranteed == 0.0
    assert any("equal another" in text for text in found.broken)


def test_stored_models_keep_what_breaks_their_promise_and_what_they_refused():
    twice = np.repeat(X, 2, axis=0), np.repeat(Y, 2)
    copied = pickle.loads(pickle.dumps(Ridge(0.1).fit(*twice)))
    assert copied.predict_interval(NEW).guaranteed == 0.0
    assert copied.predict_interval(NEW, equal_rows_are_draws=True).guaranteed == pytest.approx(0.8)
    weighted = pickle.loads(pickle.dumps(LeastSquares().fit(X, Y, np.linspace(1, 2, 80))))
    with pytest.raises(ValueError, match="stored without intervals: rows of unequal sample_weight"):
        weighted.predict_interval(NEW)


def test_a_stored_model_stays_small_whatever_the_number_of_rows():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 3))
    fitted = Ridge(0.1).fit(rows, rows[:, 0] + rng.normal(size=20_000))
    stored = pickle.dumps(fitted)
    assert len(stored) < 30_000
    before, found = fitted.predict_interval(NEW), pickle.loads(stored).predict_interval(NEW)
    assert np.all((found.lower <= before.lower) & (found.upper >= before.upper))
    assert np.mean(found.width) < 1.02 * np.mean(before.width)


@pytest.mark.parametrize("store", [lambda thing: pickle.loads(pickle.dumps(thing)), deepcopy])
def test_a_calibrated_model_can_be_stored(store):
    held_out = calibrate(Ridge(0.1).fit(X[:40], Y[:40]), X[40:], Y[40:])
    np.testing.assert_array_equal(store(held_out).predict_interval(NEW).lower, held_out.predict_interval(NEW).lower)
    low, high = Ridge(0.1).fit(X[:40], Y[:40] - 1), Ridge(0.1).fit(X[:40], Y[:40] + 1)
    band = calibrate_quantiles(low, high, X[40:], Y[40:])
    np.testing.assert_array_equal(store(band).predict_interval(NEW).upper, band.predict_interval(NEW).upper)


def test_a_calibrated_model_prints_what_it_promises_and_not_its_scores():
    held_out = calibrate(Ridge(0.1).fit(X, Y), NEW, np.arange(len(NEW)))
    assert repr(held_out).startswith(f"Calibrated on {len(NEW)} held-out rows. predict_interval(X, coverage) gives")
    assert len(repr(held_out)) < 200
    groups = calibrate(Ridge(0.1).fit(X, Y), NEW, np.arange(len(NEW)), within=np.arange(len(NEW)) % 3)
    assert f"on {len(NEW)} held-out rows, in each of 3 categories." in repr(groups)


@pytest.mark.parametrize("model", [Ridge(0.1), KernelRidge(Gaussian(1.0), lam=0.1)], ids=["ridge", "kernel"])
def test_scores_may_be_studentised_and_groups_left_out_whole(model):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 3))
    model.fit(rows, rows[:, 0] + rng.normal(size=80))
    new = np.array([np.zeros(3), np.full(3, 4.0)])
    for method in ("jackknife+", "full"):
        found = model.predict_interval(new, method=method, scores="studentised")
        assert found.method.endswith("studentised")
        assert found.width[1] > found.width[0]
    grouped = model.predict_interval(new, groups=np.arange(80) // 4)
    assert grouped.method == "jackknife+ (20 whole groups)"
    assert grouped.guaranteed == pytest.approx(0.8)
    with pytest.raises(ValueError, match="studentised scores go with"):
        model.predict_interval(new, method="cv+", scores="studentised")
    with pytest.raises(ValueError, match="scores must be 'plain' or 'studentised'"):
        model.predict_interval(new, scores="t")
    with pytest.raises(ValueError, match="groups must name one group for each of the 80 training rows"):
        model.predict_interval(new, groups=[1, 2])
