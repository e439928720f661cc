"""Layer estimators: Newton's method whose every step is one pass over blocks.

In: a `Reading`, a start, the sums to take at a point and how to judge them.  Out: `Found`, the last point with its gap.
A step that raises the objective is halved, at the price of a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.data.blocks.layout import Label, placed
from surefit.estimators.blocks.reading import Reading
from surefit.solvers.blocks.factor import ONE
from surefit.solvers.blocks.newton import Judged, Sums, merge
from surefit.solvers.damped_newton import next_mixture

MOST_PASSES = 50
"""Newton steps at the most; a handful is usual."""

TIGHT = 1e-8
"""Share of the objective that its gap should be below."""

MOST_HALVINGS = 30
"""How often steps are halved in one search."""

SumsOf = Callable[[tuple[Label, ...], np.ndarray, float], Any]
"""What to sum up in a block at a point, whose rows have these labels, with this mixture of curvatures."""


@dataclass(frozen=True)
class Found:
    """The point that the search ended at; ``at`` and ``sums`` are those of ``before``, the point one step earlier.

    The last step doubles the digits; objective and gap at ``before`` are no smaller.
    """

    V: np.ndarray
    before: np.ndarray
    labels: tuple[Label, ...]
    sums: Sums
    at: Judged
    mixture: float
    done: bool


def searched(
    read: Reading,
    labels: tuple[Label, ...],
    start: np.ndarray,
    sums_at: SumsOf,
    judge: Callable[[Sums, np.ndarray], Judged],
    tol: float,
    tight: float = TIGHT,
) -> Found:
    """Newton steps from ``start`` (p, width), a row for each label, until one promises ``tol`` of the objective."""
    V, before, step, share, halvings = start, np.inf, np.zeros_like(start), 1.0, 0
    mixture, nearly, done = 0.0, False, False
    for steps in range(1, MOST_PASSES + 1):
        sums: Sums = read.run(sums_at(labels, V, mixture), merge, f"Newton step {steps}")
        if sums.labels != labels:  # levels that the first block lacks
            read.layout = read.layout.completed([one for one in sums.labels if one != ONE])
            wanted = (ONE, *read.layout.labels)
            V, step = (placed(one, labels, wanted) for one in (V, step))
            sums, labels = sums.placed(wanted), wanted
        at = judge(sums, V)
        if at.objective > before + 1e-12 * abs(before) and halvings < MOST_HALVINGS:
            V, share, halvings = V - step * share / 2, share / 2, halvings + 1
            mixture = next_mixture(mixture, share)
            continue
        small = at.decrement <= tol * at.objective
        provable = tight * at.objective < at.gap < np.inf
        done = small and (nearly or not provable)  # at most one pass more to prove it
        mixture = mixture if steps == 1 or done else next_mixture(mixture, share)
        nearly = small
        before, step, share, there = at.objective, at.step, 1.0, V
        V = V + step
        if done:
            break
    return Found(V, there, labels, sums, at, mixture, done)
