"""Full conformal prediction against brute force over candidate targets, and its coverage by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from surefit import KernelRidge, LeastSquares, Ridge
from surefit.data.design import Design
from surefit.kernels.library import Gaussian
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals.full import conformal_pieces, full_conformal, full_conformal_sets
from surefit.theory.intervals.response import LinearResponse

RNG = np.random.default_rng(3)
X = RNG.normal(size=(30, 2))
NEW = np.vstack([RNG.normal(size=(4, 2)), [[30.0, -20.0]]])  # the last one extrapolates wildly
Y = X @ [1.0, -1.0] + RNG.standard_t(3, size=30)

MODELS = {
    "least squares": (LeastSquares(), lambda n: LeastSquares()),
    "ridge": (Ridge(0.2), lambda n: Ridge(0.2 * 30 / n)),
    "kernel ridge": (KernelRidge(Gaussian(1.0), 0.05), lambda n: KernelRidge(Gaussian(1.0), 0.05 * 30 / n)),
    "kernel ridge with an offset": (
        KernelRidge(Gaussian(1.0), 0.05, fit_intercept=True),
        lambda n: KernelRidge(Gaussian(1.0), 0.05 * 30 / n, fit_intercept=True),
    ),
}


def belongs(model, x, candidate, coverage):
    """The definition, with a refit to all n + 1 rows at the same n * lam."""
    rows, targets = np.vstack([X, x]), np.append(Y, candidate)
    size = np.abs(targets - model.fit(rows, targets).predict(rows))
    return (np.count_nonzero(size[:-1] >= size[-1]) + 1) / len(size) > 1 - coverage + 1e-9


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_full_conformal_sets_equal_brute_force_over_a_grid(name, coverage):
    """Every candidate of a grid that is not within 1e-6 of an end is in the set exactly if the refits say so."""
    model, again = MODELS[name]
    sets = full_conformal_sets(model.fit(X, Y)._fit_record.factored.response, NEW, coverage)
    for x, pieces in zip(NEW, sets, strict=True):
        centre = model.fit(X, Y).predict(x[None])[0]
        grid = centre + np.concatenate([np.linspace(-12, 12, 30), [-500.0, 500.0]])
        grid = grid[np.min(np.abs(grid[:, None] - pieces.ravel()), axis=1) > 1e-6]
        ours = [bool(np.any((pieces[:, 0] <= y) & (y <= pieces[:, 1]))) for y in grid]
        assert ours == [belongs(again(len(Y) + 1), x, y, coverage) for y in grid]


def test_intervals_are_the_hulls_of_the_sets():
    response = LinearResponse(spectral_factor(Design.of(X), True, 1.0), Y, 0.2)
    found, sets = full_conformal(response, NEW, 0.8), full_conformal_sets(response, NEW, 0.8)
    np.testing.assert_allclose(found.lower, [pieces[0, 0] for pieces in sets])
    np.testing.assert_allclose(found.upper, [pieces[-1, 1] for pieces in sets])
    assert (found.coverage, found.guaranteed) == (0.8, 0.8)


values = st.floats(-4, 4).map(lambda x: round(x, 1))


@given(st.lists(st.tuples(values, values), min_size=4, max_size=12), st.sampled_from([0.25, 0.5, 0.8]))
def test_pieces_hold_exactly_the_residuals_that_are_not_strange(rows, coverage):
    """At the ends, between them and beyond, ties, zeros and |gain| = 1 included; ends are tested a hair inside."""
    residual, gain = np.array(rows).T
    pieces = conformal_pieces(residual, gain, coverage)
    wanted = len(rows) + 1 - int(np.ceil(coverage * (len(rows) + 1) - 1e-9))

    def held(t):
        return np.count_nonzero(np.abs(residual - gain * t) >= abs(t) * (1 - 1e-12) - 1e-12) >= wanted

    ends = np.unique(np.concatenate([pieces.ravel(), [-100.0, 0.0, 100.0]]))
    ends = ends[np.isfinite(ends)]
    for t in np.concatenate([ends, (ends[1:] + ends[:-1]) / 2]):
        inside = bool(np.any((pieces[:, 0] <= t) & (t <= pieces[:, 1])))
        assert inside <= held(t)
        strictly = np.count_nonzero(np.abs(residual - gain * t) >= abs(t) * (1 + 1e-12) + 1e-12) >= wanted
        assert strictly <= inside
    assert np.all(pieces[1:, 0] > pieces[:-1, 1])


def test_rows_of_large_leverage_can_split_the_set():
    """Two rows that follow the new one too far, and two that do not: strange in between, not strange far out."""
    pieces = conformal_pieces(np.array([1.0, 1.0, 0.1, 0.1]), np.array([5.0, 5.0, 0.0, 0.0]), 0.6)
    np.testing.assert_allclose(pieces, [[-np.inf, 1 / 6], [0.25, np.inf]])


def test_a_row_that_would_decide_its_own_fit_gets_the_whole_line():
    rows = np.column_stack([np.arange(12.0), np.zeros(12)])
    response = LinearResponse(spectral_factor(Design.of(rows), True), np.arange(12.0) % 5, 0.0)
    found = full_conformal(response, [[3.0, 0.0], [3.0, 1.0]], 0.8)
    assert np.all(np.isfinite([found.lower[0], found.upper[0]]))
    assert (found.lower[1], found.upper[1]) == (-np.inf, np.inf)


def misses(coverage, repetitions, seed):
    rng, missed = np.random.default_rng(seed), 0
    for _ in range(repetitions):
        rows = rng.normal(size=(20, 3))
        y = rows[:, 0] + (0.2 + rows[:, 1] ** 2) * rng.standard_t(3, size=20)
        response = LinearResponse(spectral_factor(Design.of(rows[:19]), True), y[:19], 0.0)
        found = full_conformal(response, rows[19:], coverage)
        missed += not found.lower[0] <= y[19] <= found.upper[0]
    return missed


@pytest.mark.verify
def test_full_conformal_covers_exactly_and_a_rank_too_few_is_caught(protocol):
    """n = 19, coverage 0.9 is exact; false alarm 1e-4.  The set of rank one lower covers 0.85: caught."""
    R = protocol.repeats
    assert binom.ppf(1e-4, R, 0.1) <= misses(0.9, R, seed=1) <= protocol.allowed(R, 0.1)
    assert misses(0.85, R, seed=1) > protocol.allowed(R, 0.1)


@pytest.mark.parametrize("method", ["full", "jackknife+", "cv+"])
def test_targets_that_equal_others_are_not_lost_to_rounding(method):
    """Targets 0 and 1 by the toss of a coin, one value of x: both ends are training targets, and so is the new one.

    An interval without one of them would be wrong every other time, and no right one leaves out either value unless
    it is as good as absent among 39 (probability below 1e-5 in 200 samples).
    """
    rng = np.random.default_rng(0)
    for _ in range(200):
        rows, y = np.ones((40, 1)), rng.integers(0, 2, 40) * 1.0
        model = KernelRidge(Gaussian(1.0), lam=0.1).fit(rows[:39], y[:39])
        found = model.predict_interval(rows[39:], 0.9, method, equal_rows_are_draws=True)
        assert found.lower[0] <= y[39] <= found.upper[0]
