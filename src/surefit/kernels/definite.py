"""Layer kernels: is a Gram matrix positive semi-definite, and which features have it as their inner products?

In: symmetric matrices ``(n, n)``.  Out: eigenvalues, verdicts that allow for rounding, feature maps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.parameters import non_negative

_ROUNDINGS = 16.0  # an entry of a Gram matrix carries this many roundings of its own, at most


def smallest_eigenvalue(K: Any) -> float:
    """The smallest eigenvalue of a symmetric matrix.

    >>> round(smallest_eigenvalue([[-1.0, -1.0], [-1.0, 1.0]]), 5)        # min(x, z) on -1 and 1, Catalogue E-052
    -1.41421
    """
    return float(np.linalg.eigvalsh(_symmetric(K))[0])


def is_psd(K: Any, tolerance: float | None = None) -> bool:
    """Whether a symmetric matrix is positive semi-definite, up to rounding.  Catalogue K-09.

    The matrix is first scaled to a unit diagonal, so that points with tiny ``k(x, x)`` are judged on their own scale;
    an eigenvalue above ``-tolerance`` then counts as zero.  By default that is what ``n`` rows of entries of the
    matrix's precision can blur.

    >>> is_psd([[1.0, 1.0], [1.0, 1.0]]), is_psd([[-1.0, -1.0], [-1.0, 1.0]])
    (True, False)
    """
    return scaled_eigenvalue(K) >= -(rounding(K) if tolerance is None else tolerance)


def scaled_eigenvalue(K: Any) -> float:
    """The smallest eigenvalue after scaling to a unit diagonal; ``-inf`` where the diagonal alone refutes ``K``."""
    K = _symmetric(K)
    if len(K) == 0:
        return 0.0
    diagonal = np.diagonal(K)
    empty = diagonal == 0
    if (diagonal < 0).any() or K[empty].any():
        return -np.inf
    root = np.sqrt(np.where(empty, 1.0, diagonal))
    return float(np.linalg.eigvalsh(K / root[:, None] / root)[0])


def rounding(K: Any) -> float:
    """How far below zero rounding may push an eigenvalue of a positive semi-definite matrix with unit diagonal."""
    K = np.asarray(K)
    precision = K.dtype if K.dtype == np.float32 else np.float64
    return _ROUNDINGS * max(len(K), 1) * float(np.finfo(precision).eps)


def gram_features(K: Any) -> np.ndarray:
    """``F`` of shape ``(n, rank)`` with ``F F' = K``: every kernel on a finite set is an inner product.

    ``K = U diag(l) U'`` gives ``F = U diag(sqrt(l))``; eigenvalues that are zero up to rounding are left out.
    Catalogue K-10, T-61.

    >>> gram_features([[1.0, 1.0], [1.0, 1.0]]).shape
    (2, 1)
    """
    K = _symmetric(K)
    values, vectors = np.linalg.eigh(K)
    blur = len(K) * np.finfo(np.float64).eps * max(abs(values[0]), abs(values[-1]))
    if values[0] < -_ROUNDINGS * blur:
        raise ValueError(f"K has the eigenvalue {values[0]:g}; an inner product has none below zero")
    keep = values > blur
    return vectors[:, keep][:, ::-1] * np.sqrt(values[keep][::-1])


def plus_diagonal(K: Any, ridge: float) -> np.ndarray:
    """``K + ridge * I``: the kernel ``k(x, z) + ridge * [x is z]`` on the training points only.

    With ``ridge = 1 / C`` this turns the squared hinge or tube into the plain one.  Catalogue K-20.

    >>> plus_diagonal([[1.0, 0.5], [0.5, 1.0]], 0.1).tolist()
    [[1.1, 0.5], [0.5, 1.1]]
    """
    K = np.array(K)
    K[np.diag_indices_from(K)] += non_negative("ridge", ridge, "the negative of a kernel is not a kernel")
    return K


def _symmetric(K: Any) -> np.ndarray:
    """``K`` as a float64 matrix, if it is square, finite and symmetric up to rounding."""
    given = np.asarray(K)
    K = np.asarray(K, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"a Gram matrix is square, got shape {K.shape}; use kernel.gram(X)")
    if not np.isfinite(K).all():
        raise ValueError("K contains NaN or infinity; the kernel overflows on these rows")
    if (np.abs(K - K.T) > rounding(given) * np.abs(K).max(initial=0.0)).any():
        raise ValueError("K is not symmetric; a kernel has k(x, z) = k(z, x)")
    return 0.5 * K + 0.5 * K.T
