"""`OnlineSVR`: many passes reach `SVR`, one pass learns, the budget holds."""

import numpy as np
import pytest

from surefit import SVR, OnlineSVR
from surefit.kernels import Gaussian, Linear, Polynomial
from surefit.store.file import load, save


def wave(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("loss", ["epsilon-insensitive", "quadratic"])
@pytest.mark.parametrize(("kernel", "passes"), [(Gaussian(1.0), 600), (Linear(), 3000)], ids=repr)
def test_many_passes_reach_the_batch_fit_of_the_same_dual(loss, kernel, passes):
    """A-39: the same predictions as SVR without an offset, lam = 1 / (2 n row_weight)."""
    X, y = wave(40)
    online = OnlineSVR(kernel, 0.5, 0.2, loss=loss, passes=passes).fit(X, y)
    batch = SVR(kernel, 1 / (2 * 40 * 0.5), 0.2, loss=loss, fit_intercept=False, max_violation=1e-8).fit(X, y)
    np.testing.assert_allclose(online.predict(X), batch.predict(X), atol=1e-4)


def test_one_pass_over_a_stream_learns_a_function():
    X, y = wave(1500)
    model = OnlineSVR(Gaussian(1.0), epsilon=0.2).partial_fit(X, y)
    grid = np.linspace(-2.8, 2.8, 50)[:, None]
    assert np.max(np.abs(model.predict(grid) - np.sin(grid[:, 0]))) < 0.4
    assert len(model.dual_coef_) < 300
    assert model.mean_loss_ < 0.05
    assert model.predict_one(grid[3]).prediction == pytest.approx(model.predict(grid[3:4])[0])


def test_a_budget_bounds_the_rows_remembered():
    X, y = wave(600)
    model = OnlineSVR(Gaussian(1.0), epsilon=0.05, budget=25).partial_fit(X, y)
    assert model.support_vectors_.shape == (25, 1)
    assert model.removed_ > 0
    grid = np.linspace(-2.8, 2.8, 50)[:, None]
    assert np.mean(np.abs(model.predict(grid) - np.sin(grid[:, 0]))) < 0.3


def test_a_stored_model_goes_on_bit_for_bit(tmp_path):
    X, y = wave()
    model = OnlineSVR(Gaussian(1.0), budget=30).partial_fit(X[:100], y[:100])
    save(model, tmp_path / "m.surefit")
    stored = load(tmp_path / "m.surefit").partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(stored.dual_coef_, model.partial_fit(X[100:], y[100:]).dual_coef_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (OnlineSVR("rbf"), "a stream does not have at its start; give the bandwidth"),
        (OnlineSVR(row_weight=0.0), "row_weight must be"),
        (OnlineSVR(loss="absolute"), "loss must be one of"),
        (OnlineSVR(budget=0), "budget must be"),
        (OnlineSVR(step=-1.0), "step must be"),
    ],
)
def test_impossible_settings_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.partial_fit(*wave(5))


def test_passes_and_a_budget_do_not_go_together():
    with pytest.raises(ValueError, match="leave budget None"):
        OnlineSVR(passes=3, budget=5).fit(*wave(20))
    with pytest.raises(AttributeError, match=r"Linear\(\) only"):
        _ = OnlineSVR(Gaussian(1.0)).partial_fit(*wave(5)).coef_
    assert OnlineSVR().partial_fit(*wave(5)).coef_.shape == (1,)


def test_a_constant_added_to_the_kernel_is_an_offset():
    """The sum of the weights; without it a line through the origin is all that there is."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = X @ [1.0, -1.0] + 3.0
    plain, offset = (OnlineSVR(kernel, epsilon=0.01).partial_fit(X, y) for kernel in (Linear(), Polynomial(1)))
    assert np.max(np.abs(offset.predict(X) - y)) < 0.5 < 2 < np.max(np.abs(plain.predict(X) - y))
    assert offset.predict(np.zeros((1, 2)))[0] == pytest.approx(offset.dual_coef_.sum())
