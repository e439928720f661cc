"""What an online model has counted, and the certificate of the models used so far."""

import numpy as np
import pytest

from surefit import OnlineClassifier, OnlineRegressor, WidrowHoff

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(400, 2))
Y = np.clip(X @ [0.5, -0.5], -1, 1)


def test_losses_are_counted_before_a_row_is_learnt():
    model, losses = WidrowHoff(step=0.1), []
    for row, target in zip(X, Y, strict=True):
        guess = model.predict(row[None])[0] if losses else 0.0
        losses.append((target - guess) ** 2)
        model.partial_fit(row[None], target[None])
    assert model.rows_ == 400
    assert model.mean_loss_ == pytest.approx(np.mean(losses))


def test_rows_that_are_skipped_or_filled_are_counted_apart():
    rows = [{"a": float(a), "b": float(b)} for a, b in X[:10]]
    rows[3].pop("a")
    filled = WidrowHoff(bad_rows="skip", missing="zero").partial_fit(rows, Y[:10])
    assert (filled.rows_, filled.skipped_, filled.filled_) == (10, 0, 1)
    rows[3]["a"] = float("nan")
    skipped = WidrowHoff(bad_rows="skip").partial_fit(rows, Y[:10])
    assert (skipped.rows_, skipped.skipped_, skipped.filled_) == (9, 1, 0)


def test_a_model_that_has_seen_nothing_counts_nothing():
    assert not hasattr(WidrowHoff(), "rows_")
    with pytest.raises(AttributeError, match="has not seen a row yet; call partial_fit or learn_one"):
        _ = WidrowHoff().mean_loss_


def test_the_certificate_of_a_stream_needs_a_range_that_holds():
    model = WidrowHoff(step=0.1).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"declare one as upper=\.\.\."):
        model.certificate()
    with pytest.raises(ValueError, match="is not the largest loss: one was"):
        model.certificate(upper=1e-9)
    certificate = model.certificate(upper=4.0)
    assert model.mean_loss_ < certificate.bound < 4.0
    assert certificate.bound < model.certificate(upper=4.0, delta=0.001).bound


def test_averages_of_convex_losses_are_certified_themselves():
    last, mean = (OnlineRegressor("huber", weights=kind).partial_fit(X, Y) for kind in ("last", "mean"))
    assert "averaged" not in last.certificate(upper=4.0).statement
    assert last.certificate(upper=4.0).statement != mean.certificate(upper=4.0).statement


def test_arguments_about_held_out_rows_are_refused_without_them():
    model = OnlineClassifier().partial_fit(X, Y > 0, classes=[False, True])
    with pytest.raises(TypeError, match="coverage is about held-out rows; give X_test and y_test"):
        model.certificate(coverage=0.9)
    given = model.certificate(X[:50] + 2.0, Y[:50] > 0)
    assert given.inputs["n"] == 50
