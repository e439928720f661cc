"""Layer data: rows in memory as all loops take them, without a change to what belongs to the user.

In: dense or sparse rows.  Out: the same, copied where entries of a sparse matrix are stored twice or out of order,
which SciPy would put right in place, in the middle of a fit by another thread, or where numbers are packed into
records.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def plain(X: Any) -> Any:
    """Rows that nobody needs to change; other objects, and the parts of a tuple, likewise.

    >>> X = sparse.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    >>> plain(X).data, X.data
    (array([3.]), array([1., 2.]))
    """
    if isinstance(X, tuple):
        return tuple(map(plain, X))
    if sparse.issparse(X):
        if X.format not in ("csr", "csc") or X.has_canonical_format:
            return X
        X = X.copy()
        X.sum_duplicates()
        return X
    packed = isinstance(X, np.ndarray) and not (X.flags.aligned and all(step % X.itemsize == 0 for step in X.strides))
    return X.copy() if packed else X


def refuse_outside(X: Any) -> None:
    """An error where entries of a sparse matrix lie in rows or columns that it does not have.

    >>> refuse_outside(sparse.csr_array(([1.0], [0], [0, 1]), shape=(1, 1)))
    """
    if not sparse.issparse(X) or X.format not in ("csr", "csc") or not X.indices.size:
        return
    size = X.shape[1] if X.format == "csr" else X.shape[0]
    used = X.indices[: X.indptr[-1]]  # there may be spare room behind
    lowest, highest = int(used.min(initial=0)), int(used.max(initial=0))
    if lowest < 0 or highest >= size:
        raise ValueError(
            f"X has an entry at index {lowest if lowest < 0 else highest} of {size}; its indices were changed or read "
            "wrongly: build the matrix anew, for example by scipy.sparse.csr_array((values, (rows, columns)), shape)"
        )
