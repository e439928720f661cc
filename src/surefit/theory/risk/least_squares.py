"""Layer *theory*: what least squares costs, at a fixed design and at a random one.

In: a design ``X`` of shape ``(n, d)`` or just its sizes, the noise level, and for biased estimators the true ``theta``.
Out: exact means, covariances and expected risks.  The model is ``y = X theta + eps`` with uncorrelated noise of mean 0
and variance ``sigma**2``; nothing needs to be Gaussian except where said.  Squared loss, no factor 1/2, means not sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.data.simulate import Seed, as_generator


@dataclass(frozen=True, eq=False)
class LeastSquaresGeometry:
    """Rank, uniqueness and the projection on the column space of a design."""

    rank: int
    unique: bool
    projection: np.ndarray


def least_squares_geometry(X: np.ndarray) -> LeastSquaresGeometry:
    """Minimisers always exist; they are unique iff ``rank X = d``; fitted values are ``P y``, a projection of ``y``.

    ``P = U U^T`` with ``U`` the left singular vectors of ``X``: symmetric, idempotent, of trace ``rank X``.
    Catalogue T-05.

    >>> least_squares_geometry(np.array([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]])).unique
    False
    """
    X = _design(X)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    rank = int(np.sum(s > max(X.shape) * np.finfo(float).eps * s[0]))
    return LeastSquaresGeometry(rank, rank == X.shape[1], U[:, :rank] @ U[:, :rank].T)


def least_squares_covariance(X: np.ndarray, sigma: float) -> np.ndarray:
    """Covariance of the least-squares coefficients, ``sigma**2 (X^T X)^-1``, shape ``(d, d)``; their mean is ``theta``.

    Needs full column rank.  Catalogue T-09.

    >>> least_squares_covariance(np.diag([1.0, 2.0]), sigma=2.0).tolist()
    [[4.0, 0.0], [0.0, 1.0]]
    """
    X = _design(X)
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    if len(s) < X.shape[1] or s[-1] <= max(X.shape) * np.finfo(float).eps * s[0]:
        raise ValueError("X has dependent columns, so theta is not identifiable; drop columns or use lam > 0")
    return sigma**2 * (Vt.T / s**2) @ Vt


@dataclass(frozen=True)
class LeastSquaresRisk:
    """Expected risks of least squares at a fixed design."""

    bayes: float  # sigma**2
    excess: float  # sigma**2 * rank / n
    training: float  # sigma**2 * (1 - rank / n)

    @property
    def fresh(self) -> float:
        """Risk on fresh responses at the same design, ``sigma**2 (1 + rank / n)``."""
        return self.bayes + self.excess


def least_squares_risk(n: int, rank: int, sigma: float) -> LeastSquaresRisk:
    """Fixed-design risk of least squares: excess ``sigma**2 rank / n``, training error ``sigma**2 (1 - rank / n)``.

    ``rank`` is ``d`` for independent columns (the constant counts as one); with dependent columns it is the rank, for
    the minimum-norm solution.  Catalogue T-08, T-11, T-12, X-15.

    >>> risk = least_squares_risk(n=50, rank=10, sigma=1.0)
    >>> risk.excess, risk.training, risk.fresh
    (0.2, 0.8, 1.2)
    """
    if not 0 <= rank <= n or n < 1:
        raise ValueError(f"rank must lie between 0 and n, got rank={rank}, n={n}; a design has no more rank than rows")
    return LeastSquaresRisk(sigma**2, sigma**2 * rank / n, sigma**2 * (1 - rank / n))


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """``E ||coef - theta||_Sigma**2 = squared_bias + variance``, the expected excess risk."""

    squared_bias: np.ndarray | float
    variance: np.ndarray | float

    @property
    def excess(self) -> np.ndarray | float:
        """Expected excess risk."""
        return self.squared_bias + self.variance


def fixed_design_bias_variance(X: np.ndarray, estimator: np.ndarray, theta: np.ndarray, sigma: float) -> BiasVariance:
    """Exact split of the expected excess risk of ``coef = A y``, ``A = estimator`` of shape ``(d, n)``.

    ``||A X theta - theta||**2`` and ``sigma**2 tr(Sigma_hat A A^T)``, norms weighted by ``Sigma_hat = X^T X / n``.
    Catalogue R-09.

    >>> split = fixed_design_bias_variance(np.eye(2), 0.5 * np.eye(2), [2.0, 0.0], sigma=1.0)
    >>> float(split.squared_bias), float(split.variance)
    (0.5, 0.25)
    """
    X, A = _design(X), np.asarray(estimator, dtype=float)
    theta = np.asarray(theta, dtype=float)
    if A.shape != X.shape[::-1]:
        raise ValueError(f"estimator must have shape {X.shape[::-1]}, the transpose of X's, got {A.shape}; coef = A y")
    bias = X @ (A @ (X @ theta) - theta)
    return BiasVariance(bias @ bias / len(X), sigma**2 * np.sum((X @ A) ** 2) / len(X))


def replicated_fixed_design_split(X: np.ndarray, coefs: np.ndarray, theta: np.ndarray) -> BiasVariance:
    """The same split from ``(R, d)`` coefficients of ``R`` samples: the parts add up to the mean excess risk exactly.

    Moments are those of the ``R`` replicates (division by ``R``).  Catalogue R-09.

    >>> float(replicated_fixed_design_split(np.eye(1), [[1.0], [3.0]], [0.0]).excess)
    5.0
    """
    X, coefs = _design(X), np.asarray(coefs, dtype=float)
    mean = coefs.mean(axis=0)
    bias = X @ (mean - np.asarray(theta, dtype=float))
    return BiasVariance(np.mean(bias**2), np.mean(((coefs - mean) @ X.T) ** 2))


@dataclass(frozen=True)
class TrainingOptimism:
    """Expected training and fresh-response risk of a linear smoother at the same design."""

    training: float
    fresh: float

    @property
    def optimism(self) -> float:
        """``fresh - training``: what the training error hides on average."""
        return self.fresh - self.training


def training_optimism(smoother: np.ndarray, signal: np.ndarray, sigma: float) -> TrainingOptimism:
    """Expected training and fresh risk of fitted values ``H y``; they differ by ``2 sigma**2 tr(H) / n``.

    ``training = (||(I - H) f||**2 + sigma**2 ||I - H||_F**2) / n``, ``fresh = (||(I - H) f||**2 + sigma**2 (n +
    ||H||_F**2)) / n`` with ``f = signal = E y``.  ``H`` may be any ``(n, n)`` matrix.  Catalogue R-11, S-10.

    >>> half = training_optimism(0.5 * np.eye(4), np.zeros(4), sigma=1.0)
    >>> half.training, half.fresh, half.optimism
    (0.25, 1.25, 1.0)
    """
    H, signal = np.asarray(smoother, dtype=float), np.asarray(signal, dtype=float)
    n = len(signal)
    if H.shape != (n, n):
        raise ValueError(f"smoother must have shape ({n}, {n}), got {H.shape}; it maps responses to fitted values")
    left_over = np.eye(n) - H
    squared_bias = np.sum((left_over @ signal) ** 2)
    return TrainingOptimism(
        float(squared_bias + sigma**2 * np.sum(left_over**2)) / n,
        float(squared_bias + sigma**2 * (n + np.sum(H**2))) / n,
    )


def covariance_optimism(responses: np.ndarray, fitted: np.ndarray) -> float:
    """Optimism of *any* fitting rule from replicates: ``(2 / n) sum_i Cov(fitted_i, y_i)``, both of shape ``(R, n)``.

    The ``R >= 2`` response vectors are independent draws at one design.  Catalogue R-11.

    >>> y = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> covariance_optimism(y, 0.5 * y)
    1.0
    """
    y, f = np.asarray(responses, dtype=float), np.asarray(fitted, dtype=float)
    if y.shape != f.shape or y.ndim != 2 or len(y) < 2:
        raise ValueError(f"responses {y.shape} and fitted {f.shape} must share a shape (R, n), R >= 2; repeat the draw")
    return float(2 * np.sum((y - y.mean(axis=0)) * f) / (len(y) - 1) / y.shape[1])


def random_design_excess_given_rows(X: np.ndarray, covariance: np.ndarray, sigma: float) -> float:
    """``E[||coef - theta||_Sigma**2 | X] = sigma**2 tr(Sigma (X^T X)^-1)`` for least squares.

    Its mean over the rows is the random-design excess risk ``(sigma**2 / n) E tr(Sigma Sigma_hat^-1)``, at least
    ``sigma**2 d / n`` by Jensen's inequality.  Needs full column rank.  Catalogue T-18, T-19.

    >>> round(random_design_excess_given_rows(np.diag([1.0, 2.0]), np.eye(2), sigma=2.0), 12)
    5.0
    """
    covariance = np.asarray(covariance, dtype=float)
    return float(np.sum(covariance * least_squares_covariance(X, sigma)))


def simulated_random_design_excess(
    rng: Seed, n: int, covariance: np.ndarray, sigma: float, repeats: int = 1000
) -> tuple[float, float]:
    """Monte-Carlo mean and standard error of the random-design excess risk over Gaussian rows.  Catalogue T-19.

    Averages the conditional formula, so the noise of the responses does not enter.  Needs ``n >= d + 2``; for a
    finite variance of the average ``n >= d + 4``.

    >>> mean, error = simulated_random_design_excess(0, 20, np.eye(5), sigma=1.0, repeats=200)
    >>> abs(mean - gaussian_design_excess(20, 5, 1.0)) < 5 * error
    True
    """
    covariance = np.asarray(covariance, dtype=float)
    d = len(covariance)
    gaussian_design_excess(n, d, sigma)  # refuses n < d
    root = np.linalg.cholesky(covariance)
    rows = as_generator(rng).standard_normal((repeats, n, d)) @ root.T
    inverses = np.linalg.inv(np.swapaxes(rows, 1, 2) @ rows)
    draws = sigma**2 * np.einsum("ij,rji->r", covariance, inverses)
    return float(draws.mean()), float(draws.std(ddof=1) / np.sqrt(repeats))


def gaussian_design_excess(n: int, d: int, sigma: float) -> float:
    """Expected excess risk of least squares on ``n`` rows from ``N(0, Sigma)``: ``sigma**2 d / (n - d - 1)``.

    The same for every invertible ``Sigma``.  Infinite for ``n = d`` and ``n = d + 1``; refused for ``n < d``, where
    least squares is not unique.  Catalogue T-20.

    >>> round(gaussian_design_excess(50, 10, sigma=1.0), 6), gaussian_design_excess(11, 10, sigma=1.0)
    (0.25641, inf)
    """
    if d < 1:
        raise ValueError(f"d must be >= 1, got {d}; a design has at least one feature")
    if n < d:
        raise ValueError(f"n = {n} < d = {d}: least squares is not unique there, no formula; use n >= d or lam > 0")
    if sigma == 0:
        return 0.0
    return sigma**2 * d / (n - d - 1) if n >= d + 2 else np.inf


def _design(X: np.ndarray) -> np.ndarray:
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"X must have shape (n, d), got {X.shape}; reshape a single feature to (n, 1)")
    return X
