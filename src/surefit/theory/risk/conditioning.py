"""Layer *theory*: what the eigenvalues of a design say about ridge and about gradient descent.

In: a design ``X`` of shape ``(n, d)`` (and ``lam``, responses or a step).  Out: condition numbers, perturbation bounds,
the multiplier of a norm constraint, step thresholds and contraction factors.  Eigenvalues are those of
``S = X^T X / n``, matching ``mean((y - X w)**2) + lam ||w||**2``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


@dataclass(frozen=True)
class Conditioning:
    """Extreme eigenvalues of ``S + lam I`` and their ratio."""

    smallest: float
    largest: float

    @property
    def number(self) -> float:
        """The condition number ``largest / smallest``, infinite for a singular matrix."""
        return self.largest / self.smallest if self.smallest > 0 else np.inf

    @property
    def invertible(self) -> bool:
        """Whether the normal equations have one solution; always for ``lam > 0``."""
        return self.smallest > 0


def ridge_conditioning(X: np.ndarray, lam: float) -> Conditioning:
    """Condition of the ridge normal equations: ``(mu_max + lam) / (mu_min + lam)``, ``mu`` the eigenvalues of ``S``.

    ``S + lam I`` has eigenvalues ``mu_i + lam > 0`` for ``lam > 0``; at ``lam = 0`` it is invertible iff ``X`` has
    independent columns.  Catalogue T-13, T-85.

    >>> ridge_conditioning(np.array([[2.0, 0.0], [0.0, 0.0]]), lam=0.5).number
    5.0
    """
    singular, _ = _singular(X)
    d = np.shape(X)[1]
    mu = singular**2 / len(X)
    return Conditioning(float(mu[-1] if len(mu) == d else 0.0) + _checked(lam), float(mu[0] if len(mu) else 0.0) + lam)


def coefficient_shift_bound(X: np.ndarray, response_shift: np.ndarray, lam: float) -> float:
    """How far ridge coefficients can move when ``y`` moves: ``||X^T dy|| / (n (mu + lam))``.

    ``mu`` is the smallest non-zero eigenvalue of ``S`` (the smallest one, when the columns are independent): ``X^T dy``
    lies in the row space.  At ``lam = 0`` the bound is for minimum-norm least squares.  Catalogue T-85.

    >>> coefficient_shift_bound(np.diag([2.0, 1.0]), np.array([0.0, 3.0]), lam=1.0)
    1.0
    """
    singular, _ = _singular(X)
    if len(singular) == 0:
        return 0.0
    push = float(np.linalg.norm(np.asarray(X, dtype=float).T @ np.asarray(response_shift, dtype=float)))
    return push / (float(singular[-1]) ** 2 + len(X) * _checked(lam))


def lam_for_norm(X: np.ndarray, y: np.ndarray, radius: float) -> float:
    """The ``lam`` whose ridge solution has ``||w|| = radius``: penalised and constrained ridge are the same problem.

    ``||w(lam)||`` falls strictly from the norm of minimum-norm least squares to 0, so each radius in between has one
    ``lam``; a larger radius does not bind and gives ``lam = 0``.  No intercept: centre first.  Catalogue T-22.

    >>> x, y = np.array([[-1.5], [-0.5], [0.5], [1.5]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> round(lam_for_norm(x, y, radius=0.55), 9)
    1.25
    """
    if not radius > 0:
        raise ValueError(f"radius must be > 0, got {radius}; a ball of radius 0 needs lam=inf")
    singular, left = _singular(X)
    turned = left.T @ np.asarray(y, dtype=float)
    n = len(np.asarray(X))

    def norm(lam: float) -> float:
        return float(np.linalg.norm(singular * turned / (singular**2 + n * lam)))

    if norm(0.0) <= radius:
        return 0.0
    largest = float(np.linalg.norm(singular * turned)) / (n * radius)  # ||w(lam)|| <= ||X^T y|| / (n lam)
    return float(brentq(lambda lam: norm(lam) - radius, 0.0, largest, xtol=1e-300, rtol=1e-14))


@dataclass(frozen=True, eq=False)
class GradientSteps:
    """Which constant steps make gradient descent on ``mean((y - X w)**2)`` converge, and how fast.

    The update is ``w - step (2/n) X^T (X w - y)``.  Directions outside the row space never move.
    """

    eigenvalues: np.ndarray  # non-zero eigenvalues of X^T X / n, descending
    n: int

    @property
    def largest_step(self) -> float:
        """Convergence from every start iff ``0 < step < 1 / mu_max``."""
        return 1.0 / float(self.eigenvalues[0])

    @property
    def largest_sum_step(self) -> float:
        """The same threshold for the update ``w - step X^T (X w - y)``: ``2 / lambda_max(X^T X)``."""
        return 2.0 * self.largest_step / self.n

    @property
    def best_step(self) -> float:
        """``1 / (mu_max + mu_min)``, which minimises the contraction factor."""
        return 1.0 / float(self.eigenvalues[0] + self.eigenvalues[-1])

    def contraction(self, step: float) -> float:
        """``max_i |1 - 2 step mu_i|``: the factor by which the error shrinks (or grows) in one step, at worst."""
        return float(np.max(np.abs(1.0 - 2.0 * step * self.eigenvalues)))


def gradient_steps(X: np.ndarray) -> GradientSteps:
    """Step thresholds and contraction factors of gradient descent for least squares.  Catalogue T-23, A-07.

    ``||w_t - w*||`` on the row space shrinks by ``max_i |1 - 2 step mu_i|`` a step, ``mu_i`` the non-zero eigenvalues
    of ``X^T X / n``; a step on the sum's half gradient is ``2 / n`` times one on the mean's.

    >>> x = np.arange(4.0)
    >>> steps = gradient_steps(np.column_stack([np.ones(4), x]))
    >>> round(steps.largest_step, 9), round(steps.largest_sum_step, 9)
    (0.237950065, 0.118975032)
    """
    singular, _ = _singular(X)
    if len(singular) == 0:
        raise ValueError("X is zero, so the gradient is zero everywhere; there is no step to choose")
    return GradientSteps(singular**2 / len(X), len(X))


def _singular(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Non-zero singular values, descending, and their left vectors."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"X must have shape (n, d), got {X.shape}; reshape a single feature to (n, 1)")
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    rank = int(np.sum(s > max(X.shape) * np.finfo(float).eps * s[0]))
    return s[:rank], U[:, :rank]


def _checked(lam: float) -> float:
    if not lam >= 0:
        raise ValueError(f"lam must be >= 0, got {lam}; use lam=0 for plain least squares")
    return lam
