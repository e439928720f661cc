"""Jackknife+ and CV+ in closed form against refits (catalogue T-76, S-04), and their coverage by simulation."""

import numpy as np
import pytest

from surefit import KernelRidge, LeastSquares, Ridge
from surefit.data.design import Design
from surefit.kernels.library import Gaussian
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals import jackknife
from surefit.theory.intervals.jackknife import cv_plus, jackknife_plus
from surefit.theory.intervals.response import LinearResponse

RNG = np.random.default_rng(5)
X, NEW = RNG.normal(size=(40, 3)), 2 * RNG.normal(size=(15, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.standard_t(3, size=40)


def ridge(rows, targets, sum_lam):
    return Ridge(sum_lam / len(targets)).fit(rows, targets)


def kernel_ridge(rows, targets, sum_lam):
    return KernelRidge(Gaussian(2.0), sum_lam / len(targets), fit_intercept=True).fit(rows, targets)


def least_squares(rows, targets, sum_lam):
    return LeastSquares().fit(rows, targets)


def by_refitting(refit, sum_lam, folds, coverage):
    """The definition: one refit for each fold."""
    n = len(Y)
    low, high = np.empty((2, len(NEW), n))
    for k in np.unique(folds):
        out = folds == k
        model = refit(X[~out], Y[~out], sum_lam)
        error = np.abs(Y[out] - model.predict(X[out]))
        low[:, out], high[:, out] = (model.predict(NEW)[:, None] + sign * error for sign in (-1, 1))
    rank = int(np.ceil(coverage * (n + 1) - 1e-9))
    return np.sort(low, axis=1)[:, n - rank], np.sort(high, axis=1)[:, rank - 1]


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.97])
@pytest.mark.parametrize(("refit", "sum_lam"), [(least_squares, 0.0), (ridge, 8.0), (ridge, 1e-3), (kernel_ridge, 2.0)])
def test_jackknife_plus_equals_n_refits(refit, sum_lam, coverage):
    """To 1e-10, the refits keeping n * lam."""
    found = refit(X, Y, sum_lam).predict_interval(NEW, coverage)
    low, high = by_refitting(refit, sum_lam, np.arange(len(Y)), coverage)
    np.testing.assert_allclose(found.lower, low, atol=1e-10)
    np.testing.assert_allclose(found.upper, high, atol=1e-10)
    assert found.guaranteed == pytest.approx(2 * coverage - 1)


@pytest.mark.parametrize("K", [2, 4, 7])
@pytest.mark.parametrize(("refit", "sum_lam"), [(least_squares, 0.0), (ridge, 8.0), (kernel_ridge, 2.0)])
def test_cv_plus_equals_refits_without_each_fold(refit, sum_lam, K):
    folds = np.random.default_rng(1).permutation(np.arange(len(Y)) % K)
    found = refit(X, Y, sum_lam).predict_interval(NEW, 0.8, "cv+", folds=folds)
    low, high = by_refitting(refit, sum_lam, folds, 0.8)
    np.testing.assert_allclose(found.lower, low, atol=1e-10)
    np.testing.assert_allclose(found.upper, high, atol=1e-10)


def response(lam=0.1):
    return LinearResponse(spectral_factor(Design.of(X), True, lam), Y, lam)


def test_cv_plus_with_as_many_folds_as_rows_is_jackknife_plus():
    single, together = jackknife_plus(response(), NEW), cv_plus(response(), NEW, np.arange(len(Y)))
    np.testing.assert_allclose(together.lower, single.lower, atol=1e-12)
    assert together.guaranteed == pytest.approx(single.guaranteed)


def test_the_guarantee_of_cv_plus_is_that_of_the_theorem():
    """n = 40, 10 folds: the loss is min(2 (9/10) / 5, (3/4) / 11) = 0.0681818."""
    found = cv_plus(response(), NEW, np.arange(40) % 10, 0.9)
    assert found.guaranteed == pytest.approx(0.8 - 0.75 / 11)


def test_chunks_change_nothing(monkeypatch):
    whole = jackknife_plus(response(), NEW)
    monkeypatch.setattr(jackknife, "CHUNK_ENTRIES", 80)  # two rows at a time
    parts = jackknife_plus(response(), NEW)
    np.testing.assert_allclose(parts.lower, whole.lower, atol=1e-13)
    np.testing.assert_allclose(parts.upper, whole.upper, atol=1e-13)


def test_no_matrix_of_training_rows_by_new_rows_is_held():
    """4,000 training rows by 50,000 new ones would take 1.6 GB; a few chunks of 8 MB a core are held."""
    import tracemalloc

    rng = np.random.default_rng(0)
    rows, new = rng.normal(size=(4000, 2)), rng.normal(size=(5_000, 2))
    made = LinearResponse(spectral_factor(Design.of(rows), True, 1.0), rng.normal(size=4000), 0.1)
    tracemalloc.start()
    jackknife_plus(made, new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 5_000 * 8 * 0.75


def test_a_row_that_decides_its_own_fit_reaches_everywhere():
    """The last row alone has the second column: leaving it out leaves no fit, so it counts as an infinite residual."""
    rows = np.column_stack([np.arange(12.0), np.append(np.zeros(11), 1.0)])
    y = np.random.default_rng(2).normal(size=12)
    made = LinearResponse(spectral_factor(Design.of(rows), True), y, 0.0)
    assert np.isinf(made.left_out).tolist() == [False] * 11 + [True]
    generous, tight = jackknife_plus(made, rows[:1], 0.9), jackknife_plus(made, rows[:1], 0.7)
    assert (generous.lower[0], generous.upper[0]) == (-np.inf, np.inf)
    assert np.all(np.isfinite([tight.lower, tight.upper]))


def test_folds_that_do_not_number_the_rows_are_refused():
    for folds in (np.zeros(40), np.arange(39)):
        with pytest.raises(ValueError, match="folds must number the 40 training rows with at least two folds"):
            cv_plus(response(), NEW, folds)


def misses(intervals_of, repetitions, coverage, seed, lam=0.0):
    """How often a new target of a heavy-tailed, heteroscedastic law falls outside its interval; n = 20, d = 8."""
    rng, missed = np.random.default_rng(seed), 0
    for _ in range(repetitions):
        rows = rng.normal(size=(21, 8))
        y = rows[:, 0] + (0.2 + rows[:, 1] ** 2) * rng.standard_t(3, size=21)
        made = LinearResponse(spectral_factor(Design.of(rows[:20]), True, 20 * lam), y[:20], lam)
        low, high = intervals_of(made, rows[20:], coverage)
        missed += not low <= y[20] <= high
    return missed


def plus(made, new, coverage):
    found = jackknife_plus(made, new, coverage)
    return found.lower[0], found.upper[0]


def folded(made, new, coverage):
    found = cv_plus(made, new, np.arange(20) % 5, coverage)
    return found.lower[0], found.upper[0]


def sabotaged(made, new, coverage):
    """Fitted residuals in place of left-out ones: what the theorem is there to prevent."""
    centre, reach = made.at(new).prediction[0], np.quantile(np.abs(made.residual), coverage)
    return centre - reach, centre + reach


@pytest.mark.verify
@pytest.mark.parametrize("lam", [0.0, 0.5], ids=["least squares", "ridge"])
@pytest.mark.parametrize("intervals", [plus, folded], ids=["jackknife+", "CV+, five folds"])
def test_both_cover_at_the_nominal_rate_which_is_more_than_they_promise(intervals, lam, protocol):
    """False alarm 1e-4.  Promised are 2 coverage - 1 = 0.8, for five folds less; here even the nominal 0.9 is met."""
    R = protocol.of(1000)
    assert misses(intervals, R, 0.9, 0, lam) <= protocol.allowed(R, 0.1)


@pytest.mark.verify
def test_training_residuals_in_place_of_left_out_ones_are_caught(protocol):
    R = protocol.of(1000, 2000)
    assert misses(sabotaged, R, 0.9, seed=0) > protocol.allowed(R, 0.2)


def test_folds_of_unequal_size_break_the_promise_of_cv_plus():
    """The sizes are known, so they are no assumption: 37 and 3 rows; 14, 13 and 13 are as equal as 40 rows allow."""
    equal, unequal = cv_plus(response(), NEW, np.arange(40) % 3), cv_plus(response(), NEW, np.arange(40) < 37)
    assert equal.guaranteed > 0.5
    assert not equal.broken
    assert unequal.guaranteed == 0.0
    assert unequal.broken == ("folds have from 3 to 37 rows, and the theorem is about folds of equal size",)
    assert not any("equal size" in text for text in (*equal.assumptions, *unequal.assumptions))
