"""Studentised scores: against refits, and narrower intervals where the design is dense."""

import numpy as np
import pytest

from surefit.data.design import Design
from surefit.kernels import Gaussian
from surefit.solvers.kernel.system import KernelSystem
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals.conformal import conformal_rank
from surefit.theory.intervals.full import full_conformal
from surefit.theory.intervals.jackknife import jackknife_plus
from surefit.theory.intervals.response import KernelResponse, LinearResponse
from surefit.theory.intervals.studentised import studentised_full_conformal, studentised_jackknife_plus


def linear(X, y, n_lam=2.0):
    return LinearResponse(spectral_factor(Design.of(X), True, n_lam), y, n_lam / len(y))


def kernel(X, y, n_lam=2.0):
    return KernelResponse(KernelSystem(Gaussian(1.0), X, np.ones(len(y)), True), y, n_lam / len(y))


def sample(n=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X @ [1.0, -1.0] + rng.normal(size=n), np.array([[0.1, 0.2], [3.0, -2.0]])


@pytest.mark.parametrize("response", [linear, kernel])
def test_jackknife_equals_that_of_refits(response):
    X, y, new = sample()
    found, ends = studentised_jackknife_plus(response(X, y), new, 0.8), []
    for i in range(30):
        keep = np.arange(30) != i
        left_out = response(X[keep], y[keep])
        here, there = left_out.at(X[[i]]), left_out.at(new)
        score = abs(y[i] - here.prediction[0]) / np.sqrt(1 + here.own[0])
        reach = score * np.sqrt(1 + there.own)
        ends.append([there.prediction - reach, there.prediction + reach])
    ends, rank = np.sort(np.array(ends), axis=0), conformal_rank(30, 0.8)
    np.testing.assert_allclose(found.lower, ends[30 - rank, 0], rtol=1e-8)
    np.testing.assert_allclose(found.upper, ends[rank - 1, 1], rtol=1e-8)


@pytest.mark.parametrize("response", [linear, kernel])
def test_ends_of_full_conformal_intervals_are_where_the_rank_of_the_studentised_residual_changes(response):
    X, y, new = sample()
    found = studentised_full_conformal(response(X, y), new, 0.8)
    for j in range(2):
        for end, side in ((found.lower[j], -1), (found.upper[j], 1)):
            for step, inside in ((-1e-6 * side, True), (1e-4 * side, False)):
                fit = response(np.vstack([X, new[j]]), np.append(y, end + step))
                scores = np.abs(fit.residual) / np.sqrt(fit.room)
                rank = 1 + np.sum(scores[:-1] < scores[-1])
                assert (rank <= conformal_rank(30, 0.8)) == inside


def test_widths_follow_the_leverage_as_the_errors_of_least_squares_do():
    """Mean widths at the centre and far out, 60 samples of 60 rows with 12 columns.  Errors of new predictions have
    standard deviation ``sqrt(1 + G(x, x))``: 1.01 and about 1.6.  Plain jackknife+ has one width for all, plain full
    conformal prediction exaggerates; ratios have standard errors of 0.02."""
    rng, widths = np.random.default_rng(0), []
    for _ in range(60):
        X = rng.normal(size=(60, 12))
        fit, new = linear(X, X.sum(axis=1) + rng.normal(size=60)), np.array([np.zeros(12), np.full(12, 2.5)])
        methods = (jackknife_plus, full_conformal, studentised_jackknife_plus, studentised_full_conformal)
        widths.append([method(fit, new).width for method in methods])
    jackknife, full, *varying = np.mean(widths, axis=0)
    assert jackknife[1] / jackknife[0] < 1.1
    assert full[1] / full[0] > 2
    for one in varying:
        assert 1.4 < one[1] / one[0] < 1.8
        assert one[0] < 0.95 * jackknife[0]


def test_room_is_what_turns_residuals_into_left_out_ones():
    X, y, _ = sample()
    for response in (linear, kernel):
        fit = response(X, y)
        np.testing.assert_allclose(fit.residual / fit.room, fit.left_out, rtol=1e-9)


def test_a_row_that_would_decide_its_own_fit_gets_everything():
    X = np.column_stack([np.arange(12.0), np.zeros(12)])
    y = np.arange(12.0) + np.sin(np.arange(12.0))
    for method in (studentised_jackknife_plus, studentised_full_conformal):
        found = method(LinearResponse(spectral_factor(Design.of(X), True), y, 0.0), np.array([[1.0, 1.0]]), 0.8)
        assert np.isinf(found.width[0])
