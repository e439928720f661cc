"""`OnlineIntervals` and `OnlineRidgeIntervals` on streams."""

import signal

import numpy as np
import pytest

from surefit import OnlineIntervals, OnlineRidgeIntervals, WidrowHoff, load, save
from surefit.theory.certificates.certificate import Standing
from surefit.theory.intervals.adaptive import AdaptiveIntervals
from surefit.theory.intervals.online_ridge import ConformalRidge


def stream(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X @ [1.0, -1.0] + rng.normal(size=n)


def test_blocks_change_nothing_and_a_stored_one_goes_on(tmp_path):
    X, y = stream()
    whole, parts = OnlineIntervals(WidrowHoff(0.02)), OnlineIntervals(WidrowHoff(0.02))
    expected = whole.predict_then_learn(X, y)
    found = [parts.predict_then_learn(X[s : s + 50], y[s : s + 50]) for s in range(0, 300, 50)]
    save(parts, tmp_path / "i.surefit")
    parts = load(tmp_path / "i.surefit")
    found += [parts.predict_then_learn(X[s : s + 50], y[s : s + 50]) for s in range(300, 600, 50)]
    np.testing.assert_array_equal(np.concatenate(found), expected)
    assert abs(whole.miss_rate_ - 0.1) <= whole.bound_
    assert whole.infinite_ >= 1
    low, high = whole.predict_interval(X[:3]).T
    np.testing.assert_allclose((low + high) / 2, whole.model.predict(X[:3]))


def test_a_jump_is_followed():
    X, y = stream(2000)
    y[1000:] *= 10
    intervals = OnlineIntervals(WidrowHoff(0.02), step=0.05, window=200)
    found = intervals.predict_then_learn(X, y)
    inside = (found[:, 0] <= y) & (y <= found[:, 1])
    assert np.mean(inside[1200:]) > 0.85


def test_skipped_rows_have_no_interval():
    X, y = stream(50)
    X[20, 0] = np.nan
    found = OnlineIntervals(WidrowHoff(bad_rows="skip")).predict_then_learn(X, y)
    assert np.all(np.isnan(found[20]))
    assert not np.any(np.isnan(found[21:]))


def test_full_conformal_covers_and_tests_exchangeability():
    X, y = stream(400)
    calm = OnlineRidgeIntervals().partial_fit(X, y)
    assert calm.miss_rate_ < 0.16
    assert calm.assumption().standing is Standing.UNVERIFIABLE
    assert "tested: no evidence against exchangeability" in calm.assumption().evidence
    y[200:] += 4 * X[200:, 0]
    drifting = OnlineRidgeIntervals().partial_fit(X, y)
    assert drifting.assumption().standing is Standing.VIOLATED
    assert drifting.evidence_ != calm.evidence_
    assert drifting.predict_interval(X[:2]).shape == (2, 2)


def test_bad_blocks_are_refused():
    X, y = stream(20)
    model = OnlineRidgeIntervals().partial_fit(X, y)
    with pytest.raises(ValueError, match="3 columns, those before had 2"):
        model.partial_fit(np.ones((1, 3)), [1.0])
    with pytest.raises(ValueError, match="finite features"):
        model.partial_fit([[np.nan, 1.0]], [1.0])
    with pytest.raises(ValueError, match="coverage must lie"):
        OnlineIntervals(WidrowHoff(), 90).partial_fit(X, y)


def test_rows_learnt_before_an_interrupt_are_counted(monkeypatch):
    X, y = stream(200)
    whole, cut = OnlineRidgeIntervals().partial_fit(X, y), OnlineRidgeIntervals().partial_fit(X[:50], y[:50])
    learn, left = ConformalRidge.step, iter(range(70))

    def interrupted(self, row, target):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return learn(self, row, target)

    monkeypatch.setattr(ConformalRidge, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cut.partial_fit(X[50:], y[50:])
    monkeypatch.undo()
    cut.partial_fit(X[120:], y[120:])
    assert cut.miss_rate_ == whole.miss_rate_
    assert cut.evidence_ == whole.evidence_


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_leaves_model_and_intervals_with_the_same_rows(monkeypatch):
    """Ctrl-C between the model and its intervals waits for the latter; the stream then goes on as if without it."""
    X, y = stream()
    whole, cut = OnlineIntervals(WidrowHoff(0.02)), OnlineIntervals(WidrowHoff(0.02))
    whole.partial_fit(X, y)
    update, left = AdaptiveIntervals.update, iter(range(300))

    def interrupted(self, said, target):
        if next(left, None) is None:
            signal.raise_signal(signal.SIGINT)
        return update(self, said, target)

    monkeypatch.setattr(AdaptiveIntervals, "update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cut.partial_fit(X, y)
    monkeypatch.undo()
    learnt = cut.model.rows_
    assert 300 < learnt < 600
    cut.partial_fit(X[learnt:], y[learnt:])
    assert (cut.miss_rate_, cut.bound_) == (whole.miss_rate_, whole.bound_)


def test_rows_before_one_that_is_refused_have_their_intervals_counted():
    X, y = stream(50)
    X[30, 0] = np.nan
    intervals = OnlineIntervals(WidrowHoff())
    with pytest.raises(ValueError, match="row 30 of the stream"):
        intervals.partial_fit(X, y)
    assert intervals._adaptive.rows == intervals.model.rows_ == 30


@pytest.mark.parametrize("first", [0, 30])
def test_a_number_that_swallows_all_others_is_refused_by_full_conformal_ridge(first):
    X, y = stream(50)
    X[first, 0] = 1e20
    model = OnlineRidgeIntervals()
    learnt = max(first, 1)
    model.partial_fit(X[:learnt], y[:learnt])
    with pytest.raises(ValueError, match=r"1e\+20 in column 0, beyond 2\*\*53 times all others"):
        model.partial_fit(X[learnt:], y[learnt:])
    assert model._state.rows == learnt
