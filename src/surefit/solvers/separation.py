"""Layer solvers: whether a likelihood has no maximum, because hyperplanes separate its classes, if only weakly.

In: a design and class numbers, two or more.  Out: a `Separation` with a direction that proves it.  Exactly where there
is one, the unpenalised likelihood of logistic regression has no maximum (E-099).  Whether two classes are strictly
separable, with evidence either way, is the question of `surefit.solvers.separability`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

CLEAR = 1e-7
"""Margins smaller than this, for directions of size one on columns of size one, are rounding."""


@dataclass(frozen=True, eq=False)
class Separation:
    """``"separable"``: every row is on its own side; ``"quasi"``: some lie on the boundary; ``"overlap"``: neither.

    ``coef`` and ``intercept`` (width,) are the direction, zero for ``"overlap"``: along it no row loses and some gain.
    ``coef`` has the shape of the coefficients it belongs to: (d, width) in a `Solution`, (width, d) on an estimator.
    """

    kind: Literal["separable", "quasi", "overlap"]
    coef: np.ndarray
    intercept: np.ndarray

    def __bool__(self) -> bool:
        return self.kind != "overlap"


def separating_direction(X: Any, codes: np.ndarray, fit_intercept: bool = True) -> Separation:
    """Look for scores that are at least as large for the true class as for any other, in every row.  Catalogue A-29.

    Two linear programmes over directions in a box: the largest smallest margin, and if that is zero the largest sum of
    margins.  Two classes have one column of scores, ``k`` classes ``k``.

    >>> separating_direction(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])).kind
    'separable'
    >>> separating_direction(np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])).kind
    'quasi'
    """
    d, width = X.shape[1], 1 if int(codes.max()) == 1 else int(codes.max()) + 1
    size = np.asarray(abs(X).max(axis=0).todense() if sparse.issparse(X) else np.abs(X).max(axis=0)).ravel()
    unit = np.where(size > 0, size, 1.0)
    A = X @ sparse.diags_array(1 / unit) if sparse.issparse(X) else X / unit
    if fit_intercept:
        ones = np.ones((X.shape[0], 1))
        A = sparse.hstack([A, ones]).tocsr() if sparse.issparse(A) else np.hstack([A, ones])
    margins = _margins(A, codes, width)
    for kind, direction in (("separable", _widest(margins)), ("quasi", _farthest(margins))):
        reached = np.asarray(margins @ direction)
        least = CLEAR if kind == "separable" else -CLEAR
        if reached.min() > least and reached.max() > 10 * CLEAR:
            V = direction.reshape(width, -1).T
            intercept = V[d] if fit_intercept else np.zeros(width)
            return Separation(kind, V[:d] / unit[:, None], intercept)  # type: ignore[arg-type]
    return Separation("overlap", np.zeros((d, width)), np.zeros(width))


def _margins(A: Any, codes: np.ndarray, width: int) -> Any:
    """Rows whose products with a direction (class after class) are scores of the true class less those of another."""
    if width == 1:
        sign = np.where(codes == 1, 1.0, -1.0)
        return sparse.diags_array(sign) @ A if sparse.issparse(A) else sign[:, None] * A
    A = sparse.csr_array(A)
    blocks = []
    for own in range(width):
        rows = A[codes == own]
        for other in range(width):
            if other != own:
                contrast = np.zeros((1, width))
                contrast[0, own], contrast[0, other] = 1.0, -1.0
                blocks.append(sparse.kron(contrast, rows))
    return sparse.vstack(blocks).tocsr()


def _widest(margins: Any) -> np.ndarray:
    """The direction in the box ``[-1, 1]`` whose smallest margin is largest."""
    n, size = margins.shape
    column = np.ones((n, 1))
    bounds = [(-1, 1)] * size + [(0, 1)]
    rows = sparse.hstack([-margins, column]) if sparse.issparse(margins) else np.hstack([-margins, column])
    answer = linprog(np.append(np.zeros(size), -1.0), rows, np.zeros(n), bounds=bounds, method="highs")
    return answer.x[:-1] if answer.x is not None else np.zeros(size)


def _farthest(margins: Any) -> np.ndarray:
    """The direction in the box with no negative margin whose sum of margins is largest."""
    n, size = margins.shape
    gain = np.asarray(margins.sum(axis=0)).ravel() / n
    answer = linprog(-gain, -margins, np.zeros(n), bounds=[(-1, 1)] * size, method="highs")
    return answer.x if answer.x is not None else np.zeros(size)
