"""The compiled streams do what their plain-Python twins say, on dense and on sparse rows."""

import numpy as np
import pytest
from scipy import sparse

from surefit.compiled.twins import signs as twin
from surefit.solvers.halfspaces.perceptron import stream_rows

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")


def data(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (60, 7)).astype(float) * (rng.random((60, 7)) < 0.5)  # whole numbers: every sum is exact
    rows = stream_rows(X if kind == "dense" else sparse.csr_matrix(X))
    if kind == "sparse64":
        rows = (rows[0].astype(np.int64), rows[1].astype(np.int64), rows[2])
    return rows, rng.choice([-1.0, 1.0], 60), rng.integers(60, size=300)


@pytest.mark.parametrize("kind", ["dense", "sparse32", "sparse64"])
@pytest.mark.parametrize("sign_zero", [-1, 0, 1])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_compiled_perceptron_equals_its_twin(kind, sign_zero, intercept):
    """A-33, A-34: same weights, lags, updates, bit for bit on whole numbers."""
    rows, t, order = data(kind)
    ends = []
    for loop in (_native.perceptron_pass, twin.perceptron_pass):
        coef, lag, updated = np.zeros(7), np.zeros(7), np.zeros(300, dtype=np.int64)
        answer = loop(rows, t, order, sign_zero, intercept, coef, lag, (0.0, 0.0), 5, updated)
        ends.append((coef.tolist(), lag.tolist(), updated.tolist(), answer))
    assert ends[0] == ends[1]
    assert ends[0][-1][-1] > 50


@pytest.mark.parametrize("kind", ["dense", "sparse32", "sparse64"])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_compiled_adaline_equals_its_twin(kind, intercept):
    """A-35."""
    rows, t, order = data(kind)
    ends = []
    for loop in (_native.adaline_pass, twin.adaline_pass):
        coef, lag = np.zeros(7), np.zeros(7)
        answer = loop(rows, t, order, 0.02, intercept, coef, lag, (0.0, 0.0), 0)
        ends.append(np.concatenate([coef, lag, answer]))
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-10, atol=1e-12)


def test_shapes_and_indices_are_checked_before_the_loop():
    rows, t, order = data("dense")
    coef, lag, updated = np.zeros(7), np.zeros(7), np.zeros(300, dtype=np.int64)
    with pytest.raises(ValueError, match="not there"):
        _native.adaline_pass(rows, t, np.array([60]), 0.1, False, coef, lag, (0.0, 0.0), 0)
    with pytest.raises(ValueError, match="row per label"):
        _native.adaline_pass(rows, t[:5], order, 0.1, False, coef, lag, (0.0, 0.0), 0)
    with pytest.raises(ValueError, match="room for every row"):
        _native.perceptron_pass(rows, t, order, 0, False, coef, lag, (0.0, 0.0), 0, updated[:5])
    starts, columns, values = data("sparse32")[0]
    with pytest.raises(ValueError, match="column that is not there"):
        _native.adaline_pass((starts, columns + 5, values), t, order, 0.1, False, coef, lag, (0.0, 0.0), 0)
    with pytest.raises(ValueError, match="number of entries"):
        _native.adaline_pass((starts[:-1], columns, values), t[:-1], order[:0], 0.1, False, coef, lag, (0.0, 0.0), 0)


def test_weights_of_another_type_are_refused_and_not_silently_copied():
    rows, t, order = data("dense")
    with pytest.raises(TypeError):
        _native.adaline_pass(rows, t, order, 0.1, False, np.zeros(7, dtype=np.float32), np.zeros(7), (0.0, 0.0), 0)
