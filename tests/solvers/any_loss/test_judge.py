"""Gaps and medians by which solvers judge themselves."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from surefit.objective import (
    L1,
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Pinball,
    Problem,
    Squared,
    SquaredL2,
)
from surefit.solvers.any_loss.judge import (
    Remembered,
    constant_fit,
    corrected_dual,
    evaluation_rounding,
    gap_of,
    unpenalised_gap,
)
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


def exact(problem, loss, penalty, coef, intercept):
    """The objective at these numbers without any rounding; all rows weigh the same."""
    w, b = [Fraction(c) for c in coef], Fraction(intercept)
    rows = zip(problem.X.tolist(), problem.y.tolist(), strict=True)
    residuals = [Fraction(t) - b - sum(Fraction(x) * c for x, c in zip(row, w, strict=True)) for row, t in rows]
    return sum(map(loss, residuals)) / len(residuals) + Fraction(problem.lam) * sum(map(penalty, w))


def exact_huber(r):
    return r * r if abs(r) <= 1 else 2 * abs(r) - 1


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e9, 1e13])
@pytest.mark.parametrize(
    ("loss", "formula"),
    [
        (Huber(1.0), exact_huber),
        (Absolute(), abs),
        (EpsilonInsensitive(0.25), lambda r: max(abs(r) - Fraction(1, 4), 0)),
        (Pinball(0.25), lambda r: max(r / 4, -3 * r / 4)),
    ],
    ids=["huber", "absolute", "tube", "pinball"],
)
@pytest.mark.parametrize(
    ("penalty", "size"), [(SquaredL2(), lambda w: w * w), (L1(), abs)], ids=["squares", "absolute"]
)
def test_no_point_is_below_the_published_one_by_more_than_the_gap_in_exact_arithmetic(
    loss, formula, penalty, size, offset
):
    """P-08: the intercept of targets far from zero is rounded when it is published, and the gap knows by how much."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(8, 2))
    y = A @ [1.0, -1.0] + rng.normal(size=8) + offset
    far, near = Problem(A, y, loss, penalty, 0.1), Problem(A, y - offset, loss, penalty, 0.1)
    answer, other = minimise(far), minimise(near)
    there = exact(far, formula, size, answer.coef, answer.intercept)
    better = exact(far, formula, size, other.coef, Fraction(other.intercept) + Fraction(offset))
    assert there - better <= Fraction(answer.gap)
    assert abs(Fraction(answer.objective) - there) <= Fraction(answer.gap)


def test_a_gap_is_never_zero_where_rounding_hides_an_excess():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=8), rng.normal(size=8)
    answer = minimise(Problem(x[:, None], y, Huber(100.0), SquaredL2(), 0.0, fit_intercept=False))
    square = sum(Fraction(a) ** 2 for a in x)
    best = sum(Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)) / square
    excess = square * (Fraction(answer.coef[0]) - best) ** 2 / 8
    assert 0 < excess <= Fraction(answer.gap)
    assert answer.gap < 1e-14 * answer.objective
    assert answer.status is Status.CONVERGED


def test_targets_far_from_zero_are_paid_for_without_an_intercept():
    """The residuals that are computed are zero, those of the numbers themselves are not."""
    problem = Problem(
        np.full((9, 1), 1e9), np.full(9, 1e9 + 0.37), Pinball(0.25), SquaredL2(), 3.0, fit_intercept=False
    )
    answer = minimise(problem)
    formula, size = lambda r: max(r / 4, -3 * r / 4), lambda w: w * w
    best = exact(problem, formula, size, [Fraction(1e9 + 0.37) / Fraction(1e9)], 0)
    assert 0 < exact(problem, formula, size, answer.coef, 0) - best <= Fraction(answer.gap)
    assert answer.status is Status.CONVERGED


def test_the_rounding_of_a_gap_is_that_of_its_terms_and_nothing_for_what_is_nothing():
    problem = Problem(X, Y, Absolute(), SquaredL2(), 0.1)
    coef = RNG.standard_normal(3)
    small, large = evaluation_rounding(problem, coef, 0.0), evaluation_rounding(problem, 1e6 * coef, 0.0)
    assert 1e-16 < small < 1e-13
    assert 1e-10 < large < 1e-1
    assert evaluation_rounding(Problem(X, 0 * Y, Huber(), L1(), 0.1), 0 * coef, 0.0) == 0.0
    exact_fit = Problem(X, X @ coef, Absolute(), SquaredL2(), 0.0)
    assert evaluation_rounding(exact_fit, coef, 0.0) > 1e-16  # a kink is steep on both sides
