"""Gaps and medians by which solvers judge themselves."""

import numpy as np
import pytest

from surefit.objective import Absolute, Huber, Logistic, Problem, Squared, SquaredL2
from surefit.solvers.certify import Remembered, constant_fit, gap_of, unpenalised_gap, weighted_median
from surefit.solvers.choose import minimise

RNG = np.random.default_rng(2)
X, Y = RNG.standard_normal((40, 3)), RNG.standard_normal(40)


@pytest.mark.parametrize("loss", [Huber(0.5), Squared(), Logistic()], ids=str)
def test_the_remembered_conjugate_is_an_upper_bound_and_tight_nearby(loss):
    """L-14: an upper bound keeps the gap honest."""
    y = np.sign(Y) if loss.targets == "signs" else Y
    f = RNG.standard_normal(40)
    for distance in (0.0, 1e-9, 1e-4, 0.3):
        low, high = loss.conjugate_domain(y)
        u = np.clip(loss.derivative(y, f) + distance * RNG.standard_normal(40), low, high)
        exact, bound = loss.conjugate(y, u), Remembered(loss, f).conjugate(y, u)
        assert np.all(bound >= exact - 1e-12)
        if distance <= 1e-4:
            assert np.all(bound - exact <= 10 * distance + 1e-12)


@pytest.mark.parametrize("loss", [Huber(0.5), Squared(), Absolute()], ids=str)
def test_the_unpenalised_gap_bounds_the_suboptimality_and_vanishes_at_the_answer(loss):
    problem = Problem(X, Y, loss, SquaredL2(), 0.0, RNG.random(40))
    best = minimise(problem)
    assert best.gap <= 1e-10
    for size in (1e-3, 0.1, 1.0):
        coef = best.coef + size * RNG.standard_normal(3)
        gap = unpenalised_gap(problem, coef, best.intercept, None)
        assert gap >= problem.primal(coef, best.intercept) - best.objective - 1e-12


def test_the_unpenalised_gap_equals_the_problems_own_where_both_are_defined():
    problem = Problem(X, Y, Squared(), SquaredL2(), 0.0)
    coef = RNG.standard_normal(3)
    assert unpenalised_gap(problem, coef, 0.3, None) == pytest.approx(problem.gap(coef, 0.3), rel=1e-10)
    assert gap_of(problem, coef, 0.3) == pytest.approx(problem.gap(coef, 0.3), rel=1e-10)


def test_a_weighted_median_repeats_its_entries():
    values, weights = RNG.standard_normal(15), RNG.integers(0, 5, size=15)
    repeated = np.repeat(values, weights)
    assert weighted_median(values, weights.astype(float)) == np.sort(repeated)[(len(repeated) - 1) // 2]


def test_the_constant_fit_is_the_median_or_the_mean():
    assert constant_fit(Problem(X, Y, Absolute(), SquaredL2(), 1.0))[0] == np.sort(Y)[19]
    assert constant_fit(Problem(X, Y, Squared(), SquaredL2(), 1.0))[0] == pytest.approx(Y.mean())
    assert constant_fit(Problem(X, Y, Squared(), SquaredL2(), 1.0, fit_intercept=False))[0] == 0
