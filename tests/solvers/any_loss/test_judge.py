"""Gaps and medians by which solvers judge themselves."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from surefit.objective import Absolute, Hinge, Huber, Logistic, Problem, Squared, SquaredL2
from surefit.solvers.any_loss.judge import Remembered, constant_fit, corrected_dual, gap_of, unpenalised_gap
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.solution import Status

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


def least_hinge(X, labels, weights):
    """The smallest weighted mean hinge loss with an intercept, by linear programming."""
    n, d = X.shape
    margins = -labels[:, None] * np.column_stack([X, np.ones(n)])
    costs = np.append(np.zeros(d + 1), weights / weights.sum())
    free, slack = [(None, None)] * (d + 1), [(0, None)] * n
    return linprog(costs, np.hstack([margins, -np.eye(n)]), -np.ones(n), bounds=free + slack).fun


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(6))
def test_an_unpenalised_hinge_fit_of_classes_that_overlap_is_certified(seed, layout):
    """Catalogue F-10: the domain of the dual ends at zero, where most rows are, and no factor leads back into it."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=([30, 80, 200][seed % 3], [1, 4][seed % 2]))
    A = np.round(A) if seed >= 4 else A
    labels, weights = np.where(A[:, 0] + rng.normal(size=len(A)) > 0, 1.0, -1.0), rng.integers(0, 3, len(A)) * 1.0
    problem = Problem(layout(A), labels, Hinge(), SquaredL2(), 0.0, weights)
    best, least = minimise(problem), least_hinge(A, labels, weights)
    assert best.status is Status.CONVERGED
    assert best.objective == pytest.approx(least, rel=1e-9)
    for size in (1e-6, 1e-2, 1.0):
        coef = best.coef + size * rng.normal(size=A.shape[1])
        assert gap_of(problem, coef, best.intercept) >= problem.primal(coef, best.intercept) - least - 1e-12


def test_a_dual_point_is_balanced_by_the_rows_that_have_room():
    """Rows at an end of the domain stay there; the others take up what is left."""
    labels = np.where(Y > 0, 1.0, -1.0)
    problem = Problem(X, labels, Hinge(), SquaredL2(), 0.0)
    best = minimise(problem)
    slopes = -labels * (labels * problem.scores(best.coef, best.intercept) < 1 - 1e-9)
    kinks = np.abs(labels * problem.scores(best.coef, best.intercept) - 1) < 1e-9
    slopes[kinks] = -0.5 * labels[kinks]
    dual, factor = corrected_dual(problem, slopes, np.zeros(3))
    assert factor == 1.0
    np.testing.assert_array_equal(dual[~kinks], slopes[~kinks])
    np.testing.assert_allclose(X.T @ dual / 40, 0.0, atol=1e-14)
    assert np.all((dual * labels <= 0) & (dual * labels >= -1))


def test_the_constant_fit_is_the_median_or_the_mean():
    assert constant_fit(Problem(X, Y, Absolute(), SquaredL2(), 1.0))[0] == np.sort(Y)[19]
    assert constant_fit(Problem(X, Y, Squared(), SquaredL2(), 1.0))[0] == pytest.approx(Y.mean())
    assert constant_fit(Problem(X, Y, Squared(), SquaredL2(), 1.0, fit_intercept=False))[0] == 0
