"""Layer solvers: unpenalised columns that nearly depend on each other.

In: the columns of a sparse problem and which of them are unpenalised.  Out: the same problem with those replaced by an
orthonormal basis of what they span, and the way back.  Their Gram matrix squares the condition number and so loses what
separates them beyond eight digits; an orthogonal factorisation of the columns themselves does not.  Columns that depend
on others within rounding add nothing, as in least squares.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.solvers.lasso.columns import Columns
from surefit.solvers.lasso.focus import GramCache
from surefit.solvers.lasso.gap import rounding_level
from surefit.solvers.linear.factor import cholesky_factor

LARGEST_CONDITION = 100.0
"""Largest condition number of the unpenalised columns, at unit length, for which their Gram matrix is used."""


@dataclass(frozen=True)
class Rotation:
    """``Q = A_U back`` with orthonormal columns (zero where ``A_U`` has less than full rank), shape ``(n, k)``.

    ``columns`` holds ``Q`` in the places of ``A_U``, ``source`` is how it was before.  ``angle`` bounds the sine of the
    angle by which rounding can have turned the span of ``Q`` away from that of ``A_U``.
    """

    source: Columns
    columns: Columns
    features: np.ndarray
    back: np.ndarray
    angle: float


def rotation_of(columns: Columns, features: np.ndarray) -> Rotation | None:
    """The `Rotation` of these columns; None where their Gram matrix keeps enough digits to do without."""
    if not len(features):
        return None
    factor = cholesky_factor(GramCache(columns).gram(features), np.zeros(len(features)))
    if factor is not None and factor.condition <= LARGEST_CONDITION:
        return None
    A = columns.dense(features)
    norms = np.linalg.norm(A, axis=0)
    norms[norms == 0] = 1.0
    Q, R, order = linalg.qr(A / norms, mode="economic", pivoting=True, check_finite=False)
    pivots = np.abs(np.diag(R))
    rank = int(np.count_nonzero(pivots > EPS * max(A.shape) * max(pivots[0], EPS)))
    kept = order[:rank]
    back, basis = np.zeros((len(features), len(features))), np.zeros_like(A)
    back[kept, :rank] = linalg.solve_triangular(R[:rank, :rank], np.eye(rank)) / norms[kept, None]
    basis[:, :rank] = Q[:, :rank]
    # A_U is known up to errors of ``level * sizes``, and these reach the basis multiplied by ``back``
    angle = rounding_level(len(A)) * float(columns.sizes[features] @ np.linalg.norm(back, axis=1))
    return Rotation(columns, _with_columns(columns, features, basis), features, back, min(angle, 1.0))


def _with_columns(columns: Columns, features: np.ndarray, basis: np.ndarray) -> Columns:
    """The same columns with ``basis`` in the places of ``features``."""
    A, full_gram = columns.A, columns.products is not None
    if not A.design.is_sparse:
        dense = np.array(A.dense())
        dense[:, features] = basis
        return Columns.of(centre(Design(dense, np.ones(A.n)), fit_intercept=False), columns.target, full_gram)
    root = A.root_weight[:, None]
    raw = np.divide(basis, root, out=np.zeros_like(basis), where=root > 0)
    places, shift = np.arange(A.d), A.shift.copy()
    places[features], shift[features] = A.d + np.arange(len(features)), 0.0
    both = sparse.hstack([A.design.X, sparse.csc_array(raw)], format="csc")
    X = sparse.csc_array(both[:, places])
    return Columns(replace(A, design=Design(X, A.design.weight), shift=shift), columns.target).with_products(full_gram)
