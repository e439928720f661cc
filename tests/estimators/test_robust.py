"""Robust regression: the fixture's numbers, limits, outliers, awkward units.  Catalogue A-20, L-04 to L-08."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.linear_model import HuberRegressor

from surefit import RankDeficientWarning, Ridge
from surefit.estimators.robust import RobustRegression
from surefit.objective import (
    L1,
    Absolute,
    EpsilonInsensitive,
    Huber,
    Logistic,
    Power,
    QuadraticEpsilonInsensitive,
    Squared,
    SquaredL2,
)
from surefit.solvers.solution import Status

X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y = np.array([3.0, 2, 1, 4, 7, 6])

FIXTURE = [
    (Absolute(), (2 / 7, 6 / 7, 11 / 7), -3 / 7, 43 / 70),
    (EpsilonInsensitive(0.2), (24 / 35, 6 / 7, 11 / 7), -22 / 35, 0.519809524),
    (Huber(0.5), (0.57046542, 0.84906481, 1.58851675), -0.56898652, 0.521759461),
    (QuadraticEpsilonInsensitive(0.2), (0.71173706, 0.84619587, 1.56467339), -0.61333045, 0.436754135),
]


def contaminated(seed=0, n=80, d=4):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, d))
    y = A @ np.arange(1.0, d + 1) + 2 + 0.1 * rng.standard_normal(n)
    y[: n // 8] += 50 * rng.standard_exponential(n // 8)
    return A, y


@pytest.mark.parametrize(("loss", "coef", "intercept", "objective"), FIXTURE, ids=lambda part: str(part)[:12])
def test_the_fixture_values_are_met_to_the_digits_printed(loss, coef, intercept, objective):
    """FX2 with lam = 0.1; A-20, L-04, L-06, L-07, L-08."""
    model = RobustRegression(loss, lam=0.1).fit(X, Y)
    np.testing.assert_allclose(model.coef_, coef, rtol=0, atol=6e-9)
    assert model.intercept_ == pytest.approx(intercept, abs=6e-9)
    assert model.solution_.objective == pytest.approx(objective, abs=6e-10)
    assert model.solution_.gap <= 1e-12
    assert model.solution_.status is Status.CONVERGED


def test_four_residuals_of_the_fixture_lie_on_the_tube_exactly():
    """FX2, E-077: on the edge of the tube, not somewhere near it."""
    model = RobustRegression(EpsilonInsensitive(0.2), lam=0.1).fit(X, Y)
    residual = model.predict(X) - Y
    np.testing.assert_allclose(residual, [0.2, -0.2, 0.6, 0.2, -0.714285714, -0.2], atol=1e-9)


@pytest.mark.parametrize("lam", [0.0, 0.1])
def test_a_large_huber_threshold_is_ridge(lam):
    """A-20, L-08: c -> infinity."""
    model, ridge = RobustRegression(Huber(1e4), lam=lam).fit(X, Y), Ridge(lam=lam).fit(X, Y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)
    assert model.intercept_ == pytest.approx(ridge.intercept_, rel=1e-9)


def test_power_one_is_absolute_and_power_two_is_ridge():
    """L-05."""
    np.testing.assert_allclose(
        RobustRegression(Power(1.0), lam=0.1).fit(X, Y).coef_, RobustRegression(Absolute(), lam=0.1).fit(X, Y).coef_,
        atol=1e-10,
    )  # fmt: skip
    np.testing.assert_allclose(
        RobustRegression(Power(2.0), lam=0.1).fit(X, Y).coef_, Ridge(lam=0.1).fit(X, Y).coef_, rtol=1e-9
    )


@pytest.mark.parametrize("loss", [Huber(0.5), Absolute(), EpsilonInsensitive(0.3)], ids=str)
def test_an_outlier_moves_nothing_once_it_is_one(loss):
    """A-20: the influence of a target is bounded, so taking it from 100 to a million changes no coefficient."""
    A, y = contaminated()
    y[0] = 100.0
    near = RobustRegression(loss, lam=0.01).fit(A, y)
    y[0] = 1e6
    far = RobustRegression(loss, lam=0.01).fit(A, y)
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-8)
    np.testing.assert_allclose(Ridge(lam=0.01).fit(A, y).coef_ - near.coef_, 0, atol=1e6)
    assert np.max(np.abs(Ridge(lam=0.01).fit(A, y).coef_ - near.coef_)) > 100


@pytest.mark.parametrize("loss", [None, Huber(1.35), Absolute(), Power(1.5)], ids=str)
def test_an_exact_line_over_millisecond_timestamps_is_returned(loss):
    milliseconds = 1.6e12 + 1000.0 * np.arange(200)
    y = 0.003 * (milliseconds - 1.6e12) + 7.0
    model = RobustRegression(loss).fit(milliseconds[:, None], y)
    np.testing.assert_allclose(model.coef_, [0.003], rtol=1e-9)
    np.testing.assert_allclose(model.predict(milliseconds[:, None]), y, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_huber_does_not_return_that_line():
    """If this fails, scikit-learn has been repaired and the README may stop saying so."""
    milliseconds = 1.6e12 + 1000.0 * np.arange(200)
    y = 0.003 * (milliseconds - 1.6e12) + 7.0
    peer = HuberRegressor(alpha=0.0).fit(milliseconds[:, None], y)
    assert np.max(np.abs(peer.predict(milliseconds[:, None]) - y)) > 100


@pytest.mark.parametrize("loss", [Huber(0.5), Absolute(), EpsilonInsensitive(0.3)], ids=str)
@pytest.mark.parametrize("penalty", [SquaredL2(), L1()], ids=str)
def test_units_of_the_columns_travel_exactly(loss, penalty):
    """Without a penalty, ``X -> X * s`` must give ``w / s``; with one, ``X -> X + shift`` must leave ``w`` alone."""
    A, y = contaminated()
    scale, shift = np.array([1e6, 1e-6, 1.0, 1e3]), np.array([1e9, -1e-3, 0.0, 1e5])
    plain = RobustRegression(loss, penalty).fit(A, y)
    scaled = RobustRegression(loss, penalty).fit(A * scale, y)
    np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-7)
    np.testing.assert_allclose(
        RobustRegression(loss, penalty, lam=0.1).fit(A + shift, y).coef_,
        RobustRegression(loss, penalty, lam=0.1).fit(A, y).coef_,
        atol=2e-5,  # 1e9 + a standard normal keeps seven digits of it
    )


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_default_follows_the_units_of_the_target(factor):
    """``loss=None`` reads its threshold off the residuals, so ``y -> factor * y`` gives ``factor * w``."""
    A, y = contaminated()
    one, other = RobustRegression().fit(A, y), RobustRegression().fit(A, factor * y)
    np.testing.assert_allclose(other.coef_, factor * one.coef_, rtol=1e-7)
    assert other.loss_.threshold == pytest.approx(factor * one.loss_.threshold, rel=1e-7)


def test_the_default_ignores_outliers_that_ruin_least_squares():
    A, y = contaminated()
    truth = np.arange(1.0, 5)
    assert np.max(np.abs(RobustRegression().fit(A, y).coef_ - truth)) < 0.1
    assert np.max(np.abs(Ridge(lam=0.0).fit(A, y).coef_ - truth)) > 1


LINE = np.arange(20.0)[:, None]


@pytest.mark.parametrize("outlier", [500.0, 1e5, 1e10, -1e13])
def test_one_outlier_cannot_move_the_default_off_an_exact_line(outlier):
    """A-20: nineteen of twenty rows say what the line is."""
    y = 2 * LINE[:, 0] + 1
    y[-1] = outlier
    model = RobustRegression().fit(LINE, y)
    assert model.loss_ == Absolute()
    np.testing.assert_allclose([*model.coef_, model.intercept_], [2.0, 1.0], rtol=1e-9)


@pytest.mark.parametrize("outlier", [1e3, 1e8, 1e10])
def test_the_default_threshold_is_the_noise_however_large_an_outlier_is(outlier):
    """A-20: the residuals of the honest rows are small beside the outlier, not beside each other."""
    noise = 0.1 * np.random.default_rng(0).normal(size=50)
    A = np.arange(50.0)[:, None]
    y = 2 * A[:, 0] + 1 + noise
    y[9] = outlier
    model = RobustRegression().fit(A, y)
    assert model.loss_.threshold == pytest.approx(1.345 * np.median(np.abs(noise)) / 0.6745, rel=0.15)
    np.testing.assert_allclose(model.coef_, [2.0], atol=0.01)


@pytest.mark.parametrize(("share", "d"), [(0.25, 1), (0.25, 3), (0.25, 10), (0.35, 10), (0.4, 1), (0.4, 3)])
def test_outliers_short_of_a_majority_leave_an_exact_plane_alone(share, d):
    """A-20: as far as absolute loss itself reaches (two fifths on one side move its minimiser from ten columns on)."""
    rng = np.random.default_rng(d)
    A = rng.standard_normal((100, d))
    y = A @ np.arange(1.0, d + 1) + 1
    y[: int(100 * share)] += 100 + 50 * rng.standard_exponential(int(100 * share))
    model = RobustRegression().fit(A, y)
    np.testing.assert_allclose(model.coef_, np.arange(1.0, d + 1), rtol=1e-9)


@pytest.mark.parametrize("noise", [1e-6, 1e-8, 1e-10])
def test_the_default_threshold_follows_small_noise(noise):
    """A-20: little noise is not rounding."""
    errors = noise * np.random.default_rng(0).normal(size=50)
    A = np.arange(50.0)[:, None]
    model = RobustRegression().fit(A, 3 * A[:, 0] + 1 + errors)
    assert model.loss_.threshold == pytest.approx(1.345 * np.median(np.abs(errors)) / 0.6745, rel=0.2)
    assert model.solution_.status is Status.CONVERGED


def test_targets_that_are_mostly_zero_are_mostly_met():
    y = np.zeros(50)
    y[:10] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    model = RobustRegression().fit(np.random.default_rng(0).normal(size=(50, 2)), y)
    assert model.loss_ == Absolute()
    np.testing.assert_allclose([*model.coef_, model.intercept_], 0.0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::surefit.RankDeficientWarning")
@pytest.mark.parametrize("seed", range(6))
def test_the_default_threshold_is_the_same_in_every_order_of_the_rows(seed):
    """Of a group of even size all points between its middle targets minimise absolute loss; rounding must not pick."""
    rng = np.random.default_rng(seed)
    A = np.eye(6)[rng.integers(0, 6, 48)]
    y = A @ (3 * rng.normal(size=6)) + rng.normal(size=48)
    found = [RobustRegression().fit(A[order], y[order]).loss_.threshold for order in map(rng.permutation, [48] * 6)]
    np.testing.assert_allclose(found, found[0], rtol=1e-8)


def test_the_default_threshold_counts_a_weight_as_repetitions():
    A, y = contaminated(n=30)
    weight = np.random.default_rng(1).integers(0, 4, size=30)
    weighted = RobustRegression().fit(A, y, sample_weight=weight)
    repeated = RobustRegression().fit(np.repeat(A, weight, axis=0), np.repeat(y, weight))
    assert weighted.loss_.threshold == pytest.approx(repeated.loss_.threshold, rel=1e-6)


def test_sparse_and_dense_designs_agree():
    A, y = contaminated()
    A[np.abs(A) < 0.8] = 0.0
    for loss, penalty in [(Huber(0.5), SquaredL2()), (Absolute(), SquaredL2()), (Huber(0.5), L1()), (Absolute(), L1())]:
        dense = RobustRegression(loss, penalty, lam=0.05).fit(A, y)
        thin = RobustRegression(loss, penalty, lam=0.05).fit(sparse.csr_array(A), y)
        np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-8)
        assert thin.intercept_ == pytest.approx(dense.intercept_, abs=1e-8)


@pytest.mark.parametrize("loss", [Huber(0.5), Absolute(), EpsilonInsensitive(0.1)], ids=str)
def test_a_weight_is_a_number_of_repetitions(loss):
    A, y = contaminated(n=30)
    weight = np.random.default_rng(1).integers(0, 4, size=30)
    weighted = RobustRegression(loss, lam=0.1).fit(A, y, sample_weight=weight)
    repeated = RobustRegression(loss, lam=0.1).fit(np.repeat(A, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)
    assert weighted.solution_.objective == pytest.approx(repeated.solution_.objective, rel=1e-12)


@pytest.mark.filterwarnings("ignore::surefit.RankDeficientWarning")
@pytest.mark.parametrize("loss", [Huber(0.5), Absolute(), EpsilonInsensitive(0.1)], ids=str)
@pytest.mark.parametrize("lam", [0.0, 0.1])
def test_collinear_constant_and_zero_columns_are_no_trouble(loss, lam):
    A, y = contaminated()
    plain = RobustRegression(loss, lam=lam).fit(A, y)
    more = RobustRegression(loss, lam=lam).fit(np.column_stack([A, np.full(80, 0.1), np.zeros(80)]), y)
    np.testing.assert_allclose(more.coef_, [*plain.coef_, 0, 0], atol=1e-8)
    twice = RobustRegression(loss, lam=lam).fit(np.column_stack([A, A[:, 0]]), y)
    assert twice.solution_.objective <= plain.solution_.objective + 1e-9


@pytest.mark.parametrize("loss", [Huber(0.5), Absolute(), EpsilonInsensitive(0.1), Squared()], ids=str)
def test_one_sample_and_a_constant_target_are_fitted_by_the_intercept(loss):
    one = RobustRegression(loss, lam=0.1).fit([[2.0, 3.0]], [5.0])
    np.testing.assert_allclose(one.coef_, 0.0, atol=1e-12)
    assert abs(one.intercept_ - 5.0) <= getattr(loss, "epsilon", 0.0) + 1e-9
    flat = RobustRegression(loss, lam=0.1).fit(X, np.zeros(6))
    np.testing.assert_allclose(flat.coef_, 0.0, atol=1e-12)


def test_a_margin_loss_is_refused_with_a_remedy():
    with pytest.raises(ValueError, match="Huber"):
        RobustRegression(Logistic()).fit(X, Y)


@pytest.mark.parametrize("size", [1e-200, 1e200])
@pytest.mark.parametrize("loss", [None, Absolute(), Huber(1.0)], ids=str)
def test_targets_whose_squares_leave_the_range_are_refused(loss, size):
    A, y = contaminated()
    with pytest.raises(ValueError, match="beyond the range of floating point; multiply y"):
        RobustRegression(loss).fit(A, y * size)


@pytest.mark.parametrize("size", [2.0**-450, 2.0**450])
def test_targets_of_extreme_units_scale_the_fit(size):
    A, y = contaminated()
    np.testing.assert_allclose(RobustRegression().fit(A, y * size).coef_ / size, RobustRegression().fit(A, y).coef_)


@pytest.mark.parametrize("size", [1.0, 2.0**7, 2.0**-3])
def test_a_high_power_comes_close_to_the_smallest_largest_residual(size):
    """L-05: ``max|r| <= (n * mean |r|**p)**(1/p) <= n**(1/p) * min max|r|``, the minimax fit by linprog."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((40, 3))
    y = size * (A @ [1.0, 2.0, 3.0] + rng.standard_normal(40))
    model = RobustRegression(Power(50.0)).fit(A, y)
    ones = np.ones((40, 1))
    bounds = np.block([[A, ones, -ones], [-A, -ones, -ones]])
    free = [(None, None)] * 5
    minimax = linprog([0, 0, 0, 0, 1.0], bounds, np.concatenate([y, -y]), bounds=free).fun
    assert minimax * (1 - 1e-9) <= np.abs(y - model.predict(A)).max() <= 40 ** (1 / 50) * minimax
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.gap <= 1e-6 * model.solution_.objective


@pytest.mark.parametrize("size", [1e5, 1e-6])
def test_a_power_that_leaves_the_range_is_refused(size):
    A, y = contaminated()
    with pytest.raises(ValueError, match="use a smaller power"):
        RobustRegression(Power(100.0)).fit(A, y * size)


@pytest.mark.parametrize("seed", range(10))
def test_a_threshold_far_below_heavy_tailed_targets_converges(seed):
    """As the threshold falls, Huber becomes absolute loss; rounding of the residuals is no lack of convergence."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((60, 4))
    y = A @ np.arange(1.0, 5.0) + rng.standard_t(1, 60)
    model = RobustRegression(Huber(1e-6)).fit(A, y)
    assert model.solution_.status is Status.CONVERGED
    np.testing.assert_allclose(model.coef_, RobustRegression(Absolute()).fit(A, y).coef_, atol=1e-5)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("loss", [None, Huber(1.0), Absolute()], ids=str)
def test_a_timestamp_changes_nothing_however_the_columns_are_stored(loss, layout):
    """Catalogue A-20: rows on a line are met, also beside a column of milliseconds since 1970 stored as sparse."""
    rng = np.random.default_rng(0)
    time = 1.7e12 + 1000.0 * np.arange(80)
    A = np.column_stack([time, rng.normal(size=(80, 2)) * (rng.uniform(size=(80, 2)) < 0.3)])
    y = 2e-3 * (time - time[0]) + A[:, 1] + 5
    model = RobustRegression(loss).fit(layout(A), y, sample_weight=rng.integers(1, 3, 80))
    np.testing.assert_allclose(model.coef_, [2e-3, 1, 0], atol=1e-9)
    assert model.solution_.status is Status.CONVERGED


def test_columns_that_depend_on_each_other_are_named_as_by_least_squares():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    with pytest.warns(RankDeficientWarning, match="rank 2 of 3: 'x2'"):
        RobustRegression().fit(X[:, [0, 1, 0]], y)
    with pytest.warns(RankDeficientWarning, match="rank 4 of 6"):
        RobustRegression(Absolute()).fit(rng.normal(size=(5, 6)), y[:5])


@pytest.mark.parametrize("apart", [1e-6, 1e-7, 1e-8])
def test_columns_that_are_nearly_alike_are_fitted_as_what_they_span(apart):
    x, z, noise = np.random.default_rng(1).normal(size=(3, 40))
    X, y = np.column_stack([x, x + apart * z]), x + 2 * z + 0.1 * noise
    spanned = np.column_stack([x, (X[:, 1] - X[:, 0]) / apart])
    for loss in (Huber(0.1), Absolute()):
        near, far = (RobustRegression(loss).fit(columns, y).solution_ for columns in (X, spanned))
        assert near.objective == pytest.approx(far.objective, rel=1e-6)
        assert near.gap < 1e-6


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("loss", [Absolute(), EpsilonInsensitive(0.3), Huber(1.0), None], ids=str)
def test_targets_in_the_millions_and_billions_change_nothing(loss):
    """Catalogue A-20: neither the rounds of the solver, nor the slopes, nor what `status` says."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.round(8 * (X @ [1.0, -2.0, 0.5] + rng.normal(size=60))) / 8
    near = RobustRegression(loss).fit(X, y)
    for level in (2.0**20, 2.0**30):
        far = RobustRegression(loss).fit(X, y + level)
        assert far.solution_.status is Status.CONVERGED
        assert far.n_iter_ <= near.n_iter_ + 2
        np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-7)
        np.testing.assert_allclose(far.predict(X) - level, near.predict(X), atol=1e-6)
