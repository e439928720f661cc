"""Any loss with absolute values in its penalty is solved on few columns and judged on all.  Catalogue A-16, A-22."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from surefit.objective import L1, Absolute, ElasticNet, Huber, Logistic, Pinball, Problem
from surefit.solvers.any_loss import limits, solve
from surefit.solvers.any_loss.few_columns import has_few_columns
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.solution import Status


def table(n=60, d=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-2, 2, d)
    return X, X[:, :3] @ (1 / X[:, :3].std(axis=0)) + rng.standard_normal(n)


@pytest.fixture
def sizes(monkeypatch):
    """Columns of every problem that a solver was given."""
    seen = []

    def solved(problem, *given, original=solve._solved, **named):
        seen.append(problem.X.shape[1])
        return original(problem, *given, **named)

    monkeypatch.setattr(solve, "_solved", solved)
    return seen


@pytest.mark.parametrize(
    ("loss", "penalty", "lam"),
    [
        (Huber(0.5), L1(), 0.2),
        (Huber(0.5), ElasticNet(0.5), 0.02),
        (Absolute(), L1(), 0.2),
        (Pinball(0.3), L1(), 0.1),
        (Logistic(), L1(), 0.1),
    ],
    ids=str,
)
def test_few_columns_lead_to_the_answer_of_all(loss, penalty, lam, sizes, monkeypatch):
    X, y = table(40, 250)
    y = np.sign(y) if isinstance(loss, Logistic) else y
    problem = Problem(X, y, loss, penalty, lam, np.linspace(0.5, 1.5, len(y)))
    few = minimise(problem, tol=1e-9)
    again = minimise(replace(problem, X=sparse.csr_array(X)), tol=1e-9)
    assert max(sizes) < 125
    monkeypatch.setattr(solve, "has_few_columns", lambda problem: False)
    full = minimise(problem, tol=1e-9)
    assert few.status is again.status is full.status is Status.CONVERGED
    assert again.objective == pytest.approx(few.objective, rel=1e-7)
    assert few.objective == pytest.approx(full.objective, rel=1e-7)
    assert problem.primal(few.coef, few.intercept) == pytest.approx(few.objective, rel=1e-9)


def test_a_penalty_that_leaves_most_columns_ends_with_all_of_them(sizes):
    X, y = table(300, 120)
    solution = minimise(Problem(X, y, Huber(0.5), L1(), 1e-6), tol=1e-8)
    assert sizes[-1] == 120
    assert solution.status is Status.CONVERGED


def test_steps_are_counted_and_limited_over_all_rounds(sizes):
    X, y = table()
    free = minimise(Problem(X, y, Huber(0.5), L1(), 0.05), "prox-newton")
    assert len(sizes) > 1
    assert free.n_iter == len(free.history["objective"])
    held = minimise(Problem(X, y, Huber(0.5), L1(), 0.05), "prox-newton", max_iter=2)
    assert held.n_iter == 2
    assert held.status is Status.MAX_ITER
    assert held.objective - free.objective <= held.gap


def test_only_absolute_values_leave_columns_out():
    X, y = table()
    assert has_few_columns(Problem(X, y, Huber(), L1(), 0.1))
    assert not has_few_columns(Problem(X, y, Huber(), L1(), 0.0))
    assert not has_few_columns(Problem(X, y, Huber(), ElasticNet(0.0), 0.1))
    assert not has_few_columns(Problem(X[:, : 2 * limits.FIRST_COLUMNS], y, Huber(), L1(), 0.1))


def test_the_dual_point_of_the_rows_does_not_travel_with_the_answer():
    X, y = table(30, 5)
    assert "dual" not in minimise(Problem(X, y, Absolute(), L1(), 0.1)).facts
