"""L1 logistic fits by working sets: right support, right gap, on Gram matrices and sparse columns.  A-31."""

import numpy as np
import pytest
from scipy import sparse

from surefit.objective import L1, Logistic
from surefit.objective.problem import Problem
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import logistic_path, solve_logistic
from surefit.solvers.logistic.sparse import proximal_newton
from surefit.solvers.solution import Status


def sparse_sample(n=300, d=120, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.05, rng=rng, format="csr", data_sampler=rng.standard_normal)
    truth = np.zeros(d)
    truth[:10] = 3.0
    codes = (rng.random(n) < 1 / (1 + np.exp(-(X @ truth)))).astype(int)
    return X, codes


@pytest.mark.parametrize("sweeps", [100, 1])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sweeps_and_gram_matrices_agree_with_the_general_solver(sweeps, fit_intercept, monkeypatch):
    monkeypatch.setattr(limits, "FEW_SWEEPS", sweeps)
    monkeypatch.setattr(limits, "SWEEPS", sweeps)
    X, codes = sparse_sample()
    solution = solve_logistic(LogisticProblem.of(X, codes, 0.01, 1.0, fit_intercept=fit_intercept), tol=1e-9)
    general = minimise(
        Problem(X.toarray(), 2.0 * codes - 1, Logistic(), L1(), 0.01, fit_intercept=fit_intercept), tol=1e-10
    )
    assert solution.status is Status.CONVERGED
    assert solution.objective == pytest.approx(general.objective, abs=1e-9)
    np.testing.assert_allclose(solution.coef[:, 0], general.coef, atol=1e-3)


def test_above_the_largest_lam_no_coefficient_is_left_and_below_one_is():
    X, codes = sparse_sample()
    base = LogisticProblem.of(X, codes, 1.0, 1.0)
    top = np.abs(base.evaluate(base.null_point()).slope[:-1]).max()
    assert np.count_nonzero(solve_logistic(LogisticProblem.of(X, codes, 1.0001 * top, 1.0)).coef) == 0
    assert np.count_nonzero(solve_logistic(LogisticProblem.of(X, codes, 0.99 * top, 1.0)).coef) == 1


@pytest.mark.parametrize("l1_ratio", [0.4, 1.0])
def test_several_classes_meet_the_optimality_conditions(l1_ratio):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 12))
    codes = np.argmax(X[:, :3] * 2 + rng.gumbel(size=(150, 3)), axis=1)
    lam = 0.02
    solution = solve_logistic(LogisticProblem.of(X, codes, lam, l1_ratio), tol=1e-12)
    q = LogisticProblem.of(X, codes).probabilities(np.vstack([solution.coef, solution.intercept]))
    q[np.arange(150), codes] -= 1
    slope = X.T @ q / 150 + 2 * lam * (1 - l1_ratio) * solution.coef
    active = solution.coef != 0
    np.testing.assert_allclose(slope[active], -lam * l1_ratio * np.sign(solution.coef[active]), atol=1e-7)
    assert np.all(np.abs(slope[~active]) <= lam * l1_ratio + 1e-9)
    np.testing.assert_allclose(q.sum(axis=0), 0.0, atol=1e-9)


def test_more_columns_than_rows_converge():
    X, codes = sparse_sample(60, 500)
    for lam in (0.02, 0.002):
        solution = solve_logistic(LogisticProblem.of(X.toarray(), codes, lam, 1.0), tol=1e-8)
        assert solution.status is Status.CONVERGED
        assert solution.gap <= 1e-8


@pytest.mark.parametrize("share", [0.1, 0.03])
def test_more_columns_than_rows_are_solved_however_slowly_the_gap_falls(share):
    """Hundreds of cheap rounds, in each of which the gap falls by a little: none of them is idle."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((2000, 3000), density=0.005, rng=rng, format="csr", data_sampler=rng.standard_normal)
    truth = np.zeros(3000)
    truth[:50] = 3 * rng.standard_normal(50)
    codes = (X @ truth + rng.logistic(size=2000) > 0).astype(int)
    largest = np.max(np.abs(X.T @ (codes - codes.mean()))) / 2000
    solution = solve_logistic(LogisticProblem.of(X, codes, share * largest, 1.0), tol=3e-11)  # of the null objective
    assert solution.status is Status.CONVERGED
    assert solution.gap <= 1e-10 * solution.objective


@pytest.mark.parametrize("kind", ["plain", "intercept", "weights", "elastic"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_gap_of_a_sparse_path_bounds_the_distance_to_a_solution_of_high_precision(kind, seed, plain):
    n, d = (200, 150) if plain else (400, 300)
    X, codes = sparse_sample(n, d, seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, n).astype(float) if kind == "weights" else np.ones(n)
    ratio = 0.7 if kind == "elastic" else 1.0
    base = LogisticProblem.of(X, codes, 1.0, ratio, weight, fit_intercept=kind != "plain")
    lams = np.abs(base.evaluate(base.null_point()).slope[:-1]).max() / ratio * np.logspace(-1.7, 0, 6 if plain else 12)
    path = logistic_path(base, lams, tol=1e-6)
    assert path.status is Status.CONVERGED
    for lam, coef, intercept, gap in zip(lams, path.coefs, path.intercepts, path.gaps, strict=True):
        problem = base.with_penalty(lam * base.absolute, lam * base.square)
        reference = solve_logistic(problem, tol=1e-13)
        assert reference.gap <= 1e-13 * problem.null_value()
        excess = problem.objective(np.vstack([coef.T, intercept])) - reference.objective
        assert -1e-13 <= excess <= gap <= 1e-6 * problem.null_value()


def test_penalty_weights_of_columns_are_kept_apart():
    X, codes = sparse_sample(300, 150, 4)
    plain = LogisticProblem.of(X, codes, 0.01, 1.0)
    factor = np.random.default_rng(4).uniform(0.3, 3.0, 150)
    weighted = solve_logistic(plain.with_penalty(plain.absolute * factor, plain.square), tol=1e-12)
    scaled = solve_logistic(LogisticProblem.of((X / factor).tocsr(), codes, 0.01, 1.0), tol=1e-12)
    np.testing.assert_allclose(weighted.coef[:, 0], scaled.coef[:, 0] / factor, atol=1e-7)


def test_a_run_that_knows_what_the_one_before_saw_ends_where_it_would_without():
    X, codes = sparse_sample(500, 200, 5)
    base = LogisticProblem.of(X, codes, 1.0, 0.8)
    first = base.with_penalty(0.02 * base.absolute, 0.02 * base.square)
    second = base.with_penalty(0.015 * base.absolute, 0.015 * base.square)
    before = proximal_newton(first, base.null_point(), 1e-10, 100)
    knowing, alone = (proximal_newton(second, before.V, 1e-10, 100, known) for known in (before, None))
    assert knowing.settled
    assert knowing.objectives == pytest.approx(alone.objectives, rel=1e-12)
    np.testing.assert_allclose(knowing.V, alone.V, atol=1e-9)


def test_columns_that_depend_on_each_other_are_solved_by_newton_steps_where_sweeps_crawl():
    """Forty directions in four hundred columns: sweeps alone would need thousands of rounds."""
    rng = np.random.default_rng(1)
    few = sparse.random_array((1500, 40), density=0.03, rng=rng, format="csr", data_sampler=rng.standard_normal)
    mix = sparse.random_array((40, 400), density=0.08, rng=rng, format="csr", data_sampler=rng.standard_normal)
    noise = sparse.random_array((1500, 400), density=0.005, rng=rng, format="csr", data_sampler=rng.standard_normal)
    X = (few @ mix + 0.3 * noise).tocsr()
    codes = (np.asarray(X[:, :20].sum(axis=1)).ravel() + rng.logistic(size=1500) > 0).astype(int)
    top = np.max(np.abs(X.T @ (codes - codes.mean()))) / 1500
    solution = solve_logistic(LogisticProblem.of(X, codes, 0.002 * top, 1.0))
    assert solution.status is Status.CONVERGED
    assert solution.gap <= 1e-10 * solution.objective


def test_three_balanced_classes_of_noise_are_solved_though_the_gap_lies_far_above_the_excess():
    X, codes = np.random.default_rng(0).standard_normal((90, 7)), np.arange(90) % 3
    solution = solve_logistic(LogisticProblem.of(X, codes, 0.08, 1.0))
    assert solution.status is Status.CONVERGED
    assert solution.objective == pytest.approx(1.09804736, abs=5e-9)


def test_one_column_of_zeros_and_ones_is_solved_from_a_cold_start():
    rng = np.random.default_rng(0)
    X, codes = rng.integers(0, 2, (99, 1)).astype(float), rng.integers(0, 4, 99)
    solution = solve_logistic(LogisticProblem.of(X, codes, 1e-5, 1.0))
    assert solution.status is Status.CONVERGED
    assert solution.gap <= 1e-10


@pytest.mark.parametrize(("k", "seed"), [(2, 1), (3, 32), (5, 10), (5, 44), (4, 0), (4, 1)])
def test_noise_with_balanced_classes_converges(k, seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(30, 200)), int(rng.integers(1, 30))
    X = rng.standard_normal((n, d))
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    weight = (1 / np.bincount(codes))[codes]
    problem = LogisticProblem.of(X, codes, 10 ** rng.uniform(-5, -1), 1.0, weight)
    solution = solve_logistic(problem)
    assert solution.status is Status.CONVERGED
    assert solution.gap <= 1e-10 * problem.null_value()
