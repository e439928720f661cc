"""Layer solvers: columns that are nearly alike, exchanged for orthogonal ones that span the same.

In: the columns of a fit without a penalty, and weights.  Out: `Untied` columns and the way back, or None where the
Newton steps can have the columns as they are.  Such steps solve with Gram matrices, in which a direction of length
``delta`` has the curvature ``delta**2``: below 1e-5 it is lost in part, below 1e-7 altogether.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.data.scale import EPS, column_sizes, power_of_two
from surefit.solvers.linear import limits
from surefit.solvers.linear.rank import hides_directions

RESOLVED = 1e-10
"""An eigenvalue of the Gram matrix of unit columns above this is known to five digits."""

SAMPLE = 100
"""Rows beyond four times as many as columns on which independence is looked for first."""

ROUNDED_AWAY = 1e-8
"""Share of the null objective that rounding may cost in terms of the columns given before a fit counts as inexact."""


@dataclass(frozen=True)
class Untied:
    """Orthogonal columns ``X`` (n, d) of size one; ``back`` (d, d) and ``shift`` (d,) lead to the user's columns."""

    X: np.ndarray
    back: np.ndarray
    shift: np.ndarray

    def restore(self, coef: np.ndarray, intercept: Any) -> tuple[np.ndarray, Any]:
        """Coefficients ``(d,)`` or ``(d, k)`` and the intercept in terms of the columns as they were."""
        found = self.back @ coef
        return found, intercept - self.shift @ found


def tied_columns(X: Any, weight: np.ndarray, fit_intercept: bool) -> Centred | None:
    """The design, centred and at unit size, if the Gram matrix hides some direction of it; otherwise None.

    No more columns than rows, and not so many that nobody forms their Gram matrix.  A sample clears most designs: more
    rows only add to a Gram matrix.  Sparse columns become dense where they fit into memory.

    >>> x, z = np.arange(9.0), np.arange(9.0) % 2
    >>> near, far = np.column_stack([x, x + 1e-8 * z]), np.column_stack([x, z])
    >>> tied_columns(far, np.ones(9), True) is None, tied_columns(near, np.ones(9), True) is None
    (True, False)
    """
    n, d = X.shape
    if not 0 < d <= n or (hasattr(X, "tocsr") and d * d > limits.DENSE_LIMIT):
        return None
    design = Design.of(X, weight * (len(weight) / weight.sum()))
    with np.errstate(over="ignore", invalid="ignore"):
        A, gram = _unclear(_in_memory(design), fit_intercept)
    return A if gram is not None and hides_directions(A, gram, RESOLVED) else None


def may_depend(design: Design, fit_intercept: bool) -> bool:
    """Whether columns may depend on each other, exactly or nearly; of large sparse designs that is not asked."""
    if not 0 < design.d <= design.n - fit_intercept:
        return design.d > 0
    design = _in_memory(design)
    if design.is_sparse:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return _unclear(design, fit_intercept)[1] is not None


def _in_memory(design: Design) -> Design:
    """The design, dense unless it is sparse and too large for that."""
    if not design.is_sparse or design.n * design.d > limits.DENSE_LIMIT:
        return design
    return Design(np.asarray(design.X.toarray()), design.weight)


def _unclear(design: Design, fit_intercept: bool) -> tuple[Centred, np.ndarray | None]:
    """The design at unit size and its Gram matrix, None if that has no eigenvalues that are lost in rounding."""
    A = centre(design, fit_intercept, power_of_two(column_sizes(design)))
    size = np.sqrt(sum((np.sum(block**2, axis=0) for _, block in A.blocks()), np.zeros(A.d)))
    rows = A.rows(slice(0, A.n, max(A.n // (4 * A.d + SAMPLE), 1)))
    if not np.all(np.isfinite(size)) or _resolved(rows.T @ rows, size):
        return A, None
    gram = A.gram()
    return A, None if _resolved(gram, size) else gram


def _resolved(gram: np.ndarray, size: np.ndarray) -> bool:
    """Whether all eigenvalues are above `RESOLVED` once columns of these sizes are of size one."""
    if not np.all(size > 0):
        return False
    scaled = gram / size / size[:, None]
    scaled[np.diag_indices_from(scaled)] -= 2.0 * RESOLVED
    try:
        np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return False
    return True


def untied(A: Centred) -> Untied | None:
    """Orthogonal columns for those of ``A``, weights apart.

    None where some depend on each other altogether, and for sparse columns, which are too many to become dense.
    """
    if A.design.is_sparse:
        return None
    X = replace(A, design=Design.of(A.design.X)).dense()
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    if not s[-1] > EPS * max(A.n, A.d) * s[0]:
        return None
    root = np.sqrt(A.n)
    return Untied(root * U, (Vt.T * (root / s)) / A.scale[:, None], (A.shift + A.shift_low) * A.scale)
