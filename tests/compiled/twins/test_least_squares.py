"""The compiled loops against their plain-Python twins, and the twins against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from surefit.compiled.twins import least_squares

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")

FINITE = st.floats(-1e100, 1e100, allow_nan=False)


def exact(x):
    return Fraction(float(x))


def gradient_of(loop, X, y, weight, scale, *state):
    coef, low, intercept = state
    residual, high, tail, sums = np.empty(len(y)), np.empty(X.shape[1]), np.empty(X.shape[1]), np.empty(4)
    loop(X, y, weight, 1.0 / scale, coef, low, intercept, residual, high, tail, sums)
    return residual, high, tail, sums


def cancelling_problem(n=70, d=19, seed=0):
    """Residuals far smaller than the terms they are made of; n and d are no multiples of any lane width."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    coef = rng.normal(size=d)
    y = X @ coef + 3.0 + 1e-13 * rng.normal(size=n)
    return X, y, rng.random(n), np.exp2(rng.integers(-3, 4, size=d)), coef, 1e-17 * rng.normal(size=d), (3.0, 1e-18)


@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("loop", [_native.extended_gradient, least_squares.extended_gradient], ids=["compiled", "twin"])
def test_extended_gradient_is_right_to_the_last_bit_where_doubles_have_none(loop, order):
    X, y, weight, scale, coef, low, intercept = cancelling_problem()
    given_X = {"C": X, "F": np.asfortranarray(X), "strided": np.repeat(X, 2, axis=1)[:, ::2]}[order]
    residual, high, tail, sums = gradient_of(loop, given_X, y, weight, scale, coef, low, intercept)
    n, d = X.shape
    A = [[exact(X[i, j] / scale[j]) for j in range(d)] for i in range(n)]
    c = [exact(coef[j]) + exact(low[j]) for j in range(d)]
    b = exact(intercept[0]) + exact(intercept[1])
    r = [exact(y[i]) - b - sum(a * v for a, v in zip(A[i], c, strict=True)) for i in range(n)]
    np.testing.assert_allclose(residual, [float(v) for v in r], rtol=1e-13)
    g = [sum(exact(weight[i]) * r[i] * A[i][j] for i in range(n)) for j in range(d)]
    np.testing.assert_allclose(high + tail, [float(v) for v in g], rtol=1e-11)
    total = sum(exact(w) * v for w, v in zip(weight, r, strict=True))
    squares = sum(exact(w) * v * v for w, v in zip(weight, r, strict=True))
    np.testing.assert_allclose([sums[:2].sum(), sums[2:].sum()], [float(total), float(squares)], rtol=1e-11)


@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize("intercept", [True, False])
def test_compiled_sgd_follows_its_twin(decay, intercept):
    """Catalogue A-08."""
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(40, 5)), rng.random(40)
    y = X @ rng.normal(size=5) + 1.0
    order = rng.integers(40, size=120)
    answers = []
    for loop in (_native.sgd_squared, least_squares.sgd_squared):
        coef, mean_coef = np.zeros(5), np.zeros(5)
        offsets = loop(X, y, weight, order, coef, mean_coef, (0.0, 0.0), 7, 0.02, decay, intercept)
        answers.append(np.concatenate([coef, mean_coef, offsets]))
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-12, atol=1e-14)
    assert (answers[0][-2] != 0.0) == intercept


def test_the_door_check_shapes_and_rows():
    X, v = np.ones((3, 2)), np.ones(2)
    with pytest.raises(ValueError, match="one entry per row"):
        gradient_of(_native.extended_gradient, X, np.ones(4), np.ones(3), v, v, v, (0.0, 0.0))
    with pytest.raises(ValueError, match="a row that is not there"):
        _native.sgd_squared(X, np.ones(3), np.ones(3), np.array([3]), v, v.copy(), (0.0, 0.0), 0, 0.1, 0.0, True)
