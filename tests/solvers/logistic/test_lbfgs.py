"""Few evaluations, however the columns are correlated, and the same minimum as Newton's.  Catalogue A-29, A-30."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.logistic import lbfgs as logistic_lbfgs
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.lbfgs import in_single, lbfgs
from surefit.solvers.logistic.metric import diagonal_metric
from surefit.solvers.logistic.newton import newton
from surefit.solvers.logistic.problem import LogisticProblem


def autoregressive(n, d, k, rho=0.9, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    scores = X @ rng.standard_normal((d, k))
    return X, np.argmax(2 * scores / scores.std() + rng.gumbel(size=scores.shape), axis=1)


@pytest.mark.parametrize(("k", "most"), [(2, 12), (5, 40)])
def test_correlated_columns_cost_few_evaluations_to_nine_digits(k, most):
    X, codes = autoregressive(3000, 30, k)
    problem = LogisticProblem.of(X, codes, 1 / 6000)
    best = newton(problem, problem.null_point(), 0.0, 50)
    run = lbfgs(problem, problem.null_point(), 1e-9, 500)
    assert run.settled
    assert len(run.errors) <= most
    assert problem.objective(run.V) / problem.objective(best.V) - 1 <= 1e-9


@pytest.fixture
def built(monkeypatch):
    """Metrics that were built although they are not cheap."""
    built = []
    monkeypatch.setattr(logistic_lbfgs, "_cheap", lambda problem: False)
    original = logistic_lbfgs.single_metric
    monkeypatch.setattr(logistic_lbfgs, "single_metric", lambda *given: built.append("single") or original(*given))
    return built


def test_a_metric_that_is_dear_is_built_once_the_pace_is_slow(monkeypatch, built):
    monkeypatch.setattr(logistic_lbfgs, "entangled", lambda problem: False)
    for rho, expected in ((0.0, []), (0.9, ["single"])):
        X, codes = autoregressive(4000, 60, 2, rho)
        problem = LogisticProblem.of(X, codes, 1e-4)
        assert lbfgs(problem, problem.null_point(), 1e-8, 500).settled
        assert built == expected


def test_correlated_columns_get_their_metric_before_the_first_step(built):
    X, codes = autoregressive(4000, 60, 2)
    problem = LogisticProblem.of(X, codes, 1e-4)
    run = lbfgs(problem, problem.null_point(), 1e-8, 500)
    assert run.settled
    assert built == ["single"]
    assert len(run.errors) <= 14


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("copied", [False, True])
def test_the_default_tolerance_leaves_hardly_any_gradient(monkeypatch, k, copied):
    if copied:
        monkeypatch.setattr(limits, "WORTH_SINGLE", 1)
    X, codes = autoregressive(3000, 30, k)
    problem = LogisticProblem.of(X, codes, 1 / 6000)
    run = lbfgs(problem, problem.null_point(), 1e-10, 500)
    assert run.settled
    assert np.linalg.norm(problem.evaluate(run.V).gradient) <= 1e-8


def test_many_rows_start_from_a_sample_of_them(monkeypatch):
    monkeypatch.setattr(limits, "START_ROWS", (100, 500))
    X, codes = autoregressive(5000, 5, 2)
    problem = LogisticProblem.of(X, codes, 1e-4)
    run = lbfgs(problem, problem.null_point(), 1e-9, 100)
    best = newton(problem, problem.null_point(), 0.0, 50)
    assert run.objectives[0] < problem.null_value() - 0.5 * (problem.null_value() - problem.objective(best.V))
    assert problem.objective(run.V) / problem.objective(best.V) - 1 <= 1e-9


def test_a_misleading_sample_is_not_trusted(monkeypatch):
    monkeypatch.setattr(limits, "START_ROWS", (50, 50))
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((5000, 1)), (np.arange(5000) // 3) % 2
    X[::100] = 50.0 * (2 * codes[::100, None] - 1)  # the rows that the sample sees lie
    X[1::100] = -50.0 * (2 * codes[1::100, None] - 1)
    problem = LogisticProblem.of(X, codes, 1e-4)
    run = lbfgs(problem, problem.null_point(), 1e-9, 200)
    assert run.objectives[0] <= problem.null_value() + 1e-12
    best = newton(problem, problem.null_point(), 0.0, 50)
    assert problem.objective(run.V) == pytest.approx(problem.objective(best.V), rel=1e-9)


def test_zero_columns_do_not_stop_the_diagonal_metric():
    problem = LogisticProblem.of(sparse.csr_array((6, 3)), np.arange(6) % 2)
    G = np.ones((4, 1))
    assert np.all(np.isfinite(diagonal_metric(problem)(G)))
    assert lbfgs(problem, problem.null_point(), 1e-9, 50).settled


@pytest.mark.parametrize("k", [2, 4])
def test_single_precision_hands_over_to_double(monkeypatch, k):
    monkeypatch.setattr(limits, "WORTH_SINGLE", 1)
    X, codes = autoregressive(3000, 30, k)
    problem = LogisticProblem.of(X, codes, 1 / 6000)
    assert in_single(problem).X.dtype == np.float32
    best = newton(problem, problem.null_point(), 0.0, 50)
    run = lbfgs(problem, problem.null_point(), 1e-12, 500)  # more digits than single precision has
    assert run.settled
    assert problem.objective(run.V) / problem.objective(best.V) - 1 <= 1e-12
    assert run.at.value == problem.evaluate(run.V).value


def test_a_run_cut_short_in_single_precision_does_not_report_its_values(monkeypatch):
    monkeypatch.setattr(limits, "WORTH_SINGLE", 1)
    X, codes = autoregressive(500, 10, 2)
    problem = LogisticProblem.of(X, codes, 1e-3)
    run = lbfgs(problem, problem.null_point(), 1e-9, 2)
    assert not run.settled
    assert run.at is None


def test_a_tolerance_below_rounding_does_not_keep_single_precision_busy(monkeypatch):
    monkeypatch.setattr(limits, "WORTH_SINGLE", 1)
    X, codes = autoregressive(3000, 30, 2)
    problem = LogisticProblem.of(X, codes, 1 / 6000)
    run = lbfgs(problem, problem.null_point(), 1e-20, 2000)
    best = newton(problem, problem.null_point(), 0.0, 50)
    assert len(run.errors) < 200
    assert problem.objective(run.V) / problem.objective(best.V) - 1 <= 1e-13


def test_numbers_too_large_for_single_precision_are_left_in_double(monkeypatch):
    monkeypatch.setattr(limits, "WORTH_SINGLE", 1)
    X, codes = autoregressive(300, 3, 2)
    plain = LogisticProblem.of(X, codes, 1e-2)
    unit = 2.0**140
    problem = dataclasses.replace(plain, X=X * unit, square=plain.square * unit**2)
    run = lbfgs(problem, problem.null_point(), 1e-9, 500)
    best = newton(plain, plain.null_point(), 0.0, 50)
    assert problem.objective(run.V) == pytest.approx(plain.objective(best.V), rel=1e-8)
