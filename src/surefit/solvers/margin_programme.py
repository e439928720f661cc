"""Layer solvers: the linear programmes that decide whether classes are separable.

In: rows whose products with a direction are margins, dense or sparse.  Out: the direction in the box ``[-1, 1]`` that
maximises the smallest margin, or the sum of margins if none may be negative.  The answer is only as exact as
`TOLERANCE`, so the caller checks it on the rows themselves.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from surefit.threads import interruptible

TOLERANCE = 1e-10
"""By how much the answer of a programme may miss its constraints."""


def widest_margin(rows: Any) -> tuple[np.ndarray, float]:
    """The direction whose smallest margin is largest, and that margin; both zero if no margin can be positive.

    Solves ``max g`` subject to ``rows @ w >= g``, ``|w_j| <= 1`` and ``g >= 0``.  Catalogue A-37.

    >>> direction, margin = widest_margin(np.array([[1.0, 1.0], [-0.5, 1.0]]))
    >>> direction.round(9) + 0.0, round(margin, 9)
    (array([0., 1.]), 1.0)
    """
    n, d = rows.shape
    column = np.ones((n, 1))
    both = sparse.hstack([-rows, column]) if sparse.issparse(rows) else np.hstack([-rows, column])
    found = _best(np.append(np.zeros(d), 1.0), both, [(-1, 1)] * d + [(0, None)])
    return found[:-1], float(found[-1])


def largest_total(rows: Any) -> np.ndarray:
    """The direction without a negative margin whose sum of margins is largest; zero if there is none.

    >>> largest_total(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0]])).round(9) + 0.0
    array([0., 1.])
    """
    n, d = rows.shape
    return _best(np.asarray(rows.sum(axis=0)).ravel() / n, -rows, [(-1, 1)] * d)


def _best(gain: np.ndarray, rows: Any, bounds: list[tuple[int, int | None]]) -> np.ndarray:
    """The ``x`` within bounds and with ``rows @ x <= 0`` of largest gain; zero if none is found."""
    given = {"bounds": bounds, "method": "highs", "options": {"primal_feasibility_tolerance": TOLERANCE}}
    work = float(rows.shape[0]) * len(gain) ** 2
    answer = interruptible(work, linprog, -gain, rows, np.zeros(rows.shape[0]), **given)
    return answer.x if answer.x is not None else np.zeros(len(gain))
