"""Layer *theory*: hyperplanes, margins, the constant feature, and norms weighted by a matrix.

In: a normal vector, points as rows, a weight matrix.  Out: signed distances, projections, labels, margins.  Refused: a
zero normal, a tie rule other than -1 or +1, weights that are not positive semi-definite.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """The set ``{x : <normal, x> = offset}`` in ``R^d``; multiplying both by ``a > 0`` changes nothing.

    Catalogue D-04.

    >>> plane = Hyperplane(np.array([3.0, 4.0]), offset=5.0)
    >>> plane.signed_distance([[3.0, 4.0], [0.0, 0.0]]).tolist(), plane.distance_from_origin
    ([4.0, -1.0], 1.0)
    >>> plane.classify([[3.0, 4.0], [0.0, 0.0], [1.0, 0.5]]).tolist()
    [1, -1, -1]
    """

    normal: np.ndarray
    offset: float = 0.0

    def __post_init__(self) -> None:
        normal = np.asarray(self.normal, dtype=float)
        if normal.ndim != 1 or not np.linalg.norm(normal) > 0:
            raise ValueError("normal must be a non-zero vector; a zero normal describes no hyperplane")
        object.__setattr__(self, "normal", normal)

    @property
    def distance_from_origin(self) -> float:
        """``offset / ||normal||``, signed: where the plane meets the line through 0 along ``normal``."""
        return float(self.offset / np.linalg.norm(self.normal))

    def signed_distance(self, X: np.ndarray) -> np.ndarray:
        """``(<normal, x> - offset) / ||normal||`` for every row, positive on the side the normal points to."""
        return (np.asarray(X, dtype=float) @ self.normal - self.offset) / np.linalg.norm(self.normal)

    def project(self, X: np.ndarray) -> np.ndarray:
        """The nearest point of the plane to every row."""
        unit = self.normal / np.linalg.norm(self.normal)
        return np.asarray(X, dtype=float) - self.signed_distance(X)[..., None] * unit

    def classify(self, X: np.ndarray, *, sign_zero: int = -1) -> np.ndarray:
        """Labels in {-1, +1}: the side of each row; points on the plane get ``sign_zero``.  Catalogue E-028."""
        if sign_zero not in (-1, 1):
            raise ValueError(f"sign_zero must be -1 or +1, got {sign_zero}; it is the label of points on the plane")
        score = np.asarray(X, dtype=float) @ self.normal - self.offset
        return np.where(score > 0, 1, np.where(score < 0, -1, sign_zero))

    def homogenised(self) -> Hyperplane:
        """The plane through 0 in ``R^(d+1)`` with normal ``(normal, -offset)``, for points with a last 1.

        Catalogue X-16.
        """
        return Hyperplane(np.append(self.normal, -self.offset))


def homogenise(X: np.ndarray, *, constant: str = "last") -> np.ndarray:
    """Points with a constant feature 1, ``(x, 1)`` or with ``constant="first"`` ``(1, x)``; shape ``(n, d + 1)``.

    ``<w, x> - c = <(w, -c), (x, 1)>``, so unpenalised fits are the same with a constant feature and with an intercept.
    Under a penalty or a minimum-norm rule they are not, because the constant's weight is then penalised too.  Squared
    row norms grow by 1.  Catalogue D-03, X-16.

    >>> homogenise([[2.0, 3.0]]).tolist(), homogenise([[2.0, 3.0]], constant="first").tolist()
    ([[2.0, 3.0, 1.0]], [[1.0, 2.0, 3.0]])
    """
    X = np.atleast_2d(np.asarray(X, dtype=float))
    ones = np.ones((len(X), 1))
    if constant not in ("first", "last"):
        raise ValueError(f"constant must be 'first' or 'last', got {constant!r}; choose where the 1 goes")
    return np.hstack([X, ones] if constant == "last" else [ones, X])


def margin(coef: np.ndarray, X: np.ndarray, labels: np.ndarray) -> float:
    """``min_i t_i <coef, x_i>`` for labels ``t_i`` in {-1, +1}; positive iff ``coef`` separates strictly.

    Catalogue D-04.

    >>> margin([1.0, 0.0], [[2.0, 5.0], [-3.0, 1.0]], [1, -1])
    2.0
    """
    labels = np.asarray(labels)
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError("labels must be -1 or +1; map 0/1 labels with 2 * y - 1")
    return float(np.min(labels * (np.asarray(X, dtype=float) @ np.asarray(coef, dtype=float))))


def geometric_margin(coef: np.ndarray, X: np.ndarray, labels: np.ndarray) -> float:
    """``margin / ||coef||``: distance of the closest point to the plane, negative if one is misclassified.

    Catalogue D-04.

    >>> geometric_margin([3.0, 4.0], [[3.0, 4.0]], [1])
    5.0
    """
    norm = float(np.linalg.norm(coef))
    if norm == 0:
        raise ValueError("coef is zero, which has no direction; give a non-zero vector")
    return margin(coef, X, labels) / norm


def weighted_squared_norm(vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``||u||_A**2 = u^T A u`` for vectors of shape ``(..., d)`` and a symmetric positive semi-definite ``A``.

    A norm if ``A`` is positive definite, a semi-norm otherwise.  Catalogue D-09.

    >>> float(weighted_squared_norm([1.0, 2.0], np.diag([4.0, 1.0])))
    8.0
    """
    u, A = np.asarray(vectors, dtype=float), np.asarray(weights, dtype=float)
    scale = float(np.abs(A).max(initial=0.0))
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not np.allclose(A, A.T, rtol=0, atol=1e-12 * scale):
        raise ValueError(f"weights must be a symmetric matrix, got shape {A.shape}; (A + A.T) / 2 gives the same form")
    if np.linalg.eigvalsh(A)[0] < -1e-12 * len(A) * scale:
        raise ValueError("weights have a negative eigenvalue, so squared norms could be negative; use a PSD matrix")
    return np.maximum(np.sum((u @ A) * u, axis=-1), 0.0)


def weighted_distance(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``||x - y||_A``, broadcasting over leading axes.  Catalogue D-09.

    >>> float(weighted_distance([1.0, 1.0], [0.0, 1.0], np.diag([4.0, 1.0])))
    2.0
    """
    return np.sqrt(weighted_squared_norm(np.asarray(first, dtype=float) - np.asarray(second, dtype=float), weights))


def mahalanobis_distance(first: np.ndarray, second: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """The statistician's distance: `weighted_distance` with the *inverse* covariance as weights.

    Needs an invertible covariance; unchanged when data and covariance are transformed together.  Catalogue D-09, E-065.

    >>> float(mahalanobis_distance([2.0, 0.0], [0.0, 0.0], np.diag([4.0, 1.0])))
    1.0
    """
    covariance = np.asarray(covariance, dtype=float)
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise ValueError("covariance is not positive definite; drop constant or dependent features") from None
    difference = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    return np.linalg.norm(np.linalg.solve(root, difference[..., None])[..., 0], axis=-1)
