"""The state of an online learner: blocks are loops, features join, arrays are all there is."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from surefit.objective import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Loss,
    PerceptronLoss,
    Pinball,
    QuadraticEpsilonInsensitive,
    Squared,
)
from surefit.solvers.online.state import LinearState, OnlineSettings


def stream(n=50, d=5, signs=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, rng.choice([-1.0, 1.0], n) if signs else X @ rng.normal(size=d) + rng.normal(size=n)


@given(
    st.lists(st.integers(1, 20), min_size=1, max_size=12),
    st.sampled_from(["constant", "sqrt", "adaptive"]),
    st.sampled_from([Squared(), Huber(0.5), Absolute()]),
    st.booleans(),
)
def test_block_size_never_changes_a_bit(cuts, schedule, loss, averaged):
    """A-26: any partition into blocks, dense or sparse."""
    X, y = stream()
    settings = OnlineSettings(loss, 0.05, schedule, averaged=averaged)
    whole, parts = LinearState(settings, 5), LinearState(settings, 5)
    predictions, losses, _ = whole.learn_block(X, y)
    said, start = [], 0
    for cut in [*cuts, len(y)]:
        block = slice(start, min(start + cut, len(y)))
        rows = sparse.csr_matrix(X[block]) if cut % 2 else X[block]
        said.append(parts.learn_block(rows, y[block])[0])
        start = block.stop
    np.testing.assert_array_equal(np.concatenate(said), predictions)
    for name, array in whole.arrays.items():
        np.testing.assert_array_equal(array, parts.arrays[name])
    assert losses.sum() == pytest.approx(whole.number("total_loss"), rel=1e-12)


@pytest.mark.parametrize(
    "loss",
    [Squared(), Absolute(), Huber(0.7), EpsilonInsensitive(0.2), QuadraticEpsilonInsensitive(0.2), Pinball(0.8),
     Logistic(), PerceptronLoss(), PerceptronLoss(True), Hinge()],
    ids=repr,
)  # fmt: skip
def test_every_compiled_loss_takes_the_steps_of_the_library(loss):
    """A-08, E-096: the weights change, by minus the step times the derivative that the loss declares."""
    X, y = stream(signs=loss.targets == "signs")
    step = 0.01
    state = LinearState(OnlineSettings(loss, step), 5)
    _, losses, _ = state.learn_block(X, y)
    w, b = np.zeros(5), 0.0
    for i, (x, target) in enumerate(zip(X, y, strict=True)):
        f = x @ w + b
        np.testing.assert_allclose(losses[i], loss.value(target, f), atol=1e-12)
        g = float(loss.derivative(target, f))
        w, b = w - step * g * x, b - step * g
    np.testing.assert_allclose(state.weights()[0], w, atol=1e-12)
    assert np.any(w != 0) or loss == PerceptronLoss()  # which has no slope at a score of 0


class LogCosh(Loss):
    convex = smooth = True
    smoothness = 1.0

    def value(self, y, f):
        return np.logaddexp(f - y, y - f) - np.log(2)

    def derivative(self, y, f):
        return np.tanh(f - y)

    def curvature(self, y, f):
        return 1 - np.tanh(f - y) ** 2


def test_a_loss_of_ones_own_steps_too():
    X, y = stream()
    state = LinearState(OnlineSettings(LogCosh(), 0.1), 5)
    state.learn_block(X, y)
    w, b = np.zeros(5), 0.0
    for x, target in zip(X, y, strict=True):
        reach = x @ x + 1
        g, s = np.tanh(x @ w + b - target), min(0.1, 1 / reach)
        w, b = w - s * g * x, b - s * g
    np.testing.assert_allclose(state.weights()[0], w, atol=1e-12)
    assert state.number("limited") == np.sum(0.1 * (np.sum(X**2, axis=1) + 1) > 1)


def test_the_mean_of_the_weights_is_that_of_those_that_predicted():
    X, y = stream()
    state, used = LinearState(OnlineSettings(Squared(), 0.02, averaged=True), 5), []
    for x, target in zip(X, y, strict=True):
        used.append(np.append(*state.weights()))
        state.learn_row(x, target)
    coef, intercept = state.weights(mean=True)
    np.testing.assert_allclose(np.append(coef, intercept), np.mean(used, axis=0), atol=1e-12)


def test_a_feature_that_joins_late_starts_at_zero():
    """The same weights as if it had been there with value zero all along; arrays grow by doubling."""
    rng = np.random.default_rng(1)
    names = [f"f{j}" for j in range(40)]
    late, early = (LinearState(OnlineSettings(Squared(), 0.01, missing_is_zero=True)) for _ in range(2))
    early.add_features(names)
    for t in range(200):
        row = {name: float(value) for name, value in zip(names[: 1 + t // 5], rng.normal(size=40), strict=False)}
        y = float(rng.normal())
        assert late.learn_row(row, y) is None
        assert early.learn_row(row, y) is None
    assert (late.width, list(late.names)) == (40, names)
    np.testing.assert_array_equal(late.weights()[0], early.weights()[0])


def test_copies_and_pickles_go_on_as_the_original_would():
    X, y = stream()
    state = LinearState(OnlineSettings(Huber(1.0), 0.05, "adaptive"), 5)
    state.learn_block(X[:20], y[:20])
    twins = [copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    for one in (state, *twins):
        one.learn_block(X[20:], y[20:])
    for one in twins:
        for name, array in state.arrays.items():
            np.testing.assert_array_equal(array, one.arrays[name])


def test_a_prediction_made_earlier_is_the_one_that_counts():
    state = LinearState(OnlineSettings(Squared(), 0.1, fit_intercept=False), 1)
    early = state.score_row(np.array([1.0]))
    state.learn_row(np.array([1.0]), 1.0)
    state.learn_row(np.array([1.0]), 1.0, said=early)
    assert state.number("total_loss") == 2.0  # 1 + 1, where the weight was 0.2 by then
    np.testing.assert_allclose(state.weights()[0], [0.2 + 0.2 * 0.8])
