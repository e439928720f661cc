"""Whether an unpenalised fit has a maximum is asked where its last point gives reason to, and only there."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.logistic import existence
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic
from surefit.solvers.solution import Status

LINE = np.array([[0.0], [1.0], [2.0], [3.0]])


def margins(X, codes, found):
    """Score of the true class less that of each other class, all rows and pairs."""
    scores = X @ found.coef + found.intercept
    if scores.shape[1] == 1:
        return (2 * codes - 1) * scores[:, 0]
    others = np.arange(scores.shape[1]) != codes[:, None]
    return (scores[np.arange(len(codes)), codes][:, None] - scores)[others]


@pytest.mark.parametrize("solver", ["auto", "newton-cg", "lbfgs"])
@pytest.mark.parametrize("codes", [[0, 0, 1, 1], [0, 0, 1, 2]])
def test_an_unpenalised_fit_to_separated_points_says_so(solver, codes):
    solution = solve_logistic(LogisticProblem.of(LINE, np.array(codes)), solver)
    assert solution.status is Status.SEPARATED
    assert np.all(np.isfinite(solution.coef))
    assert margins(LINE, np.array(codes), solution.facts["separation"]).min() > -1e-7


def test_far_scores_alone_are_no_separation():
    X, codes = np.array([[-50.0], [-40.0], [40.0], [50.0], [-1.0], [1.0]]), np.array([0, 0, 1, 1, 1, 0])
    solution = solve_logistic(LogisticProblem.of(X, codes))
    assert solution.status is Status.CONVERGED
    assert "separation" not in solution.facts


def test_any_penalty_gives_a_minimum():
    solution = solve_logistic(LogisticProblem.of(LINE, np.array([0, 0, 1, 1]), 1e-8))
    assert solution.status is Status.CONVERGED


def test_a_light_row_separates_though_the_iteration_ended_near_by():
    """A column that is one in a single row, which weighs a thousandth of the others."""
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 300)) < 0.02).astype(float)
    X[:, -1] = 0.0
    X[5, -1] = 1.0
    codes, weight = rng.integers(0, 2, 3000), np.ones(3000)
    codes[5], weight[5] = 1, 1e-3
    problem = LogisticProblem.of(sparse.csr_array(X), codes, weight=weight)
    solution = solve_logistic(problem, "newton-cg")
    assert np.abs(X @ solution.coef + solution.intercept).max() < 12  # no score says so
    assert solution.status is Status.SEPARATED
    without = LogisticProblem.of(sparse.csr_array(X[:, :-1]), codes, weight=weight)
    assert solve_logistic(without, "newton-cg").status is Status.CONVERGED


@pytest.mark.parametrize("tol", [1e-6, 1e-4])
def test_rows_of_one_class_separate_though_a_loose_tolerance_ended_near_by(tol):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 200))
    codes = (X[:, 0] + rng.logistic(size=4000) > 0).astype(int)
    X[:, -1] = 0.0
    X[np.flatnonzero(codes)[:3], -1] = 1.0
    solution = solve_logistic(LogisticProblem.of(X, codes), "lbfgs", tol)
    assert np.abs(X @ solution.coef + solution.intercept).max() < 12
    assert solution.status is Status.SEPARATED
    assert solve_logistic(LogisticProblem.of(X[:, :-1], codes), "lbfgs", tol).status is Status.CONVERGED


def test_weights_below_rounding_do_not_hide_a_separation():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    codes, weight = (X[:, 0] + rng.logistic(size=300) > 0).astype(int), np.ones(300)
    X[:, 2] = 0.0
    few = np.flatnonzero(codes)[:3]
    X[few, 2], weight[few] = 1.0, 1e-14
    solution = solve_logistic(LogisticProblem.of(X, codes, weight=weight))
    assert solution.status is Status.SEPARATED


def test_a_loose_tolerance_asks_no_linear_programme_where_a_newton_step_proves_a_maximum(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 40))
    codes = (2 * X[:, 0] + rng.logistic(size=4000) > 0).astype(int)
    monkeypatch.setattr(existence, "separating_direction", None)  # would fail if it were called
    assert solve_logistic(LogisticProblem.of(X, codes), "lbfgs", 1e-6).status is Status.CONVERGED
