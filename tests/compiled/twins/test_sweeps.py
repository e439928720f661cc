"""Coordinate sweeps for the logistic loss: the compiled loop against its plain-Python twin.  Catalogue A-31."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from surefit.compiled.twins import sweeps as twins_sweeps

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")

LOOPS = [_native.logistic_sweeps, twins_sweeps.logistic_sweeps]


def sample(seed, n, d, elastic=False):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.1, rng=rng, format="csc", data_sampler=rng.standard_normal)
    share = rng.uniform(0, 1, n)
    share[: n // 20] = 0.0
    ridge = rng.uniform(0, 0.01, d) * (rng.random(d) < 0.5) if elastic else np.zeros(d)
    return X, rng.integers(0, 2, n), share / share.sum(), rng.uniform(0.005, 0.02, d), ridge


def swept(loop, data, stop, fit_intercept=True, working=None, index=np.int32):
    X, codes, share, threshold, ridge = data
    coef, scores = np.zeros(X.shape[1]), np.zeros(X.shape[0])
    working = np.arange(X.shape[1]) if working is None else working
    value, intercept, gap, sweeps = loop(
        X.indptr.astype(index), X.indices.astype(index), X.data, working, codes, share, threshold, ridge,
        fit_intercept, stop, coef, scores, 0.0,
    )  # fmt: skip
    return coef, scores, intercept, value, gap, sweeps


def objective(data, coef, intercept):
    X, codes, share, threshold, ridge = data
    losses = np.logaddexp(0.0, np.where(codes == 1, -1.0, 1.0) * (X @ coef + intercept))
    return share @ losses + threshold @ np.abs(coef) + 0.5 * ridge @ coef**2


@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(1, 1), (300, 40), (60, 90), (3000, 25)]),
    sweeps=st.integers(1, 6),
    fit_intercept=st.booleans(),
    elastic=st.booleans(),
)
def test_the_twins_agree_sweep_by_sweep(seed, shape, sweeps, fit_intercept, elastic):
    data = sample(seed, *shape, elastic)
    working = np.arange(shape[1])[:: 1 + seed % 2]
    first, second = (swept(loop, data, (1e-9, sweeps), fit_intercept, working) for loop in LOOPS)
    for mine, theirs in zip(first, second, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-8)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("elastic", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_optimality_conditions_hold_and_scores_belong_to_the_coefficients(loop, index, elastic, fit_intercept):
    data = sample(3, 200, 60, elastic)
    X, codes, share, threshold, ridge = data
    coef, scores, intercept, value, gap, _ = swept(loop, data, (1e-11, 1000), fit_intercept, index=index)
    assert gap <= 1e-11
    assert value == pytest.approx(objective(data, coef, intercept), rel=1e-13)
    np.testing.assert_allclose(scores[share > 0], (X @ coef + intercept)[share > 0], atol=1e-12)
    pull = share * (1 / (1 + np.exp(-scores)) - codes)
    slope = X.T @ pull + ridge * coef
    active = coef != 0
    assert 5 < np.count_nonzero(active) < 55
    np.testing.assert_allclose(slope[active], -(threshold * np.sign(coef))[active], atol=1e-9)
    assert np.all(np.abs(slope[~active]) <= threshold[~active] + 1e-9)
    assert (intercept != 0) == fit_intercept
    assert not fit_intercept or abs(pull.sum()) < 1e-9


@pytest.mark.parametrize("loop", LOOPS)
def test_columns_that_do_not_work_stay_at_zero(loop):
    coef = swept(loop, sample(1, 100, 30), (1e-9, 100), working=np.array([2, 5, 29]))[0]
    assert set(np.flatnonzero(coef)) <= {2, 5, 29}


@pytest.mark.parametrize("loop", LOOPS)
def test_the_objective_never_rises_from_a_start_where_newton_steps_are_too_long(loop):
    """Scores far on the wrong side, where the curvature says nothing about the way back."""
    X = sparse.csc_array(np.repeat(np.eye(3), 4, axis=0))
    codes, share, penalty = np.tile([0, 1, 1, 1], 3), np.full(12, 1 / 12), np.full(3, 1e-3)
    coef = np.full(3, -40.0)
    scores = np.asarray(X @ coef)
    value = objective((X, codes, share, penalty, np.zeros(3)), coef, 0.0)
    for _ in range(60):
        lower, _, _, _ = loop(
            X.indptr, X.indices, X.data, np.arange(3), codes, share, penalty, np.zeros(3), False, (1e-12, 1), coef,
            scores, 0.0,
        )  # fmt: skip
        assert lower <= value * (1 + 1e-13)
        value = lower
    best = swept(loop, (X, codes, share, penalty, np.zeros(3)), (1e-12, 100), fit_intercept=False)
    np.testing.assert_allclose(coef, best[0], atol=1e-6)


@pytest.mark.parametrize("loop", LOOPS)
def test_constant_and_empty_columns_leave_the_intercept_alone(loop):
    X, codes, share, threshold, ridge = sample(2, 80, 10)
    wider = sparse.hstack([X, np.ones((80, 1)), np.zeros((80, 1))], format="csc")
    longer = (wider, codes, share, np.append(threshold, [0.01, 0.01]), np.append(ridge, [0.0, 0.0]))
    coef, _, intercept, *_ = swept(loop, longer, (1e-12, 1000))
    plain, _, level, *_ = swept(loop, (X, codes, share, threshold, ridge), (1e-12, 1000))
    np.testing.assert_allclose(coef, np.append(plain, [0.0, 0.0]), atol=1e-9)
    assert intercept == pytest.approx(level, abs=1e-9)


@pytest.mark.parametrize("broken", ["working", "codes", "coef", "row"])
def test_the_door_refuses_shapes_that_do_not_fit(broken):
    X, codes, share, threshold, ridge = sample(0, 20, 5)
    rows = X.indices + (20 if broken == "row" else 0)
    working = np.array([5 if broken == "working" else 4])
    codes = codes[:-1] if broken == "codes" else codes
    coef = np.zeros(4 if broken == "coef" else 5)
    with pytest.raises(ValueError, match="native loop"):
        _native.logistic_sweeps(
            X.indptr, rows, X.data, working, codes, share, threshold, ridge, True, (1e-6, 10), coef, np.zeros(20), 0.0
        )
