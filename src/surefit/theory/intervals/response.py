"""Layer theory: how the prediction at a new row responds to each training target, for fits linear in the targets.

In: a factorised design, or a kernel system, with targets and ``lam``.  Out: a `LinearResponse` or `KernelResponse`:
residuals, left-out residuals, and at any new row ``x`` its prediction ``f(x)``, the gains ``g_i(x) = G(x_i, x)`` of the
training targets in it and its own gain ``G(x, x)``, where ``G(x, z) = phi(x)' (A'A + n lam I)^{-1} phi(z)`` (the
intercept adds ``1/n``, features being centred).  Leaving a set ``S`` of rows out, ``n * lam`` fixed, gives

    f_{-S}(x) = f(x) - sum_{i in S} g_i(x) e_i,      e_S = (I - H_SS)^{-1} r_S  (the left-out residuals).

Rows count once: weights would make them unequal, and unequal rows are not exchangeable.  Catalogue T-76.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import lapack

from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.solvers.kernel.system import KernelSystem
from surefit.solvers.linear.factor import SpectralFactor
from surefit.theory.fit.loo import exact_loo
from surefit.theory.fit.smoother import leverages
from surefit.threads import one_blas_thread

WORST_CONDITION = 1e12
"""Largest condition number of a kernel system whose inverse still has digits worth using."""
ALONE = 1_000
"""Side of a matrix up to which one thread inverts it about as fast as several, and much faster on a busy machine."""


@dataclass(frozen=True)
class Gains:
    """At ``m`` new rows: predictions ``(m,)``, gains of the training targets ``(m, n)``, own gains ``(m,)``."""

    prediction: np.ndarray
    gain: np.ndarray
    own: np.ndarray


class Response(Protocol):
    """What jackknife+, CV+ and full conformal prediction need to know of a fit."""

    @property
    def residual(self) -> np.ndarray:
        """``y_i - f(x_i)``, shape ``(n,)``."""

    @property
    def left_out(self) -> np.ndarray:
        """``y_i - f_{-i}(x_i)``, shape ``(n,)``; infinite where it is undefined."""

    @property
    def room(self) -> np.ndarray:
        """``1 - H_ii``, shape ``(n,)``: what the fit leaves of a row's own target."""

    def left_out_together(self, rows: np.ndarray) -> np.ndarray:
        """Residuals of ``rows`` in the fit without all of them."""

    def at(self, X: Any) -> Gains:
        """Predictions and gains at the rows of ``X``."""


@dataclass(frozen=True)
class LinearResponse:
    """Least squares and ridge; ``y`` is ``(n,)``, all weights one, ``lam = 0`` for least squares.

    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> response = LinearResponse(factor, np.array([1.0, 3, 2, 5]), 0.0)
    >>> response.at([[2.0]]).gain.round(12)                          # a row of the hat matrix
    array([[0.1, 0.2, 0.3, 0.4]])
    """

    factor: SpectralFactor
    y: np.ndarray
    lam: float
    features: Callable[[Any], Any] | None = None
    """What turns new rows into rows of the design, if anything."""

    @cached_property
    def _shrink(self) -> np.ndarray:
        return self.factor.shrinkage(np.array([self.lam * len(self.y)]))[0]

    @cached_property
    def _left(self) -> np.ndarray:
        return np.concatenate([block for _, block in self.factor.left_blocks()])

    @cached_property
    def _root(self) -> np.ndarray:
        """``V / s``: centred rows times this are rows of ``U``."""
        return self.factor.coef(np.diag(1 / self.factor.singular))

    @cached_property
    def _spectral(self) -> np.ndarray:
        return self._shrink * (self._left.T @ self.factor.A.target(self.y))

    @cached_property
    def residual(self) -> np.ndarray:
        return self.factor.A.target(self.y) - self._left @ self._spectral

    @cached_property
    def left_out(self) -> np.ndarray:
        return exact_loo(self.factor, self.y, np.array([self.lam]))[0]

    @cached_property
    def room(self) -> np.ndarray:
        return np.maximum(1.0 - leverages(self.factor, np.array([self.lam]))[0], 0.0)

    def left_out_together(self, rows: np.ndarray) -> np.ndarray:
        U = self._left[rows]
        room = np.eye(len(rows)) - self._constant - (U * self._shrink) @ U.T
        if np.linalg.eigvalsh(room)[0] <= len(rows) * EPS:
            raise ValueError("without one of the folds the fit is not determined; use more folds or lam > 0")
        return np.linalg.solve(room, self.residual[rows])

    @property
    def _constant(self) -> float:
        return 1.0 / len(self.y) if self.factor.A.fit_intercept else 0.0

    def at(self, X: Any) -> Gains:
        A = replace(self.factor.A, design=Design.of(X if self.features is None else self.features(X)))
        centred = A.dense()
        U = centred @ self._root
        shrunk = U * self._shrink
        own = np.einsum("ij,ij->i", U, shrunk) + self._constant
        sum_lam = self.lam * len(self.y) / self.factor.common_scale**2
        if self.factor.rank < A.d:  # the part of a row that no training row has
            size = np.sum(centred**2, axis=1)
            outside = np.maximum(size - np.sum((U * self.factor.singular) ** 2, axis=1), 0.0)
            own += outside / sum_lam if sum_lam > 0 else np.where(outside > 1e-9 * size, np.inf, 0.0)
        prediction = self.factor.A.target_mean(self.y) + U @ self._spectral
        return Gains(prediction, shrunk @ self._left.T + self._constant, own)


@dataclass(frozen=True)
class KernelResponse:
    """Kernel ridge, exact, from the inverse ``Q`` of the system's matrix; weights one, ``lam > 0``.

    Left-out residuals are ``alpha_i / Q_ii`` with ``alpha = Q y``.  With an offset ``Q`` is the inverse on the centred
    vectors and zero on constants.

    >>> from surefit.kernels.library import Linear
    >>> system = KernelSystem(Linear(), np.array([[1.0], [2.0], [3.0]]), np.ones(3), False)
    >>> KernelResponse(system, np.array([1.0, 3.0, 5.0]), 1 / 3).at(np.array([[1.0]])).gain.round(12) * 15
    array([[1., 2., 3.]])
    """

    system: KernelSystem
    y: np.ndarray
    lam: float

    @property
    def _sum_lam(self) -> float:
        return self.lam * self.system.n

    @cached_property
    def _inverse(self) -> np.ndarray:
        n, M = self.system.n, self.system.dense()
        lift = np.linalg.norm(M) / n if self.system.fit_intercept else 0.0
        M += lift  # constants get an eigenvalue of their own, far from zero
        M[np.diag_indices(n)] += self._sum_lam
        norm = np.linalg.norm(M, 1)
        with one_blas_thread(n <= ALONE):
            factor, failed = lapack.dpotrf(M.T, lower=True, overwrite_a=True)
            if failed or lapack.dpocon(factor, norm, uplo="L")[0] * WORST_CONDITION < 1:
                raise ValueError(
                    f"lam={self.lam:.3g} is so small for this kernel that rounding decides the left-out fits; use a "
                    "larger lam, or intervals from a hold-out (surefit.calibrate)"
                )
            triangle, _ = lapack.dpotri(factor, lower=True, overwrite_c=True)
        Q = np.tril(triangle) + np.tril(triangle, -1).T
        return Q - 1.0 / (n * (self._sum_lam + n * lift)) if self.system.fit_intercept else Q

    @cached_property
    def _dual(self) -> np.ndarray:
        return self._inverse @ (self.y - self._mean)

    @property
    def _mean(self) -> float:
        return float(self.y.mean()) if self.system.fit_intercept else 0.0

    @property
    def residual(self) -> np.ndarray:
        return self._sum_lam * self._dual

    @cached_property
    def left_out(self) -> np.ndarray:
        return self._dual / np.diag(self._inverse)

    @property
    def room(self) -> np.ndarray:
        return self._sum_lam * np.diag(self._inverse)

    def left_out_together(self, rows: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self._inverse[np.ix_(rows, rows)], self._dual[rows])

    @cached_property
    def _column_means(self) -> np.ndarray:
        """``K 1 / n``: what centring subtracts."""
        return self.system.values(np.full((self.system.n, 1), 1.0 / self.system.n))[:, 0]

    def at(self, X: Any) -> Gains:
        block, diagonal = self.system.kernel.block(X, self.system.X), self.system.kernel.diag(X)
        constant = 0.0
        if self.system.fit_intercept:
            means = block.mean(axis=1)
            diagonal = diagonal - 2 * means + self._column_means.mean()
            block = block - means[:, None] - (self._column_means - self._column_means.mean())
            constant = 1.0 / self.system.n
        gain = block @ self._inverse
        own = np.maximum(diagonal - np.einsum("ij,ij->i", gain, block), 0.0) / self._sum_lam + constant
        return Gains(self._mean + block @ self._dual, gain + constant, own)
