"""Layer objective: ``Problem``, one regularised risk with its dual, its duality gap and its optimality residual.

In: a design (dense or SciPy sparse; only ``X @ w`` and ``X.T @ u`` are used), targets, a loss, a penalty, ``lam``.
Out: numbers that certify a candidate solution.  Nothing here searches for one.

Fenchel duality, with ``p`` the sample weights scaled to sum 1 and ``f = X w + b``:

    minimise over (w, b)   sum_i p_i loss(y_i, f_i) + lam * penalty(w)
    maximise over u        - sum_i p_i loss*(y_i, u_i) - (lam * penalty)*(-X'(p u)),   sum_i p_i u_i = 0 if b is free

Any dual value is below any primal one, so their difference bounds the suboptimality, however the points were found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit.objective.loss import Loss
from surefit.objective.penalty import Penalty
from surefit.parameters import non_negative


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise ``sum_i p_i loss(y_i, x_i w + b) + lam * penalty(w)`` over ``w`` and, if wanted, ``b``.

    ``p`` is ``sample_weight`` scaled to sum 1, or ``1/n``.  ``X`` is (n, d), ``w`` is (d,) and ``b`` a number; for
    ``SoftmaxCrossEntropy`` ``w`` is (d, k) and ``b`` (k,).  The intercept is never penalised.  Catalogue P-08.

    >>> from surefit.objective import L1, Squared
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0]), Squared(), L1(), 0.5)
    >>> round(problem.primal([0.9], 1.4), 12), problem.gap([0.9], 1.4) < 1e-12
    (1.175, True)
    """

    X: Any
    y: np.ndarray
    loss: Loss
    penalty: Penalty
    lam: float
    sample_weight: np.ndarray | None = None
    fit_intercept: bool = True
    _p: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        X = self.X if hasattr(self.X, "tocsr") else np.asarray(self.X, dtype=float)
        if len(X.shape) != 2 or X.shape[0] == 0:
            raise ValueError(f"X must be a table with at least one row, got shape {X.shape}; use X.reshape(-1, 1)")
        y = self.loss.check_targets(self.y)
        if y.shape != (X.shape[0],):
            raise ValueError(f"y must have one entry per row of X, got {y.shape} for {X.shape[0]} rows; pass y[:, 0]?")
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "lam", non_negative("lam", self.lam, "use lam=0 for no penalty"))
        object.__setattr__(self, "_p", mean_weights(self.sample_weight, X.shape[0]))

    @property
    def weights(self) -> np.ndarray:
        """The weights ``p`` of the mean loss: non-negative, sum 1, shape (n,)."""
        return self._p

    def scores(self, w: ArrayLike, b: ArrayLike = 0.0) -> np.ndarray:
        """Predictions ``X w + b``."""
        return self.X @ np.asarray(w, dtype=float) + b

    def risk(self, w: ArrayLike, b: ArrayLike = 0.0) -> float:
        """Weighted mean loss, without the penalty."""
        return float(self._p @ self.loss.value(self.y, self.scores(w, b)))

    def primal(self, w: ArrayLike, b: ArrayLike = 0.0) -> float:
        """The objective at ``(w, b)``."""
        return self.risk(w, b) + (self.lam * self.penalty.value(w) if self.lam > 0 else 0.0)

    def gradient(self, w: ArrayLike, b: ArrayLike = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Gradient of the mean loss (without the penalty) in ``w`` and in ``b``."""
        pull = self._weighted(self.loss.derivative(self.y, self.scores(w, b)))
        return self.X.T @ pull, pull.sum(axis=0)

    def dual(self, u: ArrayLike) -> float:
        """The dual objective at ``u`` (one entry per sample), ``-inf`` if ``u`` is not feasible."""
        u = np.asarray(u, dtype=float)
        pull = self._weighted(u)
        if self.fit_intercept and np.any(np.abs(pull.sum(axis=0)) > 1e-10 * np.abs(pull).sum(axis=0)):
            return -np.inf
        return self._dual_value(u, self.X.T @ pull)

    def gap(self, w: ArrayLike, b: ArrayLike = 0.0, u: ArrayLike | None = None) -> float:
        """How far ``(w, b)`` can be from optimal at most, on the scale of the objective; never too small.

        ``primal(w, b) - dual(u)`` at the dual point ``u_i = loss'(y_i, f_i)``, or at the ``u`` that a solver gives,
        after it has been made feasible: balanced for the intercept, scaled into the domain of the penalty's conjugate.
        At kinks of the loss (a residual of exactly 0, or on the edge of the tube) the default ``u`` is only one of
        many subgradients and the gap may be loose; solvers for such losses know a better one.
        """
        if u is None:
            u = self.loss.derivative(self.y, self.scores(w, b))
        best = max(self._feasible_value(np.asarray(u, dtype=float)), self._trivial_value(u))
        return max(self.primal(w, b) - best, 0.0)

    def residual(self, w: ArrayLike, b: ArrayLike = 0.0, step: float = 1.0) -> float:
        """Length of ``(w - prox(w - step * g_w, step * lam)) / step`` together with ``g_b``; zero only at an optimum.

        ``g`` is the gradient of the mean loss.  For ``lam=0`` this is the length of the gradient.  At a minimiser it
        is zero if the loss is smooth; at a kink of the loss it depends on the subgradient that the loss picks.
        """
        w = np.asarray(w, dtype=float)
        slope, pull = self.gradient(w, b)
        moved = w - step * slope
        target = self.penalty.prox(moved, step * self.lam) if self.lam > 0 else moved
        parts = [np.ravel(w - target) / step]
        if self.fit_intercept:
            parts.append(np.ravel(pull))
        return float(np.linalg.norm(np.concatenate(parts)))

    def _weighted(self, u: np.ndarray) -> np.ndarray:
        return self._p * u if u.ndim == 1 else self._p[:, None] * u

    def _dual_value(self, u: np.ndarray, pull: np.ndarray) -> float:
        costs = self.loss.conjugate(self.y, u)
        counted = self._p > 0  # a sample of weight 0 must not turn 0 * inf into nan
        return -float(self._p[counted] @ costs[counted]) - self.penalty.conjugate(-pull, self.lam)

    def _feasible_value(self, u: np.ndarray) -> float:
        """Dual value at the feasible point made from ``u``."""
        if self.lam == 0:
            return self._unpenalised_value(u)
        if self.fit_intercept:
            u = self.loss.balanced(self.y, u, self._p)
        pull = self.X.T @ self._weighted(u)
        scale = self.penalty.dual_scaling(pull, self.lam)
        return self._dual_value(scale * u, scale * pull)

    def _trivial_value(self, u: ArrayLike) -> float:
        """Dual value at ``u = 0``: the mean of the smallest possible losses.  Always feasible, seldom close."""
        return self._dual_value(np.zeros(np.shape(u)), np.zeros(self.X.shape[1:]))

    def _unpenalised_value(self, u: np.ndarray) -> float:
        """Dual value at the part of ``u`` orthogonal to all columns, which is what ``lam = 0`` asks of a dual point."""
        columns = self.X.toarray() if hasattr(self.X, "toarray") else self.X
        if self.fit_intercept:
            columns = np.column_stack([np.ones(len(columns)), columns])
        root = np.sqrt(self._p) if u.ndim == 1 else np.sqrt(self._p)[:, None]
        design = np.sqrt(self._p)[:, None] * columns
        shifted = u - columns @ np.linalg.lstsq(design, root * u, rcond=None)[0]
        return self._dual_value(shifted, np.zeros(self.X.shape[1:]))


def mean_weights(sample_weight: ArrayLike | None, n: int) -> np.ndarray:
    """Weights scaled to sum 1; ``1/n`` each if none are given."""
    if sample_weight is None:
        return np.full(n, 1.0 / n)
    weights = np.asarray(sample_weight, dtype=float)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weights.shape}; give one weight per row of X")
    if not np.all(np.isfinite(weights) & (weights >= 0)) or not weights.sum() > 0:
        raise ValueError("sample_weight must be finite, >= 0 and not all 0; drop the rows that should not count")
    return weights / weights.sum()
