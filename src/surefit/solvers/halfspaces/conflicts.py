"""Layer solvers: lower bounds on the mistakes of every linear classifier, from rows that contradict each other.

In: rows ``z_i`` and the cost of giving one up.  Out: a growing list of conflicts, groups of at most d + 1 rows that no
``w`` has all on its positive side.  At least one row of each must be given up, so the cheapest set that meets every
conflict found so far is a lower bound; if the rows that it leaves are separable, it is the answer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from surefit.solvers.halfspaces.hull import nearest_hull_point
from surefit.threads import interruptible

CANCELS = 1e-9
"""Length below which the weighted sum of a conflict (rows of length one) is 0: what rounding leaves is 1e-15."""


@dataclass(frozen=True, eq=False)
class Conflicts:
    """The rows, what each costs, and the conflicts found so far."""

    rows: np.ndarray
    cost: np.ndarray
    groups: list[np.ndarray] = field(default_factory=list)

    def extend(self, kept: np.ndarray, deadline: float) -> np.ndarray | None:
        """Add disjoint conflicts among the ``kept`` rows until the rest is separable; returns its separator.

        None if nothing is left, or the time is up.
        """
        index = np.flatnonzero(kept)
        while len(index) and time.perf_counter() < deadline:
            nearest = nearest_hull_point(self.rows[index], deadline)
            if nearest.normal is not None:
                return nearest.normal
            if np.linalg.norm(nearest.point) > CANCELS:
                return None  # too close to call, or no time: no conflict is claimed
            self.groups.append(index[nearest.support])
            index = np.delete(index, nearest.support)
        return None

    def cheapest_cover(self, seconds: float) -> tuple[float, np.ndarray | None]:
        """A lower bound on the least cost of rows that meet every group, and such rows if some were found in time."""
        if not self.groups:
            return 0.0, np.zeros(len(self.cost), dtype=bool)
        starts = np.cumsum([0, *map(len, self.groups)])
        meets = csr_array(
            (np.ones(starts[-1]), np.concatenate(self.groups), starts), (len(self.groups), len(self.cost))
        )
        found = interruptible(
            np.inf,
            milp,
            self.cost,
            integrality=np.ones(len(self.cost)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(meets, lb=1.0),
            options={"time_limit": max(seconds, 0.01), "mip_rel_gap": 0.0},
        )
        bound = found.mip_dual_bound
        bound = 0.0 if bound is None or not np.isfinite(bound) else float(bound)
        return bound, None if found.x is None else found.x > 0.5
