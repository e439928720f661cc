"""Logistic problems are solved to their optimum by every solver, with honest gaps.  Catalogue A-29, A-30, A-31."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from surefit import GradientDescent, StochasticGradientDescent
from surefit.objective import ElasticNet, Logistic, SoftmaxCrossEntropy
from surefit.objective.problem import Problem
from surefit.progress import reporting
from surefit.solvers.logistic import solve
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import choose_solver, logistic_path, solve_logistic
from surefit.solvers.solution import Status

FX4 = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
FX5 = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([0, 0, 1, 2, 0, 1, 2, 2])


def sample(n=80, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d))
    scores = X @ rng.standard_normal((d, k)) + rng.gumbel(size=(n, k))
    codes = np.argmax(scores, axis=1)
    codes[:k] = np.arange(k)
    return X, codes


def test_the_saturated_fit_of_fx4_is_the_log_odds():
    solution = solve_logistic(LogisticProblem.of(*FX4))
    np.testing.assert_allclose(solution.coef, [[2 * np.log(3)]], rtol=1e-12)
    np.testing.assert_allclose(solution.intercept, [-np.log(3)], rtol=1e-12)
    assert -8 * solution.objective == pytest.approx(-4.498681157, abs=5e-10)


def test_the_penalised_fit_of_fx4_has_the_printed_digits():
    solution = solve_logistic(LogisticProblem.of(*FX4, lam=0.05))
    np.testing.assert_allclose([solution.intercept[0], solution.coef[0, 0]], [-0.38643779, 0.77287560], atol=5.1e-9)
    assert solution.objective == pytest.approx(0.644956331, abs=5e-10)


@pytest.mark.parametrize(
    ("steps", "iterate"), [(1, (-1, 2)), (2, (-1.0963391, 2.1926782)), (3, (-1.0986110, 2.1972220))]
)
def test_newton_from_zero_walks_through_the_printed_iterates(steps, iterate):
    solution = solve_logistic(LogisticProblem.of(*FX4), "newton", max_iter=steps)
    assert solution.status is Status.MAX_ITER
    np.testing.assert_allclose([solution.intercept[0], solution.coef[0, 0]], iterate, atol=5.1e-8)


def test_one_step_of_gradient_ascent_from_zero():
    step = 0.1 * 8  # the lecture steps along the sum, we along the mean
    solution = solve_logistic(LogisticProblem.of(*FX4), GradientDescent(step=step, max_iter=1))
    np.testing.assert_allclose([solution.intercept[0], solution.coef[0, 0]], [0.0, 0.1], atol=1e-15)


def test_gradient_descent_on_separated_points_grows_like_a_logarithm():
    X, codes = np.array([[-1.0], [1.0]]), np.array([0, 1])
    slow = solve_logistic(LogisticProblem.of(X, codes, fit_intercept=False), GradientDescent(1.0, 10_000, 0.0))
    w = 0.0
    for _ in range(10_000):
        w += 1 / (1 + np.exp(w))
    assert slow.coef[0, 0] == pytest.approx(w, rel=1e-9)
    for _ in range(90_000):
        w += 1 / (1 + np.exp(w))
    assert round(w, 2) == 11.51  # printed: after 1e5 steps
    assert slow.status is Status.SEPARATED


def test_the_saturated_softmax_of_fx5_gives_the_proportions():
    problem = LogisticProblem.of(*FX5)
    solution = solve_logistic(problem)
    assert -8 * solution.objective == pytest.approx(-8.317766167, abs=5e-10)
    q = problem.probabilities(np.vstack([solution.coef, solution.intercept]))
    np.testing.assert_allclose(q[[0, 4]], [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]], atol=1e-12)


def test_intercepts_alone_are_centred_log_frequencies():
    solution = solve_logistic(LogisticProblem.of(np.zeros((10, 1)), np.repeat([0, 1, 2], [5, 3, 2])))
    np.testing.assert_allclose(solution.intercept, [0.47570545, -0.03512017, -0.44058528], atol=5e-9)
    assert not np.any(solution.coef)


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "lbfgs"])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_every_solver_finds_the_same_minimum(solver, k, fit_intercept, as_sparse):
    X, codes = sample(k=k)
    X = sparse.csr_array(X) if as_sparse else X
    problem = LogisticProblem.of(X, codes, 0.01, fit_intercept=fit_intercept)
    exact = solve_logistic(problem, "newton")
    solution = solve_logistic(problem, solver, tol=1e-12)
    assert solution.status is Status.CONVERGED
    assert exact.gap <= 1e-14
    assert 0 <= solution.objective - exact.objective + 1e-15 <= solution.gap + 1e-15
    np.testing.assert_allclose(solution.coef, exact.coef, atol=1e-5)


def test_the_gradient_at_the_multinomial_answer_vanishes():
    X, codes = sample(200, 5, 4)
    for lam in (0.0, 1e-3):
        solution = solve_logistic(LogisticProblem.of(X, codes, lam))
        assert solution.facts["gradient_norm"] < 1e-8
        slope, level = Problem(X, codes, SoftmaxCrossEntropy(), ElasticNet(0.0), 0.0).gradient(
            solution.coef, solution.intercept
        )
        assert np.linalg.norm(slope + 2 * lam * solution.coef) < 1e-8
        assert np.linalg.norm(level) < 1e-8


@pytest.mark.parametrize("lam", [0.0, 0.03])
def test_softmax_of_two_classes_is_the_binary_fit(lam):
    X, codes = sample(k=2)
    binary = solve_logistic(LogisticProblem.of(X, codes, lam))
    # w = w_1 - w_0 with w_1 = -w_0, so ||w_0||**2 + ||w_1||**2 = ||w||**2 / 2
    symmetric = LogisticProblem(
        X, codes, 2, 2, np.full(len(codes), 1 / len(codes)), np.zeros(4), np.full(4, 2 * lam), True
    )
    both = solve_logistic(symmetric)
    np.testing.assert_allclose(both.coef[:, 1] - both.coef[:, 0], binary.coef[:, 0], atol=1e-10)
    np.testing.assert_allclose(both.intercept[1] - both.intercept[0], binary.intercept[0], atol=1e-10)
    assert both.objective == pytest.approx(binary.objective, abs=1e-14)


@pytest.mark.parametrize("k", [2, 3])
def test_adding_one_vector_to_all_classes_changes_nothing_and_the_answer_has_none(k):
    X, codes = sample(k=3)
    solution = solve_logistic(LogisticProblem.of(X, codes, 0.01 * (k - 2)))
    np.testing.assert_allclose(solution.coef.sum(axis=1), 0.0, atol=1e-10)
    assert solution.intercept.sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_duality_gap_of_the_general_problem_agrees(k, l1_ratio, as_sparse):
    X, codes = sample(60, 3, k)
    problem = LogisticProblem.of(sparse.csr_array(X) if as_sparse else X, codes, 0.05, l1_ratio)
    solution = solve_logistic(problem)
    loss, y = (Logistic(), 2.0 * codes - 1) if k == 2 else (SoftmaxCrossEntropy(), codes)
    general = Problem(X, y, loss, ElasticNet(l1_ratio), 0.05)
    point = (solution.coef[:, 0], solution.intercept[0]) if k == 2 else (solution.coef, solution.intercept)
    assert general.gap(*point) <= 1e-10
    assert general.primal(*point) == pytest.approx(solution.objective, abs=1e-14)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.5, 1.0]), st.integers(2, 4), st.booleans())
def test_no_point_is_better_than_the_gap_allows(seed, l1_ratio, k, fit_intercept):
    X, codes = sample(25, 3, k, seed)
    problem = LogisticProblem.of(X, codes, 0.02, l1_ratio, fit_intercept=fit_intercept)
    best = solve_logistic(problem)
    rough = np.random.default_rng(seed).standard_normal((4, problem.width))
    rough[-1] *= fit_intercept
    for share in (0.0, 0.5, 0.999, 1.0):
        V = (1 - share) * rough + share * np.vstack([best.coef, best.intercept])
        gap = problem.gap(V, problem.evaluate(V))
        assert problem.objective(V) - best.objective <= gap + 1e-13


def test_integer_weights_are_copies_and_weight_scale_is_immaterial():
    X, codes = sample(k=3)
    weight = np.random.default_rng(1).integers(1, 4, len(codes)).astype(float)
    weighted = solve_logistic(LogisticProblem.of(X, codes, 0.02, weight=weight))
    copies = np.repeat(np.arange(len(codes)), weight.astype(int))
    repeated = solve_logistic(LogisticProblem.of(X[copies], codes[copies], 0.02))
    scaled = solve_logistic(LogisticProblem.of(X, codes, 0.02, weight=7.5 * weight))
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-12)
    np.testing.assert_allclose(weighted.coef, scaled.coef, atol=1e-12)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("k", [2, 3])
def test_a_path_is_its_single_fits(k, l1_ratio):
    X, codes = sample(k=k)
    base = LogisticProblem.of(X, codes, 1.0, l1_ratio)
    lams = np.array([0.003, 0.1, 0.03])
    path = logistic_path(base, lams, tol=1e-12)
    for lam, coef, intercept in zip(lams, path.coefs, path.intercepts, strict=True):
        single = solve_logistic(LogisticProblem.of(X, codes, lam, l1_ratio), tol=1e-12)
        np.testing.assert_allclose(coef, single.coef.T, atol=1e-6)
        np.testing.assert_allclose(intercept, single.intercept, atol=1e-6)
    assert np.all(path.gaps <= 1e-10)


def test_units_of_the_columns_change_nothing_but_the_coefficients():
    X, codes = sample(k=2)
    units, origin = np.array([1e-8, 1.0, 1e9, 3.0]), np.array([0.0, 1e6, 1e12, -5.0])
    plain = solve_logistic(LogisticProblem.of(X, codes))
    moved = solve_logistic(LogisticProblem.of(X * units + origin, codes))
    assert moved.objective == pytest.approx(plain.objective, rel=1e-6)
    np.testing.assert_allclose(moved.coef[:, 0] * units, plain.coef[:, 0], rtol=1e-3)


def test_dependent_and_constant_columns_leave_a_right_answer():
    X, codes = sample(k=3)
    plain = solve_logistic(LogisticProblem.of(X, codes))
    wide = solve_logistic(LogisticProblem.of(np.column_stack([X, X[:, 0], np.full(len(X), 7.0)]), codes))
    assert wide.objective == pytest.approx(plain.objective, abs=1e-12)
    assert wide.status is Status.CONVERGED


def test_stochastic_descent_comes_close_and_says_that_it_has_no_tolerance():
    X, codes = sample(k=3)
    problem = LogisticProblem.of(X, codes, 0.05, 0.5)
    best = solve_logistic(problem)
    rough = solve_logistic(problem, StochasticGradientDescent(step=0.3, epochs=60, decay=0.5, average=True))
    assert rough.status is Status.EPOCHS_DONE
    assert len(rough.history["objective"]) == 61  # the start and every epoch
    assert 0 <= rough.objective - best.objective <= min(rough.gap, 0.02)


def test_gradient_descent_with_an_l1_part_uses_its_prox():
    X, codes = sample(k=2)
    problem = LogisticProblem.of(X, codes, 0.1, 1.0)
    best = solve_logistic(problem)
    slow = solve_logistic(problem, GradientDescent(max_iter=20_000, tol=1e-8))
    np.testing.assert_allclose(slow.coef, best.coef, atol=1e-5)
    assert np.array_equal(slow.coef == 0, best.coef == 0)
    assert np.all(np.diff(slow.history["objective"]) <= 1e-15)


def test_the_choice_of_the_solver_follows_shape_and_penalty():
    X, codes = np.zeros((10, 3)), np.arange(10) % 2
    assert choose_solver(LogisticProblem.of(X, codes, 0.1)).name == "newton"
    assert choose_solver(LogisticProblem.of(X, codes, 0.1, 1.0)).name == "prox-newton"
    assert choose_solver(LogisticProblem.of(np.zeros((10, 900)), codes, 0.1)).name == "lbfgs"
    assert choose_solver(LogisticProblem.of(sparse.csr_array((10, 900)), codes, 0.1)).name == "newton-cg"


def test_a_smooth_solver_refuses_an_l1_part_and_a_path_refuses_iterations_without_end():
    problem = LogisticProblem.of(*FX4, lam=0.1, l1_ratio=1.0)
    with pytest.raises(ValueError, match="needs a smooth penalty"):
        solve_logistic(problem, "newton")
    with pytest.raises(ValueError, match="solver must be one of"):
        solve_logistic(problem, "simplex")
    with pytest.raises(ValueError, match="a path needs a solver"):
        logistic_path(problem, np.array([1.0]), "gradient")


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "lbfgs"])
def test_long_fits_say_where_they_are(solver):
    X, codes = sample(k=3)
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        solve_logistic(LogisticProblem.of(X, codes, 0.01), solver)
    assert said[0].task == solver
    assert said[-1].error < said[0].error


def hidden_outlier(n, d, size, column=7):
    """A large design with one wild entry in a row that no sample of a few hundred rows contains."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    codes = (X[:, 0] + rng.logistic(size=n) > 0).astype(int)
    plain = X.copy()
    plain[-3, column] = 0.0
    X[-3, column] = size
    return X, plain, codes


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("n", "d", "size"), [(40_000, 70, 1e10), (40_000, 70, 1e160), (90_000, 25, -1e10)]
)  # quasi-Newton steps, quasi-Newton steps, Newton steps
def test_a_wild_entry_that_hid_from_the_sample_costs_its_row_and_no_more(n, d, size):
    X, plain, codes = hidden_outlier(n, d, size)
    solution = solve_logistic(LogisticProblem.of(X, codes, 1e-3))
    best = solve_logistic(LogisticProblem.of(plain, codes, 1e-3))
    provable = abs(size) < 1e100  # beside larger entries, rounding of the gradient is all that the gap sees
    assert solution.status is (Status.CONVERGED if provable else Status.ROUNDING)
    assert solution.objective == pytest.approx(best.objective, abs=1e-4)
    np.testing.assert_allclose(np.delete(solution.coef, 7), np.delete(best.coef, 7), atol=1e-3)


def test_a_path_begins_again_where_a_wild_entry_hid_from_the_sample():
    X, _, codes = hidden_outlier(40_000, 70, 1e10)
    lams = np.array([1e-1, 1e-3])
    path = logistic_path(LogisticProblem.of(X, codes, 1.0), lams)
    assert path.status is Status.CONVERGED
    for lam, coef in zip(lams, path.coefs, strict=True):
        single = solve_logistic(LogisticProblem.of(X, codes, lam))
        np.testing.assert_allclose(coef, single.coef.T, atol=1e-6)


def test_a_short_iteration_on_tame_rows_is_not_begun_again(monkeypatch):
    X, plain, codes = hidden_outlier(40_000, 70, 1e10)
    begun = []
    real = solve.good_coordinates
    monkeypatch.setattr(solve, "good_coordinates", lambda *a, **k: begun.append(k) or real(*a, **k))
    assert solve_logistic(LogisticProblem.of(plain, codes, 1e-3), max_iter=2).status is Status.MAX_ITER
    assert begun == [{}]
    solve_logistic(LogisticProblem.of(X, codes, 1e-3), max_iter=2)
    assert begun == [{}, {}, {"always": True}]


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("lam", [1e-2, 1e-4])
def test_products_with_the_hessian_leave_hardly_any_gradient_by_default(k, lam):
    rng = np.random.default_rng(0)
    X = sparse.random_array((3000, 400), density=0.02, rng=rng, format="csr")
    problem = LogisticProblem.of(X, rng.integers(0, k, 3000), lam)
    solution = solve_logistic(problem, "newton-cg")
    assert solution.status is Status.CONVERGED
    assert solution.facts["gradient_norm"] <= 1e-8
    assert solve_logistic(problem, "newton-cg", tol=1e-4).n_iter < solution.n_iter


@pytest.mark.parametrize(("mean", "solver"), [(1e8, "auto"), (1e6, "lbfgs")])
def test_steps_that_rounding_ended_have_not_converged(mean, solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    codes = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
    stalled = solve_logistic(LogisticProblem.of(X + mean, codes, 0.01, fit_intercept=False), solver)
    assert stalled.status in (Status.ROUNDING, Status.MAX_ITER)
    assert stalled.gap > 1e-3
    loose = solve_logistic(LogisticProblem.of(X, codes, 0.01, fit_intercept=False), solver, tol=0.1)
    assert loose.status is Status.CONVERGED


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_columns_that_are_nearly_alike_are_fitted_as_what_they_span(solver, kind):
    x, z = np.random.default_rng(1).normal(size=(2, 40))
    codes = (z + 0.5 * np.sin(9 * x) > 0).astype(int)
    X = np.column_stack([x, x + 1e-7 * z])
    spanned = np.column_stack([x, (X[:, 1] - X[:, 0]) / 1e-7])
    near, far = (solve_logistic(LogisticProblem.of(kind(columns), codes), solver) for columns in (X, spanned))
    assert near.objective == pytest.approx(far.objective, rel=1e-7)
    assert near.gap < 1e-7


def test_steps_that_miss_a_direction_have_a_gap_that_knows_it():
    x, z = np.random.default_rng(1).normal(size=(2, 40))
    codes = (z + 0.5 * np.sin(9 * x) > 0).astype(int)
    found = solve_logistic(LogisticProblem.of(np.column_stack([x, x + 1e-7 * z]), codes), "gradient")
    assert found.gap > 0.1


@pytest.mark.parametrize("offset", [1.7e9, 1e11, 1e12])
@pytest.mark.parametrize(("lam", "l1_ratio"), [(0.0, 0.0), (0.01, 0.0), (0.1, 1.0)])
def test_a_gap_counts_what_rounding_the_intercept_costs_far_from_zero(offset, lam, l1_ratio):
    """The objective of the published numbers in rational arithmetic, beside that of the fit around zero."""
    rng = np.random.default_rng(3)
    origin = np.array([offset, 0.0])
    X = rng.normal(size=(40, 2)) + origin
    labels = (X[:, 0] - offset - X[:, 1] + rng.logistic(size=40) > 0).astype(int)
    near = X - origin  # exact

    def published(rows):
        solution = solve_logistic(LogisticProblem.of(rows, labels, lam=lam, l1_ratio=l1_ratio))
        w, b = [Fraction(float(one)) for one in solution.coef.ravel()], Fraction(float(solution.intercept[0]))
        scores = [float(b + sum(Fraction(float(x)) * c for x, c in zip(row, w, strict=True))) for row in rows]
        loss = math.fsum(np.logaddexp(0.0, np.where(labels == 1, -1.0, 1.0) * scores)) / len(labels)
        squares, sizes = float(sum(c * c for c in w)), float(sum(abs(c) for c in w))
        return loss + lam * (l1_ratio * sizes + (1 - l1_ratio) * squares), solution.gap

    far, gap = published(X)
    assert far - published(near)[0] <= gap + 1e-15
    assert gap < 1e-6


def test_columns_that_weights_make_nearly_alike_are_exchanged_once():
    """Weights of 1e-12 tie even the exchanged columns: the solver once called itself without end."""
    X, labels = np.array([[0.0, 0], [-1, 0], [1, 1], [-1, 2]]), np.array([1, 0, 0, 1])
    solution = solve_logistic(LogisticProblem.of(X, labels, lam=0.0, weight=np.array([1, 1e-12, 1e-12, 1])))
    assert np.all(np.isfinite(solution.coef))
