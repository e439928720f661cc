"""Conflicts are infeasible groups, and covers of them bound the fewest mistakes from below."""

import time

import numpy as np

from surefit.solvers.halfspaces.conflicts import Conflicts
from surefit.solvers.halfspaces.hull import nearest_hull_point
from surefit.solvers.halfspaces.plane_sweep import best_direction
from surefit.solvers.halfspaces.separability import direction_or_conflict


def cloud(seed, n=25, d=3):
    rows = np.random.default_rng(seed).standard_normal((n, d)) + np.eye(d)[0] * 0.7
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_conflicts_are_disjoint_small_and_infeasible_and_the_rest_is_separable():
    rows = cloud(0)
    conflicts = Conflicts(rows, np.ones(25))
    separator = conflicts.extend(np.ones(25, dtype=bool), time.perf_counter() + 60)
    together = np.concatenate(conflicts.groups)
    assert len(set(together)) == len(together)
    for group in conflicts.groups:
        assert len(group) <= 4
        assert direction_or_conflict(rows[group])[0] is None
    assert np.all(np.delete(rows, together, axis=0) @ separator > 0)


def test_the_cheapest_cover_is_a_lower_bound_that_grows_to_the_optimum():
    """A-36, T-59: covering conflicts, round by round, against all cells."""
    rows = cloud(1)
    cost = np.random.default_rng(2).integers(1, 4, 25).astype(float)
    least, _, _ = best_direction(rows, cost)
    conflicts, bounds = Conflicts(rows, cost), []
    for _ in range(200):
        bound, cover = conflicts.cheapest_cover(60.0)
        bounds.append(bound)
        known = len(conflicts.groups)
        conflicts.extend(~cover, time.perf_counter() + 60)
        if len(conflicts.groups) == known:
            break
    assert np.all(np.array(bounds) <= least + 1e-6)
    assert np.all(np.diff(bounds) >= -1e-6)
    assert abs(bounds[-1] - least) < 1e-6


def test_without_time_nothing_is_claimed():
    conflicts = Conflicts(cloud(3), np.ones(25))
    assert conflicts.extend(np.ones(25, dtype=bool), time.perf_counter() - 1) is None
    assert conflicts.groups == []
    assert conflicts.cheapest_cover(1.0)[0] == 0


def test_no_conflict_is_claimed_where_the_time_is_up(monkeypatch):
    """The hull is asked about only while there is time; one that was cut short must not look like a conflict."""
    conflicts, asked = Conflicts(cloud(0), np.ones(25)), []

    def cut_short(rows, deadline):
        asked.append(deadline)
        return nearest_hull_point(rows, deadline=0.0)

    monkeypatch.setattr("surefit.solvers.halfspaces.conflicts.nearest_hull_point", cut_short)
    deadline = time.perf_counter() + 60
    assert conflicts.extend(np.ones(25, dtype=bool), deadline) is None
    assert asked == [deadline]
    assert conflicts.groups == []
