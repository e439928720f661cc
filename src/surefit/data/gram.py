"""Layer data: Gram matrices of many rows, by a compiled loop where that beats the BLAS."""

from contextlib import AbstractContextManager

import numpy as np

from surefit.compiled.door import COMPILED, native
from surefit.threads import cores, interruptible, map_in_order, one_blas_thread

NOTHING = np.empty(0)
MOST_CORES = 4
"""Cores up to which threads of our own, which do not spin, are ahead of those of the BLAS."""
COLUMNS = (96, 1500)
"""Numbers of columns between which the compiled loop is ahead: fewer are padded, sums of more leave the cache."""
FEWEST_ENTRIES = 1_000_000
"""Entries below which threads cost more than they save."""


def gram_matrix(
    X: np.ndarray, factor: np.ndarray = NOTHING, beside: np.ndarray = NOTHING
) -> tuple[np.ndarray, np.ndarray]:
    """``A.T @ A`` and ``A.T @ beside`` for ``A = diag(factor) X``; no ``factor`` means ones, no ``beside`` nothing.

    >>> gram_matrix(np.array([[1.0, 2.0], [3.0, 4.0]]), beside=np.array([1.0, -1.0]))
    (array([[10., 14.],
           [14., 20.]]), array([-2., -2.]))
    """
    if _is_served(X):
        gram, cross = _filled(X, factor, beside)
        return gram, cross if len(beside) else NOTHING
    A = X * factor[:, None] if len(factor) else X
    product = _in_parts if _is_tall(X) and cores() > 1 else _at_once
    return interruptible(float(A.size) * A.shape[1], product, A), A.T @ beside if len(beside) else NOTHING


def threads_of_our_own(X: np.ndarray) -> AbstractContextManager[None]:
    """Keeps the BLAS on one thread if the compiled loop forms ``X.T @ X`` on several.

    Threads of the BLAS spin for a while after each product, however short, and take the cores away from those of the
    loop: with one thread a ridge fit of 20,000 x 500 takes 0.8 of the time.
    """
    return one_blas_thread(not hasattr(X, "tocsr") and _is_served(X))


def _is_served(X: np.ndarray) -> bool:
    """Whether the compiled loop is ahead of the BLAS here; it cannot step through packed records."""
    whole = X.dtype == np.float64 and X.flags.aligned and all(step % X.itemsize == 0 for step in X.strides)
    return COMPILED and whole and _is_tall(X) and COLUMNS[0] <= X.shape[1] <= COLUMNS[1]


def _is_tall(X: np.ndarray) -> bool:
    """Whether threads of our own, one for some of the rows, pay."""
    return bool(X.shape[0] >= 2 * MOST_CORES * X.shape[1] and X.size >= FEWEST_ENTRIES and cores() <= MOST_CORES)


def _filled(X: np.ndarray, factor: np.ndarray, beside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, d = X.shape
    factor, beside = factor if len(factor) else np.ones(n), beside if len(beside) else np.zeros(n)
    gram, cross = np.empty((d, d)), np.empty(d)
    native.fill_gram(X, factor, beside, 2 if cores() <= 2 else MOST_CORES, cores(), gram, cross)
    return gram, cross


def _at_once(A: np.ndarray) -> np.ndarray:
    return np.asarray(A.T @ A)


def _in_parts(A: np.ndarray) -> np.ndarray:
    """``A.T @ A`` of a tall matrix on threads of our own."""
    n = len(A)
    cuts = [slice(n * k // MOST_CORES, n * (k + 1) // MOST_CORES) for k in range(MOST_CORES)]
    return np.asarray(sum(map_in_order(lambda rows: A[rows].T @ A[rows], cuts)))
