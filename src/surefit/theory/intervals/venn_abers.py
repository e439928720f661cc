"""Layer theory: probabilities that are calibrated by construction: Venn-Abers predictors.

In: scores of held-out rows (any numbers that rise with the chance of an event) and whether the event came true.  Out:
for any new score two probabilities, one of which is perfectly calibrated: the isotonic fit to the held-out rows and
the new one, once as if its event had come true and once as if not.  Vovk and Petej (2014); the two tables from which
every new score is answered by a binary search are those of Vovk, Petej and Fedorova (2015), in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.parameters import finite_vector


@dataclass(frozen=True, eq=False)
class VennAbers:
    """Distinct held-out ``scores`` (k,), increasing, with the tables of both probabilities at them.

    >>> fitted = VennAbers.of([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> lower, upper = fitted.at([0.25, 0.9])
    >>> lower.round(3), upper.round(3)
    (array([0.333, 0.5  ]), array([0.667, 1.   ]))
    """

    scores: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    n: int

    @staticmethod
    def of(scores: Any, event: Any) -> VennAbers:
        """From one score and one event (true or false) per held-out row; O(n log n)."""
        scores = finite_vector("scores", scores, "give one number per held-out row")
        came = np.asarray(event, dtype=bool).ravel()
        if len(came) != len(scores):
            raise ValueError(f"there are {len(scores)} scores and {len(came)} events; give one of each per row")
        distinct, member, count = np.unique(scores, return_inverse=True, return_counts=True)
        true = np.bincount(member, came, minlength=len(distinct)).astype(np.int64)
        upper = _with_one(count, true)
        lower = 1.0 - _with_one(count[::-1], (count - true)[::-1])[::-1]
        return VennAbers(distinct, lower, upper, len(scores))

    def at(self, scores: Any) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities ``(p0, p1)`` at each of these scores; O(log n) a score.

        The lower one is the fit as if the event had not come true.  A new score between two held-out ones joins the
        smaller of them if its event is false, the larger if it is true: isotonic fits pool it there anyway.
        """
        new = np.asarray(scores, dtype=float)
        below = np.searchsorted(self.scores, new, "right")
        above = np.searchsorted(self.scores, new, "left")
        return np.append(0.0, self.lower)[below], np.append(self.upper, 1.0)[above]


def _with_one(count: np.ndarray, true: np.ndarray) -> np.ndarray:
    """The isotonic value of each block if a row whose event came true joins it.

    ``count`` and ``true`` say how many rows a block has and how many of their events came true.  With ``P_j`` the sums
    of both over the first ``j`` blocks, joining block ``j`` moves ``P_0 ... P_{j-1}`` by ``(-1, -1)``; the value is the
    slope, at that block, of the greatest convex minorant.  From one block to the next only one point moves, and it
    either stays above the current piece, which then serves on, or becomes the start of a new one.
    """
    across = [0, *np.cumsum(count).tolist()]
    up = [0, *np.cumsum(true).tolist()]
    corners = _corners(across, up)  # from right to left, so that the current piece is at the end of the list
    found = np.empty(len(count))
    for j in range(1, len(across)):
        (x0, y0), (x1, y1) = corners[-1], corners[-2]
        found[j - 1] = (y1 - y0) / (x1 - x0)
        x, y = across[j] - 1, up[j] - 1
        if (y - y0) * (x1 - x0) >= (y1 - y0) * (x - x0):
            continue
        corners.pop()
        while len(corners) > 1 and _bends_down((x, y), corners[-1], corners[-2]):
            corners.pop()
        corners.append((x, y))
    return found


def _corners(across: list[int], up: list[int]) -> list[tuple[int, int]]:
    """The corners of the greatest convex minorant of all points after ``(-1, -1)``, from right to left."""
    corners = [(-1, -1)]
    for point in zip(across[1:], up[1:], strict=True):
        while len(corners) > 1 and _bends_down(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners[::-1]


def _bends_down(first: tuple[int, int], second: tuple[int, int], third: tuple[int, int]) -> bool:
    """Whether the middle one of three points, from left to right, lies on or above the line between the others."""
    (x0, y0), (x1, y1), (x2, y2) = first, second, third
    return (y1 - y0) * (x2 - x0) >= (y2 - y0) * (x1 - x0)


def merged_probability(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """One probability from two, ``p1 / (1 - p0 + p1)``: the one of smallest regret under log-loss, whichever is true.

    >>> merged_probability(np.array([0.2, 0.0]), np.array([0.4, 1.0])).round(3)
    array([0.333, 0.5  ])
    """
    return upper / (1.0 - lower + upper)
