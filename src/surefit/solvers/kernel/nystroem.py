"""Layer solvers: ridge on the features of a `LowRankMap`, for more rows than their features could be held for.

In: a map of rank ``r``, rows, targets, ``lam``.  Out: a `Solution`; never an ``n x n`` matrix.  Up to a few thousand
rows the features are computed and `least_squares.ridge` solves.  Beyond, conjugate gradients on tiles of
``k(x_i, z_j)`` in float32 (kept if they fit), preconditioned by the normal equations of a sample of the rows, correct
what a residual in float64 still shows.  Where float32 says too little about the weakest directions (landmarks that
almost depend on each other, hardly any penalty) the features are solved directly after all, if they fit in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import linalg

from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.kernels.fold import Folding, fold
from surefit.kernels.low_rank import LowRankMap
from surefit.parameters import non_negative
from surefit.progress import Task
from surefit.solvers.conjugate_gradients import Map, conjugate_gradients
from surefit.solvers.cost import memory_limit
from surefit.solvers.kernel import limits
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.solution import SOLVED, ScaledTarget, Solution, Status
from surefit.threads import cores, map_in_order, one_blas_thread


def nystroem_ridge(
    features: LowRankMap,
    X: Any,
    targets: np.ndarray,
    lam: float,
    weight: Any = None,
    fit_intercept: bool = False,
    memory: float | None = None,
) -> Solution:
    """Minimise ``mean((y - f(x))**2) + lam * ||f||**2`` over ``f(x) = c'phi(x) + b``, ``||f|| = ||c||``.

    ``targets`` has shape ``(n, k)``, ``coef`` of the solution ``(rank, k)``; predictions are
    ``kernel.times(X, landmarks, features.landmark_weights(coef)) + intercept``.  The gap is a bound by strong
    convexity, infinite at ``lam = 0`` unless solved directly.  Blocks of kernel values are kept if they fit into
    ``memory`` bytes.  Catalogue A-14, A-09.

    >>> from surefit.kernels.library import Gaussian
    >>> from surefit.kernels.low_rank import nystroem_map
    >>> X = np.linspace(0.0, 6.0, 50)[:, None]
    >>> solution = nystroem_ridge(nystroem_map(Gaussian(), X, 10, random_state=0), X, np.sin(X), lam=1e-6)
    >>> bool(solution.objective < 1e-4), solution.coef.shape
    (True, (10, 1))
    """
    non_negative("lam", lam, "use lam=0 for least squares on the features")
    design, targets = Design.of(X, weight), np.asarray(targets, dtype=np.float64)
    if targets.ndim != 2 or len(targets) != design.n or not np.all(np.isfinite(targets)):
        raise ValueError(f"targets must be finite with shape ({design.n}, k), got shape {targets.shape}")
    targets, design = targets[design.weight > 0], design.counted()
    few = design.n <= max(limits.SAMPLE, limits.SAMPLE_RATIO * features.rank)
    if not few and lam > 0.0:
        scaled = ScaledTarget.of(targets)
        keep = 4 * design.n * features.rank < memory_limit(memory)
        system = _System.of(features, design, scaled.values, lam, fit_intercept, keep)
        with one_blas_thread():  # what is large runs on threads of our own
            found = scaled.restore(_iterated(system))
        good = found.status in SOLVED and found.gap < limits.LANDMARK_GAP * found.objective
        if good or 24 * design.n * features.rank > memory_limit(memory):
            return found
    mapped = Design(features.transform(design.X), design.weight)
    return ridge(mapped, targets, lam, fit_intercept).solution


def _kept(features: LowRankMap, X: Any) -> Folding:
    """The fold of ``k(x_i, z_j)``, computed once and kept in float32."""
    block = features.kernel.block(X, features.landmarks, np.float32)
    return lambda A, Y, weight: fold(block, A, Y, weight, cores())


@dataclass(frozen=True)
class _Residual:
    """Half the gradient of the sum of losses at some coefficients, what remains unexplained, and the best offset."""

    gradient: np.ndarray
    squares: np.ndarray
    offset: np.ndarray


@dataclass(frozen=True)
class _System:
    """``(phi' W phi + sum_lam I) c = phi' W y`` with ``phi = C L^{-T}``, centred if there is an intercept.

    ``rough`` folds ``C`` in float32, ``exact`` in float64, ``start`` is the rough fold at zero coefficients, ``mean``
    is ``C' W 1`` (None without an intercept).
    """

    features: LowRankMap
    design: Design
    y: np.ndarray
    lam: float
    rough: Folding
    exact: Folding
    start: np.ndarray
    mean: np.ndarray | None

    @staticmethod
    def of(features: LowRankMap, design: Design, y: np.ndarray, lam: float, fit_intercept: bool, keep: bool) -> _System:
        kernel, landmarks = features.kernel, features.landmarks
        keep = keep and not kernel.recomputes(design.X)
        rough = _kept(features, design.X) if keep else kernel.folding(design.X, landmarks, np.float32)
        k = y.shape[1]
        start = rough(np.zeros((features.rank, k + 1)), np.column_stack([y, np.ones(design.n)]), design.weight)
        mean = start[:-2, k] if fit_intercept else None
        return _System(features, design, y, lam, rough, kernel.folding(design.X, landmarks), start[:, :k], mean)

    @property
    def sum_lam(self) -> float:
        return self.lam * self.design.total_weight

    def residual(self, fold: Folding, y: np.ndarray, coef: np.ndarray, offset: np.ndarray) -> _Residual:
        """For targets ``y`` at ``coef``, with sums in float64 over values in the precision of ``fold``.

        ``offset`` is close to the best one, which is returned: what differs is multiplied by a mean in float32.
        """
        return self._residual(fold(self.features.landmark_weights(coef), y - offset, self.design.weight), coef, offset)

    def first(self) -> tuple[np.ndarray, _Residual]:
        """Zero coefficients and their residual."""
        coef = np.zeros((self.features.rank, self.y.shape[1]))
        return coef, self._residual(self.start, coef, np.zeros(coef.shape[1]))

    def _residual(self, sums: np.ndarray, coef: np.ndarray, offset: np.ndarray) -> _Residual:
        pulled, squares = sums[:-2], sums[-1]
        if self.mean is not None:
            moved = sums[-2] / self.design.total_weight
            pulled, squares = pulled - np.outer(self.mean, moved), squares - moved * sums[-2]
            offset = offset + moved
        gradient = linalg.solve_triangular(self.features.lower, pulled, lower=True, check_finite=False)
        return _Residual(gradient - self.sum_lam * coef, squares, offset)

    def raised(self, coef: np.ndarray) -> np.ndarray:
        """The mean prediction of ``coef``, which the offset makes up for; none without an intercept."""
        if self.mean is None:
            return np.zeros(coef.shape[1])
        return self.mean @ self.features.landmark_weights(coef) / self.design.total_weight

    def apply(self, coef: np.ndarray) -> np.ndarray:
        """``(phi' W phi + sum_lam I) coef`` in float32."""
        return -self.residual(self.rough, np.zeros_like(self.y), coef, np.zeros(self.y.shape[1])).gradient

    def preconditioner(self) -> Map:
        """The solution of the same system for a sample of the rows, in float32 where its rounding is far below lam."""
        count = max(limits.SAMPLE, limits.SAMPLE_RATIO * self.features.rank)
        rows = np.sort(np.random.default_rng(0).choice(self.design.n, count, replace=False))
        X, root = self.design.X[rows], np.sqrt(self.design.weight[rows] / self.design.weight[rows].sum())[:, None]
        kernel, landmarks, dtype = self.features.kernel, self.features.landmarks, self._sample_precision(X)
        whitener, root = self.features.whitener.astype(dtype), root.astype(dtype)

        def part(first: int) -> tuple[np.ndarray, np.ndarray]:
            cut = slice(first, first + limits.SAMPLE_BLOCK)
            phi = root[cut] * (kernel.block(X[cut], landmarks, dtype) @ whitener)
            return (phi.T @ phi).astype(np.float64), (phi.T @ root[cut]).astype(np.float64)

        squares, means = zip(*map_in_order(part, range(0, count, limits.SAMPLE_BLOCK)), strict=True)
        system, mean = np.asarray(sum(squares)), np.asarray(sum(means))
        if self.mean is not None:
            system -= mean @ mean.T
        system[np.diag_indices_from(system)] += max(self.lam, EPS * float(np.trace(system)))
        lower = linalg.cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        return lambda gradient: linalg.cho_solve(lower, gradient / self.design.total_weight, check_finite=False)

    def _sample_precision(self, X: Any) -> np.dtype:
        """float32 if neither the rounding of features nor that of their products comes near ``lam``."""
        eps, largest = float(np.finfo(np.float32).eps), float(np.max(self.features.kernel.diag(X)))
        of_features = eps * largest * float(np.linalg.norm(self.features.whitener))
        fine = eps * largest <= self.lam and of_features <= 0.1 * np.sqrt(self.lam)
        return np.dtype(np.float32 if fine else np.float64)

    def gap(self, at: _Residual, coef: np.ndarray) -> float:
        """What the objective can exceed its minimum by: ``||gradient||**2 / (4 lam)`` and the gradient's rounding."""
        total, r = self.design.total_weight, self.features.rank
        largest = float(np.max(self.features.kernel.diag(self.design.X)))
        weights = np.abs(self.features.landmark_weights(coef)).sum(axis=0)
        inverse = float(np.linalg.norm(self.features.whitener))
        spread = np.sqrt(total * np.maximum(at.squares, 0.0))
        noise = EPS * (largest * np.sqrt(r) * inverse * spread + total * largest**1.5 * weights)
        return float(np.sum((np.linalg.norm(at.gradient, axis=0) + noise) ** 2)) / (total * self.sum_lam)


def _iterated(system: _System) -> Solution:
    """Corrections by conjugate gradients on cheap tiles until the residual in float64 is small."""
    solve, tell = system.preconditioner(), Task("Nystroem ridge", limits.LANDMARK_ITERATIONS)
    (coef, at), error, steps = system.first(), 1.0, 0
    start = _energy(at.gradient, solve)
    while steps < limits.LANDMARK_ITERATIONS and start > 0.0:
        reduction = max(0.3 * limits.LANDMARK_TOL / error, limits.LANDMARK_FLOOR)
        step, taken = _correction(system, solve, at.gradient, reduction)
        coef, steps = coef + step, steps + taken
        at = system.residual(system.exact, system.y, coef, at.offset - system.raised(step))
        error, before = _energy(at.gradient, solve) / start, error
        tell(steps, error)
        if error <= limits.LANDMARK_TOL or error > 0.25 * before:  # there, or float32 cannot resolve what is left
            break
    solved = error <= limits.LANDMARK_TOL or start == 0.0
    objective = float(np.sum(at.squares)) / system.design.total_weight + system.lam * float(np.sum(coef**2))
    facts = {
        "method": "preconditioned conjugate gradients",
        "rank": system.features.rank,
        "error": error if start else 0.0,
    }
    return Solution(coef, at.offset, Status.CONVERGED if solved else Status.MAX_ITER, system.gap(at, coef), objective,
                    steps, facts=MappingProxyType(facts))  # fmt: skip


def _correction(system: _System, solve: Map, gradient: np.ndarray, reduction: float) -> tuple[np.ndarray, int]:
    """The solution for ``gradient``: residuals fall to ``reduction`` of their first, in the preconditioner's metric."""
    goal = reduction**2 * np.sum(gradient * solve(gradient), axis=0)
    done = lambda residual, energy: energy <= goal
    return conjugate_gradients(system.apply, solve, gradient, done, limits.LANDMARK_ITERATIONS)


def _energy(gradient: np.ndarray, solve: Map) -> float:
    """The norm of the correction that the preconditioner proposes, in its own metric."""
    return float(np.sqrt(max(np.sum(gradient * solve(gradient)), 0.0)))
