"""The ladder of active sets: the same answer as one rung, limits, rounding."""

from types import SimpleNamespace

import numpy as np
import pytest

from surefit.kernels.library import Gaussian
from surefit.objective import EpsilonInsensitive
from surefit.solvers.solution import Status
from surefit.solvers.support_vectors import ladder, limits
from surefit.solvers.support_vectors.gram_store import GramStore
from surefit.solvers.support_vectors.ladder import Budget, active_points
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.solvers.support_vectors.solve import solve_dual

TIGHT = Budget(1e-11, 10**6, np.inf, 1e9)


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(n)


def ladder_problem(n=500, C=10.0):
    X, y = sample(n, seed=5)
    return SupportVectorProblem(Gaussian(1.0), X, y, np.ones(n), EpsilonInsensitive(0.05), 1 / (2 * n * C))


@pytest.mark.parametrize("memory", [1e9, 2 * 150**2])
@pytest.mark.parametrize("working", [0.3, 1.0])
def test_the_ladder_finds_what_one_rung_finds(monkeypatch, memory, working):
    problem = ladder_problem()
    whole = solve_dual(problem, TIGHT)
    monkeypatch.setattr(limits, "SMALL", 50)
    monkeypatch.setattr(limits, "WORKING", working)
    found = solve_dual(problem, Budget(1e-6, 10**6, np.inf, memory))
    assert found.status is Status.CONVERGED
    assert found.facts["rungs"] > 3
    assert found.facts["violation"] <= 1e-6 * problem.spread
    assert found.objective == pytest.approx(whole.objective, abs=1e-6)
    assert found.gap >= found.objective - whole.objective


def test_the_most_demanding_points_are_active_if_room_is_short():
    at_least, at_most = np.array([3.0, 0, -5, -np.inf]), np.array([np.inf, 4.0, 1.0, -2.0])
    active, whole = active_points((at_least, at_most), 0.5, 5.0, 2)
    assert (active.tolist(), whole) == ([0, 3], False)
    assert active_points((at_least, at_most), 0.5, 5.0, 9) == (pytest.approx(np.arange(4)), True)


def test_a_time_limit_gives_a_feasible_answer_with_its_gap(monkeypatch):
    monkeypatch.setattr(limits, "CHUNK", 1.0)
    problem = ladder_problem()
    found = solve_dual(problem, Budget(1e-9, 10**6, 1e-9, 1e9))
    assert found.status is Status.TIME_LIMIT
    assert found.gap >= found.objective - solve_dual(problem, TIGHT).objective
    assert np.max(np.abs(found.coef)) <= 10.0


class Clock:
    """Seconds that pass only with kernel values and steps, at a known price each."""

    def __init__(self, monkeypatch, price):
        self.now = 0.0
        product, gram, steps = GramStore.times, GramStore.gram, ladder.pair_steps

        def times(store, X, Z, beta, dtype=np.float64):
            self.now += price * len(X) * (20 + len(Z)) * (1.0 if dtype is np.float64 else 0.5)
            return product(store, X, Z, beta, dtype)

        def entries(store, X, storage):
            self.now += 4 * price * len(X) ** 2
            return gram(store, X, storage)

        def taking(K, *others):
            taken, violation = steps(K, *others)
            self.now += 0.1 * price * taken * len(K)
            return taken, violation

        monkeypatch.setattr(GramStore, "times", times)
        monkeypatch.setattr(GramStore, "gram", entries)
        monkeypatch.setattr(ladder, "pair_steps", taking)
        monkeypatch.setattr(limits, "CHUNK", 1e5)
        monkeypatch.setattr(ladder, "time", SimpleNamespace(perf_counter=lambda: self.now))


@pytest.mark.parametrize("limit", [1.0, 3.0, 10.0, 30.0])
def test_the_closing_evaluation_is_within_the_time_limit(monkeypatch, limit):
    """An evaluation of all points takes 6 s here, their Gram matrix 25 s: what is spent must be chosen beforehand."""
    clock, problem = Clock(monkeypatch, price=1e-6), ladder_problem(2500)
    monkeypatch.setattr(limits, "SMALL", 50)
    monkeypatch.setattr(limits, "PROBE_ROWS", 500)
    monkeypatch.setattr(limits, "PROBE_POINTS", 20)
    found = solve_dual(problem, Budget(1e-9, 10**7, limit, 1e9, started=0.0))
    assert 0.4 * limit < clock.now <= limit
    assert found.status is Status.TIME_LIMIT
    assert found.facts["rungs"] >= 1
    exact = problem.kernel.gram(problem.X) @ found.coef
    risk = np.mean(problem.loss.value(problem.y, exact + found.intercept))
    assert found.objective == pytest.approx(risk + problem.lam * found.coef @ exact, rel=1e-12)


def test_more_time_is_not_lost(monkeypatch):
    clock, problem = Clock(monkeypatch, price=1e-6), ladder_problem(2500)
    monkeypatch.setattr(limits, "SMALL", 50)
    found = []
    for limit in (3.0, 30.0, 300.0):
        clock.now = 0.0
        found.append(solve_dual(problem, Budget(1e-6, 10**7, limit, 1e9, started=0.0)))
    assert found[0].gap > found[1].gap > found[2].gap
    assert found[2].status is Status.CONVERGED


def test_without_time_for_anything_the_answer_is_zero_at_once(monkeypatch):
    clock, problem = Clock(monkeypatch, price=1e-3), ladder_problem(2500)
    found = solve_dual(problem, Budget(1e-9, 10**7, 1.0, 1e9, started=0.0))
    assert found.status is Status.TIME_LIMIT
    assert not np.any(found.coef)
    assert clock.now < 2e-3 * 2500 * (limits.PROBE_POINTS + 60)


def test_a_tolerance_below_rounding_ends(monkeypatch):
    monkeypatch.setattr(limits, "SMALL", 50)
    found = solve_dual(ladder_problem(200), Budget(1e-300, 10**6, np.inf, 1e9))
    assert found.status is Status.MAX_ITER
    assert found.gap < 1e-9
