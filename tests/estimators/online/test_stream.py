"""`Stream`: what it is told, its alarms, what follows them, and how it is resumed."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from surefit import OnlineClassifier, OnlineRegressor, OnlineSVR, Stream, WidrowHoff, load, save


def turned(n=1200, at=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(np.arange(n) < at, X[:, 0], -X[:, 0]) > 0


def test_blocks_change_nothing_and_every_number_is_what_it_says():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 2))
    y = X @ [1.0, -1.0] + 0.1 * rng.normal(size=300)
    whole, parts = (Stream(WidrowHoff(0.05, hindsight=True), upper=4.0, window=50) for _ in range(2))
    whole.learn(X, y)
    for start in range(0, 300, 7):
        parts.learn(X[start : start + 7], y[start : start + 7])
    report = whole.report()
    assert report == parts.report()
    said = WidrowHoff(0.05).predict_then_learn(X, y)
    losses = (said - y) ** 2
    assert report.mean_loss == pytest.approx(losses.mean())
    assert report.window_loss == pytest.approx(losses[-50:].mean())
    assert report.best_constant == pytest.approx(y.var())
    assert report.risk_bound > report.mean_loss
    assert any("regret" in note for note in report.notes)
    more = rng.uniform(-1, 1, size=(20, 2))
    whole.learn(more, more @ [1.0, -1.0])
    assert whole.report().since_last < report.mean_loss


def test_reports_come_at_powers_of_two_from_any_source(tmp_path):
    X, y = turned(100)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(label=y.astype(int))
    frame.to_csv(tmp_path / "t.csv", index=False)
    rows = [
        report.rows for report in Stream(OnlineClassifier(classes=[0, 1])).run(tmp_path / "t.csv", "label", rows=13)
    ]
    assert rows == [1, 2, 4, 8, 16, 32, 64, 100]
    again = [r.mean_loss for r in Stream(OnlineClassifier(classes=[0, 1])).run(frame, "label", rows=64)]
    assert again == [r.mean_loss for r in Stream(OnlineClassifier(classes=[0, 1])).run(frame, "label", rows=5)]


@pytest.mark.parametrize("after", ["keep", "restart", "refit"])
def test_what_follows_an_alarm(after):
    """Labels turn around: the alarm goes off soon; a model that starts anew learns them faster."""
    X, y = turned(600, 300)
    stream = Stream(OnlineClassifier(step=0.02, classes=[False, True]), level=0.2, alarm="run-length", run_length=1e4,
                    after=after, window=40)  # fmt: skip
    stream.learn(X, y)
    assert len(stream.alarms_) >= 1
    assert 300 < stream.alarms_[0] < 400
    if after != "keep":
        assert stream.model.rows_ < 350
        assert stream.model.score(X[400:], y[400:]) > 0.9


def test_an_alarm_for_a_regressor_needs_the_largest_loss():
    with pytest.raises(ValueError, match="declare it as upper"):
        Stream(WidrowHoff(), level=0.1).learn([[1.0]], [1.0])
    with pytest.raises(ValueError, match="after must be"):
        Stream(WidrowHoff(), after="panic").learn([[1.0]], [1.0])
    stream = Stream(WidrowHoff(0.1), upper=1.0, level=0.3).learn(np.zeros((60, 1)), np.tile([3.0, -3.0], 30))
    assert stream.alarms_


def test_skipped_and_shortened_rows_are_in_the_report():
    X = np.random.default_rng(0).normal(size=(50, 1))
    X[10], X[40] = np.nan, 1e3
    stream = Stream(WidrowHoff(0.1, bad_rows="skip")).learn(X, np.ones(50))
    text = str(stream.report())
    assert "Skipped rows: 1." in text
    assert "in column 0" in text
    assert stream.report().rows == 50


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("after", ["keep", "refit"])
def test_rows_before_one_that_is_refused_count(named, after):
    X = np.random.default_rng(0).normal(size=(50, 2))
    X[30, 1] = np.nan
    rows = [{"a": a, "b": b} for a, b in X.tolist()] if named else pd.DataFrame(X, columns=["a", "b"])
    stream = Stream(WidrowHoff(), upper=9.0, level=5.0, after=after)
    with pytest.raises(ValueError, match="row 30 of the stream"):
        stream.learn(rows, np.ones(50))
    report = stream.report()
    assert (report.rows, report.mean_loss) == (30, pytest.approx(stream.model.mean_loss_))


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("after", ["keep", "restart"])
def test_an_interrupt_leaves_no_row_uncounted(after, monkeypatch):
    """Ctrl-C while losses are counted waits until they are."""
    X = np.random.default_rng(0).normal(size=(600, 2))
    stream = Stream(WidrowHoff(), upper=9.0, level=5.0, after=after)
    count = Stream._count_losses

    def interrupted(self, scores, y):
        if stream._rows + len(scores) > 256:
            signal.raise_signal(signal.SIGINT)
        count(self, scores, y)

    monkeypatch.setattr(Stream, "_count_losses", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stream.learn(X, np.ones(600))
    assert 256 < stream.model.rows_ < 600
    assert stream.report().rows == stream.model.rows_
    assert stream.report().mean_loss == pytest.approx(stream.model.mean_loss_)


@pytest.mark.parametrize("model", [WidrowHoff(0.01, hindsight=True), OnlineRegressor("huber", schedule="adaptive"),
                                   OnlineSVR(budget=10)], ids=lambda m: type(m).__name__)  # fmt: skip
def test_a_stored_stream_goes_on_bit_for_bit(model, tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    stream = Stream(model, upper=5.0, level=2.0).learn(X[:90], y[:90])
    stream.report()
    save(stream, tmp_path / "s.surefit")
    stored = load(tmp_path / "s.surefit").learn(X[90:], y[90:])
    stream.learn(X[90:], y[90:])
    assert stored.report() == stream.report()
    np.testing.assert_array_equal(stored.model.predict(X), stream.model.predict(X))


def test_a_killed_checkpoint_leaves_the_last_good_one(tmp_path):
    """Kill -9 while a process does nothing but save: the file loads, and no half of one is in its place."""
    path = tmp_path / "s.surefit"
    code = (
        "import numpy as np, sys\nfrom surefit import Stream, WidrowHoff, save\n"
        "rng = np.random.default_rng(0)\nstream = Stream(WidrowHoff())\n"
        "while True:\n    stream.learn(rng.normal(size=(50, 500)) / 100, rng.normal(size=50))\n"
        f"    save(stream, {str(path)!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ}, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    rows = load(path).model.rows_
    assert rows > 0
    assert rows % 50 == 0
