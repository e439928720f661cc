"""Sweeps of planes against brute force over angles; all cells against random directions."""

import time
from itertools import combinations, product

import numpy as np
import pytest

from surefit.solvers.halfspaces import plane_sweep
from surefit.solvers.halfspaces.plane_sweep import best_direction, sweep_planes, sweep_work, tilted
from surefit.solvers.halfspaces.separability import direction_or_conflict


def mistakes(rows, cost, w):
    return cost[rows @ w <= 0].sum()


@pytest.mark.parametrize("seed", range(10))
def test_a_sweep_finds_the_best_of_many_angles(seed):
    """A-36: 20000 angles cannot beat the sweep, and the direction returned has the cost returned."""
    rng = np.random.default_rng(seed)
    rows, cost = rng.standard_normal((15, 4)), rng.uniform(0.5, 2, 15)
    planes = np.linalg.qr(rng.standard_normal((3, 4, 2)))[0]
    costs, headings, vanishing = sweep_planes(rows, cost, planes)
    angles = np.linspace(0, 2 * np.pi, 20000)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    for plane, least, heading in zip(planes, costs, headings, strict=True):
        tried = (cost[:, None] * (rows @ plane @ circle <= 0)).sum(axis=0)
        assert least <= tried.min() + 1e-12
        assert mistakes(rows, cost, heading) == pytest.approx(least)
    assert not vanishing.any()


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_no_random_direction_beats_all_cells(d):
    rng = np.random.default_rng(d)
    rows, cost = rng.standard_normal((14, d)), np.ones(14)
    least, direction, complete = best_direction(rows, cost)
    tried = (rows @ rng.standard_normal((d, 20000)) <= 0).sum(axis=0)
    assert complete
    assert least == mistakes(rows, cost, direction) <= tried.min()


def test_rows_that_vanish_together_are_a_smaller_problem():
    """A grid on which many rows share a plane; no two mistakes leave the rest separable, by LP over all pairs."""
    grid = np.array([[i, j, 1.0] for i in (-1, 0, 1) for j in (-1, 0, 1)])
    signs = np.where(np.abs(grid[:, 0]) == np.abs(grid[:, 1]), 1.0, -1.0)  # a cross against a plus
    rows = grid * signs[:, None]
    least, direction, _ = best_direction(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.ones(9))
    assert least == np.sum(rows @ direction <= 0) == 3
    assert all(direction_or_conflict(np.delete(rows, pair, axis=0))[0] is None for pair in combinations(range(9), 2))


def test_a_passed_deadline_ends_the_search_and_says_so():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 5))
    assert sweep_work(60, 5) == 34220 * 60
    _, _, complete = best_direction(rows, np.ones(60), deadline=time.perf_counter())
    assert not complete


def test_a_search_that_left_rows_on_a_plane_unsettled_was_not_complete(monkeypatch):
    corners = np.array([[*signs, 1.0] for signs in product((-1.0, 0.0, 1.0), repeat=3)])
    rows = corners * np.random.default_rng(0).choice([-1.0, 1.0], len(corners))[:, None]
    least, direction, complete = best_direction(rows, np.ones(27))
    assert complete
    settled, deadlines = plane_sweep._on_the_plane, set()

    def hurried(rows, cost, vanishing, deadline):
        deadlines.add(deadline)
        return *settled(rows, cost, vanishing, deadline)[:2], False

    monkeypatch.setattr(plane_sweep, "_on_the_plane", hurried)
    again, same, complete = best_direction(rows, np.ones(27), deadline=1e300)
    assert (again, same.tolist(), complete) == (least, direction.tolist(), False)
    assert deadlines == {1e300}


def test_the_work_of_large_problems_is_infinite_and_no_error():
    assert sweep_work(200_000, 101) == np.inf


def test_a_tilt_moves_no_row_that_was_off_the_plane():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.standard_normal((20, 3)), [[0.0, 0, 1]]])
    moved = tilted(rows, np.array([1.0, 0, 0]), np.array([5.0, 5, 5]))
    np.testing.assert_array_equal(np.sign(rows[:-1] @ moved), np.sign(rows[:-1, 0]))
    assert rows[-1] @ moved > 0
