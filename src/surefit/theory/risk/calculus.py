"""Layer *theory*: the few derivatives and matrix identities that least squares rests on.

In: matrices and vectors.  Out: gradients in one fixed layout, and both sides of each identity.  Layout: for
``f: R^N -> R^M`` the gradient has shape ``(N, M)`` with entry ``[i, j] = d f_j / d x_i`` (the transposed Jacobian);
for a number-valued ``f`` it has the shape of ``x``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def finite_difference(
    function: Callable[[np.ndarray], np.ndarray | float], point: np.ndarray, step: float = 6e-6
) -> np.ndarray:
    """Central differences in the layout above: ``(N,)`` for a number-valued function, ``(N, M)`` for ``M`` values.

    The step is relative, ``step * max(1, |x_i|)``; near ``eps**(1/3)`` rounding and truncation balance, with about ten
    right digits for smooth functions of moderate size.  Catalogue D-11.

    >>> finite_difference(lambda x: x[0] ** 2 * x[1], np.array([3.0, 2.0])).round(6).tolist()
    [12.0, 9.0]
    """
    point = np.asarray(point, dtype=float)
    if point.ndim != 1:
        raise ValueError(f"point must be a vector, got shape {point.shape}; flatten the argument first")
    rows = []
    for i, value in enumerate(point):
        ahead, behind = point.copy(), point.copy()
        ahead[i] += step * max(1.0, abs(value))
        behind[i] -= step * max(1.0, abs(value))
        rows.append((np.asarray(function(ahead)) - np.asarray(function(behind))) / (ahead[i] - behind[i]))
    return np.array(rows, dtype=float)


def linear_gradient(matrix: np.ndarray) -> np.ndarray:
    """Gradient of ``x -> A x``: ``A^T``, shape ``(N, M)`` for ``A`` of shape ``(M, N)``.  Catalogue D-11.

    >>> linear_gradient([[1.0, 2.0]]).tolist()
    [[1.0], [2.0]]
    """
    return np.asarray(matrix, dtype=float).T


def quadratic_form_gradient(matrix: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Gradient of ``x -> x^T B x``: ``(B + B^T) x``, shape ``(N,)``; ``B`` need not be symmetric.  Catalogue D-11.

    >>> quadratic_form_gradient([[1.0, 2.0], [0.0, 0.0]], [1.0, 1.0]).tolist()
    [4.0, 2.0]
    """
    B, x = np.asarray(matrix, dtype=float), np.asarray(point, dtype=float)
    return B @ x + B.T @ x


def squared_residual_gradient(X: np.ndarray, y: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """Gradient of the sum ``||X w - y||**2``: ``2 X^T (X w - y)``, shape ``(d,)``.  Catalogue D-11, T-10.

    >>> squared_residual_gradient([[1.0], [2.0]], [1.0, 1.0], [1.0]).tolist()
    [4.0]
    """
    X = np.asarray(X, dtype=float)
    return 2.0 * X.T @ (X @ np.asarray(coef, dtype=float) - np.asarray(y, dtype=float))


def mean_squared_gradient(X: np.ndarray, y: np.ndarray, coef: np.ndarray, lam: float = 0.0) -> np.ndarray:
    """Gradient of ``mean((X w - y)**2) + lam ||w||**2``: ``(2/n)(X^T X w - X^T y) + 2 lam w``, shape ``(d,)``.

    The half-sum convention ``X^T (X w - y)`` is ``n / 2`` times this one at ``lam = 0``.  Catalogue T-10.

    >>> mean_squared_gradient([[1.0], [2.0]], [1.0, 1.0], [1.0], lam=0.5).tolist()
    [3.0]
    """
    return squared_residual_gradient(X, y, coef) / len(np.asarray(y)) + 2.0 * lam * np.asarray(coef, dtype=float)


def mean_squared_hessian(X: np.ndarray, lam: float = 0.0) -> np.ndarray:
    """Hessian of the same objective: ``(2/n) X^T X + 2 lam I``, shape ``(d, d)``; it does not depend on ``w``.

    Catalogue T-10.

    >>> mean_squared_hessian([[1.0], [2.0]], lam=1.0).tolist()
    [[7.0]]
    """
    X = np.asarray(X, dtype=float)
    return 2.0 * X.T @ X / len(X) + 2.0 * lam * np.eye(X.shape[1])


def push_through(X: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Both sides of ``(X^T X + l I)^-1 X^T = X^T (X X^T + l I)^-1``, shape ``(d, n)``, for ``l = shift > 0``.

    The left inverts a ``(d, d)`` matrix, the right an ``(n, n)`` one: primal and dual ridge.  Catalogue T-21.

    >>> left, right = push_through([[1.0, 2.0]], shift=1.0)
    >>> np.allclose(left, right)
    True
    """
    X = np.asarray(X, dtype=float)
    _positive(shift)
    n, d = X.shape
    left = np.linalg.solve(X.T @ X + shift * np.eye(d), X.T)
    right = np.linalg.solve(X @ X.T + shift * np.eye(n), X).T
    return left, right


def woodbury(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both sides of ``(I + A A^T)^-1 = I - A (I + A^T A)^-1 A^T``, shape ``(n, n)`` for ``A`` ``(n, k)``.

    A large inverse for the price of a small one when ``k << n``.  Catalogue T-21.

    >>> [side.round(3).tolist() for side in woodbury([[1.0], [1.0]])]
    [[[0.667, -0.333], [-0.333, 0.667]], [[0.667, -0.333], [-0.333, 0.667]]]
    """
    A = np.asarray(A, dtype=float)
    n, k = A.shape
    left = np.linalg.inv(np.eye(n) + A @ A.T)
    return left, np.eye(n) - A @ np.linalg.solve(np.eye(k) + A.T @ A, A.T)


def shrinkage_identity(A: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Both sides of ``(A + l I)^-1 A = I - l (A + l I)^-1``, shape ``(d, d)``, for PSD ``A`` and ``l = shift > 0``.

    What ridge keeps and what it loses add up to the identity.  Catalogue T-21.

    >>> [side.tolist() for side in shrinkage_identity([[3.0]], shift=1.0)]
    [[[0.75]], [[0.75]]]
    """
    A = np.asarray(A, dtype=float)
    _positive(shift)
    shifted = A + shift * np.eye(len(A))
    return np.linalg.solve(shifted, A), np.eye(len(A)) - shift * np.linalg.inv(shifted)


def _positive(shift: float) -> None:
    if not shift > 0:
        raise ValueError(f"shift must be > 0, got {shift}; the matrices may be singular without it")
