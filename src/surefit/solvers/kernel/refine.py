"""Layer solvers: kernel systems too large for a float64 factorisation, solved to float64 accuracy all the same.

In: a `KernelSystem` and right-hand sides.  Out: its solution with a residual measured in float64.  A cheap solver
(conjugate gradients on a stored, rounded Gram matrix with a randomly pivoted Cholesky preconditioner; or a float32
Cholesky factor) is wrapped in refinement: each sweep solves for the residual of the one before, which is computed
afresh in float64 tiles.  A sweep that does not halve the residual ends the attempt.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from surefit.kernels.low_rank import pivoted_cholesky
from surefit.kernels.stored import StoredGram
from surefit.progress import Task
from surefit.solvers.conjugate_gradients import conjugate_gradients
from surefit.solvers.kernel import limits
from surefit.solvers.kernel.system import KernelSystem
from surefit.threads import interruptible


@dataclass(frozen=True)
class RefinedWeights:
    """What refinement ended with: ``beta``, its values at the points, the relative residual of the worst column."""

    beta: np.ndarray
    values: np.ndarray
    error: float
    converged: bool
    iterations: int


Correction = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, int]]
"""From a residual and the size of residual wanted (one per column): an approximate solution and its iterations."""


def refine(
    system: KernelSystem, targets: np.ndarray, sum_lam: float, correction: Correction, tol: float
) -> RefinedWeights:
    """Solve the system until ``||residual|| <= tol * ||Q S y||`` for every column, by repeated ``correction``."""
    residual = system.centred(system.root * targets)
    size = np.linalg.norm(residual, axis=0)
    beta, error, iterations = np.zeros_like(residual), 1.0, 0
    best, tell = (beta, np.zeros_like(beta), error), Task("kernel ridge", limits.SWEEPS)
    for sweep in range(limits.SWEEPS):
        step, spent = correction(residual, 0.3 * tol * size)
        beta, iterations = system.centred(beta + step), iterations + spent
        values = system.values(beta)
        residual = system.residual(targets, sum_lam, beta, values)
        before, error = error, float(np.max(np.linalg.norm(residual, axis=0) / np.where(size > 0, size, 1.0)))
        tell(sweep + 1, error)
        if error < best[-1]:
            best = (beta, values, error)
        if error <= tol or not error < 0.5 * before:
            break
    return RefinedWeights(*best, converged=best[-1] <= tol, iterations=iterations)


class ConjugateGradients:
    """``M^{-1}`` to a few digits from a stored Gram matrix, for several right-hand sides at once.

    The preconditioner is ``(F F' + c I)^{-1}`` with ``F`` a randomly pivoted partial Cholesky factor of ``S K S``.
    ``digits`` is the relative accuracy of one solve: more than the stored matrix has would be wasted.
    """

    def __init__(self, system: KernelSystem, stored: StoredGram, sum_lam: float, rank: int, digits: float):
        self.system, self.stored, self.sum_lam, self.digits = system, stored, sum_lam, digits
        single = sum_lam > limits.SINGLE_BASIS * float(system.kernel.diag(system.X) @ system.weight)
        kind: type = np.float32 if single else np.float64
        F = pivoted_cholesky(system.kernel, system.X, rank, rule="random", random_state=0, dtype=kind).F
        F = np.ascontiguousarray(F * system.root.astype(kind))
        values, vectors = np.linalg.eigh((F.T @ F).astype(np.float64))
        seen = values > (1e-6 if single else 1e-12) * max(float(values[-1]), 0.0) if len(values) else values > 0
        values, vectors = values[seen], vectors[:, seen]
        self.basis = F @ (vectors / np.sqrt(values)).astype(kind)
        largest = 1.0 - (10.0 * limits.SINGLE_BASIS if single else 0.0)
        self.shrink = np.minimum(values / (values + sum_lam), largest)[:, None]

    def _matrix(self, V: np.ndarray) -> np.ndarray:
        root = self.system.root
        return self.system.centred(root * self.stored.times(root * V)) + self.sum_lam * V

    def _preconditioned(self, V: np.ndarray) -> np.ndarray:
        size = np.linalg.norm(V, axis=0)
        size[size == 0] = 1.0
        unit = (V / size).astype(self.basis.dtype)
        seen = self.basis @ (self.shrink * (self.basis.T @ unit)).astype(self.basis.dtype)
        return self.system.centred(V - seen * size)

    def __call__(self, right: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, int]:
        goal = np.maximum(self.digits * np.linalg.norm(right, axis=0), wanted)
        done = lambda residual, energy: np.linalg.norm(residual, axis=0) <= goal
        return conjugate_gradients(self._matrix, self._preconditioned, right, done, limits.INNER_ITERATIONS)


class CholeskyCorrection:
    """``M^{-1}`` from a Cholesky factor in float32 or float64; ``LinAlgError`` if rounding made ``M`` indefinite."""

    def __init__(self, system: KernelSystem, sum_lam: float, dtype: type):
        M = system.dense() if dtype is np.float64 else _single(system)
        M[np.diag_indices(system.n)] += dtype(sum_lam)
        self.lower = interruptible(system.n**3, np.linalg.cholesky, M)

    def __call__(self, right: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, int]:
        size = np.linalg.norm(right, axis=0)
        size[size == 0] = 1.0
        half = linalg.solve_triangular(self.lower, right / size, lower=True, check_finite=False)
        return linalg.solve_triangular(self.lower, half, lower=True, trans="T", check_finite=False) * size, 1


def _single(system: KernelSystem) -> np.ndarray:
    """The dense matrix in float32, without a float64 copy."""
    root = system.root.astype(np.float32)
    K = system.kernel.gram(system.X, np.float32)
    K *= root
    K *= root.T
    if system.fit_intercept:
        share = root / np.float32(system.total)
        for axis in (0, 1):
            K -= (share @ (root.T @ K)) if axis == 0 else (K @ root) @ share.T
    return K
