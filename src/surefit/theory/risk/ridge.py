"""Layer *theory*: the expected risk of ridge at a fixed design, as a curve over ``lam``.

In: a design ``X`` of shape ``(n, d)``, the true ``theta``, the noise level and the grid ``lams``.  Out: bias, variance,
their sum and slope for every ``lam`` from one singular value decomposition.  Ridge minimises
``mean((y - X w)**2) + lam ||w||**2`` (no intercept: centre ``X`` and ``y`` first, or count it apart).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class RidgeRiskCurve:
    """Expected fixed-design excess risk of ridge for every ``lam``; all arrays have shape ``(len(lams),)``."""

    lams: np.ndarray
    squared_bias: np.ndarray
    variance: np.ndarray
    slope: np.ndarray  # d excess / d lam

    @property
    def excess(self) -> np.ndarray:
        """``squared_bias + variance``."""
        return self.squared_bias + self.variance

    @property
    def best_lam(self) -> float:
        """The ``lam`` of the grid with the smallest excess risk."""
        return float(self.lams[np.argmin(self.excess)])


def ridge_risk_curve(X: np.ndarray, theta: np.ndarray, sigma: float, lams: np.ndarray | float) -> RidgeRiskCurve:
    """Expected excess risk of ridge: ``lam**2 theta^T S (S + lam)^-2 theta + (sigma**2 / n) tr(S**2 (S + lam)^-2)``.

    ``S = X^T X / n``.  The squared bias never falls and the variance never grows with ``lam``; at ``lam = 0`` (read as
    the limit, minimum-norm least squares) the slope is ``-2 sigma**2 tr(S^+) / n``, so with noise a little ridge always
    helps.  ``lam = inf`` is allowed.  Catalogue T-15, S-08, R-09.

    >>> curve = ridge_risk_curve(np.eye(2) * np.sqrt(2.0), [1.0, 1.0], sigma=1.0, lams=[0.0, 1.0])
    >>> curve.squared_bias.round(12).tolist(), curve.variance.round(12).tolist(), curve.slope.round(12).tolist()
    ([0.0, 0.5], [1.0, 0.25], [-2.0, 0.25])
    """
    lams = _grid(lams)
    spectrum = _spectrum(X)
    mu = spectrum.values
    squared = (spectrum.directions @ _coefficients(theta, spectrum.directions.shape[1])) ** 2
    kept, lost = _shrinkage(mu, lams)
    per_direction = sigma**2 / spectrum.n
    slope = 2 * (lost * kept**2) @ squared - 2 * per_direction * np.sum(kept**2 / (mu + lams[:, None]), axis=1)
    return RidgeRiskCurve(lams, lost**2 @ (mu * squared), per_direction * np.sum(kept**2, axis=1), slope)


def mean_ridge_coefficients(X: np.ndarray, theta: np.ndarray, lams: np.ndarray | float) -> np.ndarray:
    """``E w_lam = theta - lam (S + lam I)^-1 theta = (S + lam I)^-1 S theta``, shape ``(len(lams), d)``.

    ``S = X^T X / n``; at ``lam = 0`` the projection of ``theta`` on the row space of ``X``.  Catalogue T-14.

    >>> mean_ridge_coefficients(np.array([[2.0], [0.0]]), [3.0], lams=[0.0, 2.0]).tolist()
    [[3.0], [1.5]]
    """
    spectrum = _spectrum(X)
    turned = spectrum.directions @ _coefficients(theta, spectrum.directions.shape[1])
    kept, _ = _shrinkage(spectrum.values, _grid(lams))
    return (kept * turned) @ spectrum.directions


@dataclass(frozen=True, eq=False)
class RidgeTrainingRisk:
    """Expected training and fresh-response risk of ridge for every ``lam``, noise included."""

    lams: np.ndarray
    training: np.ndarray
    fresh: np.ndarray

    @property
    def optimism(self) -> np.ndarray:
        """``fresh - training = 2 sigma**2 tr(H) / n``."""
        return self.fresh - self.training


def ridge_training_risk(X: np.ndarray, theta: np.ndarray, sigma: float, lams: np.ndarray | float) -> RidgeTrainingRisk:
    """Expected training and fresh risk of ridge; the gap is ``2 sigma**2 tr(H) / n`` (``tr H``, not ``tr H**2``).

    Catalogue R-11, S-10, T-12 (at ``lam = 0``: ``sigma**2 (1 -+ rank / n)``).

    >>> risk = ridge_training_risk(np.eye(4)[:, :2], [0.0, 0.0], sigma=1.0, lams=0.0)
    >>> risk.training.tolist(), risk.fresh.tolist()
    ([0.5], [1.5])
    """
    curve = ridge_risk_curve(X, theta, sigma, lams)
    trace = _shrinkage(_spectrum(X).values, curve.lams)[0].sum(axis=1)
    fresh = sigma**2 + curve.excess
    return RidgeTrainingRisk(curve.lams, fresh - 2 * sigma**2 * trace / len(X), fresh)


@dataclass(frozen=True)
class OracleLam:
    """A ``lam`` that balances bias against variance, and what it guarantees for the expected excess risk."""

    lam: float
    bound: float  # the slow-rate bound as usually printed
    sharp_bound: float  # half of it, attained for d = 1 and tr S = lam


def oracle_lam(X: np.ndarray, theta: np.ndarray, sigma: float) -> OracleLam:
    """``lam* = sigma sqrt(tr(S) / n) / ||theta||`` gives expected excess ``<= sigma sqrt(tr(S) / n) ||theta|| / 2``.

    ``S = X^T X / n``.  The usual proof bounds the eigenvalues of ``lam S (S + lam)^-2`` by 1/2; they are at most 1/4,
    which halves the bound for the same ``lam*``.  ``theta = 0`` gives ``lam = inf``, ``sigma = 0`` gives ``lam = 0``;
    both bounds are then 0.  Catalogue T-16, S-07.

    >>> oracle_lam(np.ones((4, 1)), [0.5], sigma=1.0)
    OracleLam(lam=1.0, bound=0.25, sharp_bound=0.125)
    """
    X = np.asarray(X, dtype=float)
    return _oracle(mean_squared_row_norm(X), float(np.linalg.norm(_coefficients(theta, X.shape[1]))), sigma, len(X))


def plug_in_lam(X: np.ndarray, y: np.ndarray) -> OracleLam:
    """`oracle_lam` with estimates from least squares: ``sigma**2 = RSS / (n - rank)``, ``||theta||`` by its own norm.

    A heuristic: the norm of the least-squares coefficients exceeds ``||theta||`` on average, so this ``lam`` tends to
    be too small, and its bounds are estimates.  Needs ``n > rank X``.  Catalogue S-07.

    >>> plug_in_lam(np.ones((4, 1)), np.array([1.0, 3.0, 1.0, 3.0])).lam.__round__(6)
    0.288675
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    coef, _, rank, _ = np.linalg.lstsq(X, y, rcond=None)
    if len(X) <= rank:
        raise ValueError(f"n = {len(X)} rows and rank {rank} leave nothing to estimate sigma; pass it to oracle_lam")
    sigma = float(np.sqrt(np.sum((y - X @ coef) ** 2) / (len(X) - rank)))
    return _oracle(mean_squared_row_norm(X), float(np.linalg.norm(coef)), sigma, len(X))


def mean_squared_row_norm(X: np.ndarray) -> float:
    """``tr(X^T X / n) = mean_i ||x_i||**2``, at most ``R**2`` when every row has norm ``<= R``.  Catalogue T-17.

    >>> mean_squared_row_norm(np.array([[3.0, 4.0], [0.0, 1.0]]))
    13.0
    """
    return float(np.mean(np.sum(np.asarray(X, dtype=float) ** 2, axis=1)))


def dimension_free_bound(row_norm: float, theta_norm: float, sigma: float, n: int) -> OracleLam:
    """The slow rate without the dimension: excess ``<= sigma R ||theta|| / (2 sqrt(n))`` if every ``||x_i|| <= R``.

    Reached by ``lam = sigma R / (||theta|| sqrt(n))``.  Catalogue T-16, T-17.

    >>> dimension_free_bound(row_norm=2.0, theta_norm=1.0, sigma=1.0, n=100)
    OracleLam(lam=0.2, bound=0.2, sharp_bound=0.1)
    """
    if min(row_norm, theta_norm, sigma) < 0 or n < 1:
        raise ValueError("row_norm, theta_norm and sigma must be >= 0 and n >= 1; pass norms, not signed quantities")
    return _oracle(row_norm**2, theta_norm, sigma, n)


def _oracle(trace: float, theta_norm: float, sigma: float, n: int) -> OracleLam:
    scale = sigma * np.sqrt(trace / n)
    lam = 0.0 if scale == 0 else np.inf if theta_norm == 0 else scale / theta_norm
    return OracleLam(float(lam), float(scale * theta_norm), float(scale * theta_norm / 2))


@dataclass(frozen=True, eq=False)
class _Spectrum:
    values: np.ndarray  # non-zero eigenvalues of X^T X / n, shape (rank,)
    directions: np.ndarray  # their eigenvectors as rows, shape (rank, d)
    n: int


def _spectrum(X: np.ndarray) -> _Spectrum:
    """Eigenvalues from the singular values of ``X``: forming ``X^T X`` would halve the digits."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"X must have shape (n, d), got {X.shape}; reshape a single feature to (n, 1)")
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    rank = int(np.sum(s > max(X.shape) * np.finfo(float).eps * s[0]))
    return _Spectrum(s[:rank] ** 2 / len(X), Vt[:rank], len(X))


def _shrinkage(mu: np.ndarray, lams: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``mu / (mu + lam)`` and ``lam / (mu + lam)``, both of shape ``(len(lams), rank)`` and right at ``lam = inf``."""
    kept = mu / (mu + lams[:, None])
    with np.errstate(divide="ignore"):
        lost = 1.0 / (1.0 + mu / lams[:, None])
    return kept, lost


def _grid(lams: np.ndarray | float) -> np.ndarray:
    lams = np.atleast_1d(np.asarray(lams, dtype=float))
    if not (lams >= 0).all():
        raise ValueError(f"lam must be >= 0, got {np.min(lams)}; use lam=0 for plain least squares")
    return lams


def _coefficients(theta: np.ndarray, d: int) -> np.ndarray:
    theta = np.asarray(theta, dtype=float)
    if theta.shape != (d,):
        raise ValueError(f"theta must have shape ({d},), got {theta.shape}; one coefficient per column of X")
    return theta
