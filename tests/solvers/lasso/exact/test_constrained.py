"""Penalised, constrained and quadratic-programme lasso are one problem in three forms."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from surefit.data.design import Design
from surefit.objective import project_l1_ball
from surefit.solvers.lasso.exact import constrained
from surefit.solvers.lasso.exact.constrained import constrained_lasso, lasso_by_quadratic_programme
from surefit.solvers.lasso.exact.homotopy import lasso_homotopy
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.solution import Status

X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])


def random_problem(seed, n=15, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)))
    return Design.of(X, rng.uniform(0.1, 2.0, size=n)), rng.normal(size=n)


def test_fixture_two_with_budget_two():
    """Catalogue A-24, T-22, FX2: lam = 611/626 exactly, by the two knots around it (printed: 0.976038341)."""
    answer = constrained_lasso(Design.of(X2), Y2, 2.0)
    np.testing.assert_allclose(answer.solution.coef, [0.265175719, 0.514376997, 1.220447284], atol=6e-10)
    assert answer.lam == pytest.approx(611 / 626, rel=1e-14)
    assert answer.lam == pytest.approx(0.976038341, abs=3e-9)
    assert np.abs(answer.solution.coef).sum() == pytest.approx(2.0, rel=1e-14)
    assert answer.solution.gap < 1e-13


def test_a_budget_that_least_squares_keeps_gives_least_squares():
    """Catalogue A-24: Lambda_1 >= ||OLS||_1."""
    answer = constrained_lasso(Design.of(X2), Y2, 10.0)
    assert answer.lam == 0.0
    np.testing.assert_allclose(answer.solution.coef, least_squares(Design.of(X2), Y2[:, None]).solution.coef[:, 0])


def test_no_budget_gives_zero_and_the_largest_multiplier():
    answer = constrained_lasso(Design.of(X2), Y2, 0.0)
    np.testing.assert_array_equal(answer.solution.coef, 0.0)
    assert answer.lam == pytest.approx(19 / 6)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.02, 0.98))
def test_the_budget_of_a_penalised_solution_leads_back_to_it(seed, share):
    """Catalogue T-22: lam -> radius -> lam is the identity along the path."""
    design, y = random_problem(seed)
    path = lasso_homotopy(design, y)
    lam = share * path.knots[0]
    coef, _ = path.at(lam)
    answer = constrained_lasso(design, y, float(np.abs(coef).sum()))
    assert answer.lam == pytest.approx(lam, rel=1e-8)
    np.testing.assert_allclose(answer.solution.coef, coef, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_projected_gradient_finds_the_same_point(seed):
    """Catalogue A-24, P-06: an independent method on the ball itself."""
    rng = np.random.default_rng(seed)
    design, y = Design.of(rng.normal(size=(40, 6)), rng.uniform(0.1, 2.0, size=40)), rng.normal(size=40)
    share = design.weight / design.weight.sum()
    A, t = design.X - share @ design.X, y - share @ y
    gram, pull = 2 * A.T @ (share[:, None] * A), 2 * A.T @ (share * t)
    radius = 0.5 * float(np.abs(least_squares(design, y[:, None]).solution.coef).sum())
    w, step = np.zeros(design.d), 1 / np.linalg.eigvalsh(gram)[-1]
    for _ in range(1000):
        w = project_l1_ball(w - step * (gram @ w - pull), radius)
    np.testing.assert_allclose(constrained_lasso(design, y, radius).solution.coef, w, atol=1e-10)


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.floats(1e-3, 1.5),
    n=st.integers(2, 15),
    d=st.integers(1, 12),
    fit_intercept=st.booleans(),
)
def test_the_quadratic_programme_is_the_lasso(seed, share, n, d, fit_intercept):
    """Catalogue A-23, T-22: equal to the path, and never both parts of a coefficient at once."""
    design, y = random_problem(seed, n, d)
    path = lasso_homotopy(design, y, fit_intercept=fit_intercept)
    lam = share * path.knots[0]
    split = lasso_by_quadratic_programme(design, y, lam, fit_intercept)
    np.testing.assert_array_equal(split.u * split.v, 0.0)
    assert min(split.u.min(), split.v.min()) >= 0.0
    np.testing.assert_allclose(split.solution.coef, path.at(lam)[0], atol=1e-8 * (1 + np.abs(path.coefs).max()))
    np.testing.assert_allclose(split.solution.intercept, path.at(lam)[1], atol=1e-7)
    assert split.solution.gap <= 1e-10 * (1 + y @ y)


def test_the_forms_take_sparse_designs():
    X = sparse.random(30, 8, density=0.4, random_state=0, format="csr")
    y = np.random.default_rng(1).normal(size=30)
    thin, full = Design.of(X), Design.of(X.toarray())
    np.testing.assert_allclose(
        lasso_by_quadratic_programme(thin, y, 0.05).solution.coef,
        lasso_by_quadratic_programme(full, y, 0.05).solution.coef,
        atol=1e-12,
    )
    np.testing.assert_allclose(
        constrained_lasso(thin, y, 0.5).solution.coef, constrained_lasso(full, y, 0.5).solution.coef, atol=1e-12
    )


def test_a_constant_target_and_a_constant_column():
    X = np.column_stack([X2, np.ones(6)])
    split = lasso_by_quadratic_programme(Design.of(X), np.full(6, 3.0), 0.1)
    np.testing.assert_array_equal(split.solution.coef, 0.0)
    assert split.solution.intercept == 3.0
    np.testing.assert_allclose(
        lasso_by_quadratic_programme(Design.of(X), Y2, 1.0).solution.coef,
        [0.2519685, 0.50393701, 1.20472441, 0.0],
        atol=6e-9,
    )


def test_bad_arguments_say_what_to_do():
    with pytest.raises(ValueError, match="radius must be >= 0"):
        constrained_lasso(Design.of(X2), Y2, -1.0)
    with pytest.raises(ValueError, match="use LeastSquares"):
        lasso_by_quadratic_programme(Design.of(X2), Y2, 0.0)
    for lam, got in [("0.1", "a number, got '0.1'"), (None, "a number, got None"), (np.inf, "finite and > 0, got inf")]:
        with pytest.raises(ValueError, match=f"lam must be {got}"):
            lasso_by_quadratic_programme(X2, Y2, lam)
    with pytest.raises(ValueError, match="radius must be a number, got 'a'; it bounds the sum"):
        constrained_lasso(X2, Y2, "a")
    for form in (constrained_lasso, lasso_by_quadratic_programme):
        with pytest.raises(ValueError, match="fit_intercept must be True or False, got 'no'"):
            form(X2, Y2, 1.0, "no")


def test_both_forms_take_weights_beside_the_rows():
    weight = np.array([1.0, 2, 1, 1, 3, 1])
    path = lasso_homotopy(X2, Y2, sample_weight=weight)
    coef, _ = path.at(0.5)
    answer = constrained_lasso(X2, Y2, float(np.abs(coef).sum()), sample_weight=weight)
    np.testing.assert_allclose(answer.solution.coef, coef, atol=1e-12)
    split = lasso_by_quadratic_programme(X2, Y2, 0.5, sample_weight=weight)
    np.testing.assert_allclose(split.u - split.v, coef, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_both_forms_agree_beside_a_timestamp_and_say_so(seed):
    """Catalogue A-23, A-24, T-22: the coefficient of a column in milliseconds is ten decades below the others."""
    rng = np.random.default_rng(seed)
    t, others = 1.7e12 + 1.5e8 * np.arange(200), rng.normal(size=(200, 3))
    X, y = np.column_stack([t, others]), 5 * (t - t[0]) / 3e10 + others @ [1.0, 0, -1] + 0.1 * rng.normal(size=200)
    split = lasso_by_quadratic_programme(X, y, 1.0).solution
    budget = constrained_lasso(X, y, float(np.abs(split.coef).sum()))
    np.testing.assert_allclose(budget.solution.coef, split.coef, rtol=1e-8, atol=1e-20)
    assert budget.lam == pytest.approx(1.0, rel=1e-8)
    for solution in (split, budget.solution):
        assert solution.status is Status.EXACT
        assert solution.gap <= 1e-10 * np.var(y)


def test_exact_is_said_only_of_what_was_measured(monkeypatch):
    """Catalogue A-23: a wrong answer of the inner solver shows in the gap and in the status."""
    honest = lasso_by_quadratic_programme(X2, Y2, 0.5).solution
    assert honest.status is Status.EXACT
    inner = constrained._least_distance_multipliers
    monkeypatch.setattr(
        constrained, "_least_distance_multipliers", lambda *args: tuple(1.01 * part for part in inner(*args))
    )
    wrong = lasso_by_quadratic_programme(X2, Y2, 0.5).solution
    assert wrong.status is Status.ROUNDING
    assert 0 < wrong.objective - honest.objective <= wrong.gap


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(1e-6, 1.2), noise=st.floats(1e-9, 0.5))
def test_the_measured_gap_bounds_the_suboptimality_of_any_point(seed, share, noise):
    """Catalogue A-23: also of points far from the optimum and for tiny ``lam``."""
    design, y = random_problem(seed)
    lam = share * lasso_homotopy(design, y).knots[0]
    best = lasso_by_quadratic_programme(design, y, lam).solution
    sample = constrained._Sample(design, y, True)
    point = best.coef * (1 + noise * np.random.default_rng(seed).normal(size=design.d)) + noise**2
    weight = design.weight / design.total_weight
    left = y - design.X @ point
    value = weight @ (left - weight @ left) ** 2 + lam * np.abs(point).sum()
    assert sample.gap(point, lam) * sample.size**2 >= value - best.objective - 1e-12 * (1 + value)


def test_all_units_of_columns_are_exact():
    """Catalogue A-24: columns from 1e-6 to 1e6, with and without intercept, beside one far from the origin."""
    rng = np.random.default_rng(3)
    Z, units = rng.normal(size=(30, 6)), 10.0 ** np.linspace(-6, 6, 6)
    y = Z @ rng.normal(size=6) + rng.normal(size=30)
    for offset, fit_intercept in ((0.0, True), (0.0, False), (1.7e12, False)):
        X = Z * units + offset * (np.arange(6) == 2)
        for radius in 10.0 ** np.arange(-6, 8):
            solution = constrained_lasso(X, y, radius, fit_intercept).solution
            assert solution.status is Status.EXACT
            assert solution.gap <= 1e-10 * np.mean(y**2)
            assert solution.objective <= np.mean((y - fit_intercept * y.mean()) ** 2) * (1 + 1e-12)


@pytest.mark.parametrize("factor", [2.0**490, 2.0**-490])
def test_large_and_small_targets_are_solved_as_well(factor):
    """Catalogue A-23, A-24: everything is proportional to the target, what is squared to its square."""
    for solve in (
        lambda f: constrained_lasso(X2, Y2 * f, 2.0 * f),
        lambda f: lasso_by_quadratic_programme(X2, Y2 * f, f),
    ):
        plain, scaled = solve(1.0).solution, solve(factor).solution
        np.testing.assert_allclose(scaled.coef / factor, plain.coef, rtol=1e-12)
        assert scaled.objective / factor / factor == pytest.approx(plain.objective, rel=1e-12)
        assert scaled.status is Status.EXACT


@pytest.mark.parametrize("factor", [1e160, 1e-160, 1e-300])
def test_targets_whose_objective_cannot_be_represented_are_refused(factor):
    with pytest.raises(ValueError, match="squares leave the range of floating point numbers; rescale y"):
        constrained_lasso(X2, Y2 * factor, factor)
    with pytest.raises(ValueError, match="squares leave the range of floating point numbers; rescale y"):
        lasso_by_quadratic_programme(X2, Y2 * factor, factor)


def test_without_columns_both_forms_are_the_mean():
    nothing = np.empty((6, 0))
    for answer in (constrained_lasso(nothing, Y2, 1.0), lasso_by_quadratic_programme(nothing, Y2, 1.0)):
        assert answer.solution.coef.shape == (0,)
        assert answer.solution.intercept == pytest.approx(Y2.mean())
        assert answer.solution.objective == pytest.approx(Y2.var())
        assert answer.solution.status is Status.EXACT


def test_complex_targets_are_refused_not_cut_to_real_ones():
    with pytest.raises(ValueError, match="holds complex numbers"):
        constrained_lasso(X2, Y2 + 1j, 1.0)
    with pytest.raises(ValueError, match="holds complex numbers"):
        lasso_by_quadratic_programme(X2, Y2 + 1j, 1.0)


def test_without_a_bound_it_is_least_squares_and_the_gap_is_a_number():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)), rng.standard_normal(30)
    solution = constrained_lasso(X, y, np.inf).solution
    np.testing.assert_allclose(solution.coef, least_squares(Design.of(X), y[:, None]).solution.coef[:, 0], atol=1e-12)
    assert 0.0 <= solution.gap < 1e-12


def exact_objective(X, y, coef, intercept, lam):
    """The objective of numbers that are what they are, in rationals."""
    w, b = [Fraction(float(c)) for c in coef], Fraction(float(intercept))
    rows = [[Fraction(float(x)) for x in row] for row in X]
    squares = [(Fraction(float(t)) - sum(map(operator.mul, row, w)) - b) ** 2 for row, t in zip(rows, y, strict=True)]
    return sum(squares) / len(squares) + Fraction(lam) * sum(map(abs, w))


@pytest.mark.parametrize("near", [1.0, 2.0**-20])
@pytest.mark.parametrize("lam", [1.0, 0.5, 0.25, 2.0**-10])
def test_no_gap_is_below_what_rounding_left(lam, near):
    """Catalogue A-23, FX2: also where the second column is nearly the first, against the best of several."""
    X = X2.copy()
    X[:, 1] = X[:, 0] + near * (X[:, 1] - X[:, 0])
    found = lasso_by_quadratic_programme(X, Y2, lam).solution
    value = exact_objective(X, Y2, found.coef, found.intercept, lam)
    path = elastic_net_path(Design.of(X), Y2, np.array([lam]), SparsePenalty(), tol=1e-15)
    others = [(path.coefs[0], path.intercepts[0]), lasso_homotopy(X, Y2).at(lam)]
    moved = [(found.coef, np.nextafter(found.intercept, side)) for side in (-np.inf, np.inf)]
    best = min(exact_objective(X, Y2, *point, lam) for point in others + moved)
    assert found.gap > 0.0
    assert value - best <= Fraction(found.gap)
    assert found.status is Status.EXACT
