"""Layer solvers: the linear classifier with the fewest mistakes, exactly, or with a proven bound when time is up.

In: a dense matrix, labels -1 or +1, weights, a time limit.  Out: a record with the classifier, its mistakes, and a
lower bound for every other.  No polynomial algorithm exists for this problem, nor one that is always within a constant
factor (unless P = NP; Catalogue T-58, T-59, C-07), so the record says what was proven and not more.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.scale import power_of_two
from surefit.objective.margin import Logistic
from surefit.objective.penalty import SquaredL2
from surefit.objective.problem import Problem
from surefit.parameters import number
from surefit.progress import Task, worked
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.halfspaces import limits
from surefit.solvers.halfspaces.conflicts import Conflicts
from surefit.solvers.halfspaces.hull import nearest_hull_point
from surefit.solvers.halfspaces.plane_sweep import ZERO, best_direction, sweep_planes, sweep_work, tilted
from surefit.solvers.halfspaces.signed_rows import SignedRows, checked_signs


@dataclass(frozen=True, eq=False)
class Disagreement:
    """A linear classifier, the weight of the rows with ``t (coef . x + intercept) <= 0``, and a bound for all others.

    ``lower_bound <= least possible <= errors``; ``optimal`` says that they meet.  ``method`` is ``"cells"`` (all were
    visited), ``"conflicts"`` (integer programme) or ``"separable"``.
    """

    coef: np.ndarray
    intercept: float
    errors: float
    lower_bound: float
    total_weight: float
    method: str
    seconds: float

    @property
    def optimal(self) -> bool:
        return self.errors <= self.lower_bound * (1 + 1e-9)

    @property
    def risk(self) -> float:
        """The share of mistakes, ``errors / total_weight``."""
        return self.errors / self.total_weight

    def at_most(self, k: float) -> bool:
        """Is there a linear classifier with at most ``k`` mistakes?  An error if the time did not suffice to know.

        Catalogue A-36, T-58: a yes comes with its classifier, which anybody can check.
        """
        if self.errors <= k:
            return True
        if self.lower_bound > k:
            return False
        raise ValueError(f"between {self.lower_bound:g} and {self.errors:g} mistakes are possible; raise time_limit")


@worked("fewest mistakes")
def min_disagreement(
    X: Any, labels: Any, sample_weight: Any = None, *, fit_intercept: bool = True, time_limit: float = 30.0
) -> Disagreement:
    """The linear classifier with the fewest mistakes: ``min #{i : t_i (w . x_i + b) <= 0}``.  Catalogue A-36, T-59.

    ``X`` (n, d), labels -1 or +1; with ``sample_weight`` the weight of the mistakes.  In few dimensions every cell of
    the arrangement is visited (about ``n**d log(n)`` steps with an intercept); otherwise contradicting rows are
    collected and covered by an integer programme until the time limit in seconds.  Products below 1e-10 (in scaled
    units) count as 0.  The rows that are right get the largest margin that they allow in scaled units, if the time
    suffices to find it.

    >>> xor = min_disagreement([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    >>> xor.errors, xor.lower_bound, xor.optimal, xor.at_most(0)
    (1.0, 1.0, True, False)
    """
    start = time.perf_counter()
    if not number("time_limit", time_limit, "one second gives an incumbent") > 0:
        raise ValueError(f"time_limit must be > 0 seconds, got {time_limit!r}; one second gives an incumbent")
    X, t = checked_signs(X, labels)
    design = Design.of(X, sample_weight)
    counted = design.weight > 0
    X, t, weight = X[counted], t[counted], design.weight[counted]
    cloud = SignedRows.of(X, t, fit_intercept)
    rows, cost, space, lost = _distinct(cloud.rows, weight)
    unit = min(float(power_of_two(np.min(cost, initial=1.0))), 1.0)  # so that every row costs more than rounding
    direction, bound, method = _solved(rows, cost / unit, start + limits.SEARCH * time_limit)
    if method != "separable":
        direction = _settled(rows, cost, direction, start + time_limit)
    coef, intercept = cloud.separator(_off_the_plane(cloud.rows, direction @ space))
    errors = float(weight[t * (X @ coef + intercept) <= 0].sum())
    lower = min(errors, max(lost + unit * bound - _rounding(weight), 0.0))
    return Disagreement(coef, intercept, errors, lower, float(weight.sum()), method, time.perf_counter() - start)


def _distinct(rows: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Distinct rows in coordinates of the space they span, their net cost, that space (r, d), and the cost lost anyway.

    Equal rows add up; of a row and its opposite one is always wrong, so only the difference is at stake; a row of
    zeros is on nobody's side.
    """
    leading = np.argmax(rows != 0, axis=1)
    sign = np.sign(rows[np.arange(len(rows)), leading])
    lines, place = np.unique(rows * sign[:, None] + 0.0, axis=0, return_inverse=True)
    net = np.bincount(place.ravel(), weight * sign, len(lines))
    gross = np.bincount(place.ravel(), weight * np.abs(sign), len(lines))
    at_stake = np.abs(net) > 1e-12 * gross
    rows, cost = lines[at_stake] * np.sign(net[at_stake])[:, None], np.abs(net[at_stake])
    lost = float(weight[sign == 0].sum()) + 0.5 * float(np.sum(gross - np.abs(net)))
    _, lengths, space = np.linalg.svd(np.linalg.qr(rows, mode="r"), full_matrices=False)
    space = space[lengths > ZERO * lengths.max(initial=0.0)]
    return rows @ space.T, cost, space, lost


def _rounding(weight: np.ndarray) -> float:
    """How much sums of these weights may be off: nothing for counts."""
    total = float(weight.sum())
    exact = total < 2.0**53 and bool(np.all(weight == np.round(weight)))
    return 0.0 if exact else len(weight) * np.finfo(float).eps * total


def _off_the_plane(rows: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """A direction on which no row vanishes (but rows of zeros): of two that contradict each other one is then right."""
    if np.all(np.abs(rows @ direction) > ZERO):
        return direction
    return tilted(rows, direction, np.random.default_rng(0).standard_normal(len(direction)))


def _solved(rows: np.ndarray, cost: np.ndarray, deadline: float) -> tuple[np.ndarray, float, str]:
    """A direction, a lower bound on the cost of every direction, and how it was found."""
    n, d = rows.shape
    if n == 0:
        return np.zeros(d), 0.0, "separable"
    widest = _widest(rows, 0.5 * (time.perf_counter() + deadline))
    if np.all(rows @ widest > ZERO):
        return widest, 0.0, "separable"
    if sweep_work(n, d) < 0.5 * limits.SWEEPS_PER_SECOND * (deadline - time.perf_counter()):
        least, direction, all_seen = best_direction(rows, cost, deadline)
        return direction, least if all_seen else 0.0, "cells"
    start = _improved(rows, cost, _start(rows, cost, deadline), deadline)
    direction, bound = _by_conflicts(rows, cost, start, deadline)
    return direction, bound, "conflicts"


def _widest(rows: np.ndarray, deadline: float) -> np.ndarray:
    """The direction of length one with the largest margin, if the rows are separable; of no meaning otherwise."""
    nearest = nearest_hull_point(rows, deadline)
    direction = nearest.point if nearest.normal is None else nearest.normal
    return direction / (np.linalg.norm(direction) or 1.0)


def _cost_of(direction: np.ndarray, rows: np.ndarray, cost: np.ndarray) -> float:
    return float(cost[rows @ direction <= 0].sum())


def _start(rows: np.ndarray, cost: np.ndarray, deadline: float) -> np.ndarray:
    """Where to start: the logistic fit of all rows, or of a sample if half of the time would not suffice for all."""
    n, started = len(rows), time.perf_counter()
    if n <= limits.START_ROWS:
        return _logistic_direction(rows, cost)
    sample = np.random.default_rng(0).choice(n, limits.START_ROWS, replace=False)
    direction = _logistic_direction(rows[sample], cost[sample])
    now = time.perf_counter()
    return (
        _logistic_direction(rows, cost)
        if (now - started) * n / limits.START_ROWS < 0.5 * (deadline - now)
        else direction
    )


def _logistic_direction(rows: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """The logistic fit, lightly penalised, which always exists."""
    return minimise(Problem(rows, np.ones(len(rows)), Logistic(), SquaredL2(), 1e-4, cost, False), tol=1e-4).coef


def _improved(rows: np.ndarray, cost: np.ndarray, direction: np.ndarray, deadline: float) -> np.ndarray:
    """Local search: the best direction in random planes through the current one, until `ROUNDS` rounds brought nothing.

    Half of the planes point towards a row that is wrong.
    """
    rng, d, idle = np.random.default_rng(0), rows.shape[1], 0
    best = _cost_of(direction, rows, cost)
    while idle < limits.ROUNDS and time.perf_counter() < deadline:
        ahead = direction / np.linalg.norm(direction)
        wrong = np.flatnonzero(rows @ ahead <= 0)
        aside = np.concatenate([rng.standard_normal((d + 4, d)), rows[rng.choice(wrong, d + 4)]])
        aside -= np.outer(aside @ ahead, ahead)
        lengths = np.linalg.norm(aside, axis=1)
        aside = aside[lengths > ZERO] / lengths[lengths > ZERO, None]
        planes = np.stack([np.broadcast_to(ahead, aside.shape), aside], axis=2)
        wish = _best_in(rows, cost, planes, deadline)
        reached = _cost_of(wish, rows, cost)
        idle = 0 if reached < best - ZERO else idle + 1
        if reached <= best:
            best, direction = reached, wish
        if best <= 0:
            break
    return direction


def _best_in(rows: np.ndarray, cost: np.ndarray, planes: np.ndarray, deadline: float) -> np.ndarray:
    """The direction of least cost in the planes, or in as many of them as there is time for."""
    least, direction, step = np.inf, planes[0, :, 0], max(limits.BATCH // len(rows), 1)
    for first in range(0, len(planes), step):
        costs, headings, _ = sweep_planes(rows, cost, planes[first : first + step])
        best = int(np.argmin(costs))
        if costs[best] < least:
            least, direction = costs[best], headings[best]
        if time.perf_counter() > deadline:
            break
    return direction


def _by_conflicts(
    rows: np.ndarray, cost: np.ndarray, direction: np.ndarray, deadline: float
) -> tuple[np.ndarray, float]:
    """Cover the conflicts, look for new ones among the rows that are left, until there are none or the time is up."""
    conflicts, bound, least = Conflicts(rows, cost), 0.0, _cost_of(direction, rows, cost)
    whole, tell = bool(np.all(cost == np.round(cost))), Task("fewest mistakes")
    step, known = 0, -1
    while bound < least - ZERO and known < len(conflicts.groups) and time.perf_counter() < deadline:
        step, known = step + 1, len(conflicts.groups)
        tell(step, least - bound)
        lower, cover = conflicts.cheapest_cover(deadline - time.perf_counter())
        bound = max(bound, float(np.ceil(lower - 1e-6)) if whole else lower - 1e-9)
        if cover is None:
            break
        left = conflicts.extend(~cover, deadline)
        if left is not None and _cost_of(left, rows, cost) < least:
            direction = _improved(rows, cost, left, deadline)
            least = _cost_of(direction, rows, cost)
    return direction, min(bound, least)


def _settled(rows: np.ndarray, cost: np.ndarray, direction: np.ndarray, deadline: float) -> np.ndarray:
    """The same mistakes with the largest margin for the rest, unless rounding would add one or the time is up."""
    right = rows[rows @ direction > 0]
    if len(right) == 0:
        return direction
    widest, length = _widest(right, deadline), float(np.linalg.norm(direction))
    if np.min(right @ widest) * length < np.min(right @ direction):
        return direction
    return widest if _cost_of(widest, rows, cost) <= _cost_of(direction, rows, cost) else direction
