"""`calibrate` of regressors: spreads, groups, time and weights; intervals from plain hold-outs are in "
"test_intervals."""

import warnings

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor

from surefit import Ridge, calibrate, calibrate_quantiles
from surefit.warnings import DriftWarning

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(900, 2))
Y = X[:, 0] + (0.1 + X[:, 1]) * RNG.normal(size=900)
TRAIN, HELD, NEW = np.arange(300), np.arange(300, 600), np.arange(600, 900)
MODEL = Ridge(1e-3).fit(X[TRAIN], Y[TRAIN])


def spread_model():
    log_scale = TransformedTargetRegressor(Ridge(1e-3), func=np.log, inverse_func=np.exp, check_inverse=False)
    return log_scale.fit(X[TRAIN], np.abs(Y[TRAIN] - MODEL.predict(X[TRAIN])))


def test_widths_follow_the_spread():
    found = calibrate(MODEL, X[HELD], Y[HELD], spread=spread_model()).predict_interval([[0.5, 0.0], [0.5, 1.0]])
    assert found.width[1] > 3 * found.width[0]
    assert found.method == "split conformal in units of a spread"


def test_a_constant_spread_changes_nothing():
    class Two:
        def predict(self, rows):
            return np.full(len(rows), 2.0)

    one = calibrate(MODEL, X[HELD], Y[HELD], spread=Two()).predict_interval(X[NEW])
    other = calibrate(MODEL, X[HELD], Y[HELD]).predict_interval(X[NEW])
    np.testing.assert_allclose(one.width, other.width, rtol=1e-12)


def test_a_spread_that_is_not_positive_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"spread must be positive.*logarithms of absolute errors"):
        calibrate(MODEL, X[HELD], Y[HELD], spread=Ridge(1e-3).fit(X[TRAIN], X[TRAIN][:, 1] - 0.5))


def test_groups_widen_intervals_where_rows_of_a_group_err_together():
    groups = np.repeat(np.arange(30), 10)
    y = X[HELD][:, 0] + RNG.normal(size=30)[groups] + 0.1 * RNG.normal(size=300)
    plain, grouped = calibrate(MODEL, X[HELD], y), calibrate(MODEL, X[HELD], y, groups=groups)
    assert repr(grouped).startswith("Calibrated on 300 held-out rows of 30 groups.")
    one, other = (each.predict_interval(X[NEW], 0.9) for each in (plain, grouped))
    assert other.width[0] >= one.width[0]
    assert "each of the 30 held-out groups counts as one draw" in other.statement
    assert grouped.predict_interval(X[NEW], 0.8, "pac").statement.startswith(
        "With 95 % confidence over the draw of the 30"
    )


def test_steady_errors_are_reported_as_tested_and_drifting_ones_cost_the_promise():
    time = np.arange(300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        steady = calibrate(MODEL, X[HELD], Y[HELD], time=time).predict_interval(X[NEW])
    assert any("no change was detected up to the end: evidence e = " in text for text in steady.assumptions)
    assert steady.guaranteed == 0.9
    with pytest.warns(DriftWarning, match="change from 0 to 299"):
        held_out = calibrate(MODEL, X[HELD], Y[HELD] + time / 60, time=time)
    found = held_out.predict_interval(X[NEW])
    assert found.guaranteed == 0.0
    assert found.statement.startswith("No theorem covers these intervals: errors change with time (a bet")
    assert found.statement.endswith("calibrate again on rows of the time that you predict for.")


def test_weights_of_one_change_nothing_and_the_statement_says_what_they_are():
    weighted = calibrate(MODEL, X[HELD], Y[HELD], weights=np.ones(300), weights_are_known=True)
    one, other = weighted.predict_interval(X[NEW], weights=np.ones(300)), calibrate(MODEL, X[HELD], Y[HELD])
    np.testing.assert_allclose(one.width, other.predict_interval(X[NEW]).width, rtol=1e-12)
    assert "known density ratios" in repr(weighted)
    estimated = calibrate(MODEL, X[HELD], Y[HELD], weights=lambda rows: np.ones(len(rows)))
    assert estimated.predict_interval(X[NEW]).guaranteed == 0.0


def test_a_quantile_band_takes_the_same_declarations():
    low, high = (Ridge(1e-3).fit(X[TRAIN], Y[TRAIN] + side) for side in (-0.3, 0.3))
    found = calibrate_quantiles(low, high, X[HELD], Y[HELD], groups=np.arange(300) // 5).predict_interval(X[NEW])
    assert found.method == "split conformal by whole groups of a quantile band"


def test_a_spread_is_no_wish_for_labels():
    from surefit import LogisticRegression

    model = LogisticRegression(lam=0.1).fit(X[TRAIN], Y[TRAIN] > 0.5)
    with pytest.raises(ValueError, match="spread is for the errors of a regressor"):
        calibrate(model, X[HELD], Y[HELD] > 0.5, spread=MODEL)
