"""Layer solvers: ridge on the features of a `LowRankMap`, for more rows than their features could be held for.

In: a map of rank ``r``, rows, targets, ``lam``.  Out: a `Solution`; never an ``n x n`` matrix.  Up to a few thousand
rows the features are computed and `least_squares.ridge` solves.  Beyond, conjugate gradients on tiles of
``k(x_i, z_j)`` in float32 (kept if they fit), preconditioned by the normal equations of a sample of the rows, correct
what a residual in float64 still shows; where float32 cannot, the tiles are computed in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import linalg

from surefit.data.centering import power_of_two
from surefit.data.design import Design
from surefit.data.threads import map_in_order
from surefit.features.kernel import Kernel
from surefit.features.lowrank import LowRankMap
from surefit.parameters import non_negative
from surefit.progress import Task
from surefit.solvers.factor import EPS
from surefit.solvers.least_squares import ridge
from surefit.solvers.plan import memory_limit
from surefit.solvers.solution import Solution, Status

SAMPLE = 4096
"""Fewest rows of the sample behind the preconditioner, and most rows that are solved directly."""
SAMPLE_RATIO = 10
"""Rows of the sample per feature: ten make 15 iterations or so reach float32's precision."""
TOL = 1e-6
"""Error at which iterations end: distance to the minimiser over the distance from zero, both by predictions."""
FLOOR = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-10}
"""Reduction that one run of conjugate gradients on tiles of that precision can be trusted with."""
MAX_ITER = 500

_CHUNK, _ROWS = 2048, 512  # rows that a thread takes at a time, and rows of a tile that stays in its cache


def nystroem_ridge(
    features: LowRankMap, X: Any, targets: np.ndarray, lam: float, weight: Any = None, fit_intercept: bool = False
) -> Solution:
    """Minimise ``mean((y - f(x))**2) + lam * ||f||**2`` over ``f(x) = c'phi(x) + b``, ``||f|| = ||c||``.

    ``targets`` has shape ``(n, k)``, ``coef`` of the solution ``(rank, k)``; predictions are
    ``kernel.times(X, landmarks, features.landmark_weights(coef)) + intercept``.  The gap is a bound by strong
    convexity, infinite at ``lam = 0`` unless solved directly.  Catalogue A-14, A-09.

    >>> from surefit.features.kernels import Gaussian
    >>> from surefit.features.lowrank import nystroem_map
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
    if design.n <= max(SAMPLE, SAMPLE_RATIO * features.rank) or lam == 0.0:
        mapped = Design(features.transform(design.X), design.weight)
        return ridge(mapped, targets, lam, fit_intercept).solution
    size = float(power_of_two(np.asarray(np.max(np.abs(targets), initial=0.0))))
    found = _iterated(_System.of(features, design, targets / size, lam, fit_intercept))
    return replace(
        found, coef=found.coef * size, intercept=found.intercept * size, gap=found.gap * size**2,
        objective=found.objective * size**2,
    )  # fmt: skip


@dataclass(frozen=True)
class _Tiles:
    """``C = k(x_i, z_j)`` by tiles of rows: kept, or computed whenever they are asked for."""

    kernel: Kernel
    X: Any
    landmarks: Any
    dtype: DTypeLike
    kept: np.ndarray | None = None

    @staticmethod
    def of(features: LowRankMap, X: Any, dtype: DTypeLike, keep: bool) -> _Tiles:
        tiles = _Tiles(features.kernel, X, features.landmarks, np.dtype(dtype))
        if not keep:
            return tiles
        kept = np.empty((X.shape[0], features.rank), dtype)

        def fill(rows: slice) -> None:
            kept[rows] = tiles.rows(rows)

        for _ in map_in_order(fill, _cuts(0, X.shape[0], _CHUNK)):
            pass
        return replace(tiles, kept=kept)

    def rows(self, rows: slice) -> np.ndarray:
        if self.kept is not None:
            return self.kept[rows]
        return self.kernel.block(self.X[rows], self.landmarks, self.dtype)

    def sum_over(self, function: Callable[[slice, np.ndarray], np.ndarray]) -> np.ndarray:
        """The sum of ``function(rows, tile)`` over all tiles, on all cores, in an order that is always the same."""

        def chunk(rows: slice) -> np.ndarray:
            return sum(function(tile, self.rows(tile)) for tile in _cuts(rows.start, rows.stop, _ROWS))  # type: ignore[return-value]

        return sum(map_in_order(chunk, _cuts(0, self.X.shape[0], _CHUNK)))  # type: ignore[return-value]


@dataclass(frozen=True)
class _Residual:
    """Half the gradient of the sum of losses at some coefficients, what remains unexplained, and the best offset."""

    gradient: np.ndarray
    squares: np.ndarray
    offset: np.ndarray


@dataclass(frozen=True)
class _System:
    """``(phi' W phi + sum_lam I) c = phi' W y`` with ``phi = C L^{-T}``, centred if there is an intercept."""

    features: LowRankMap
    design: Design
    y: np.ndarray
    level: np.ndarray
    lam: float
    fit_intercept: bool

    @staticmethod
    def of(features: LowRankMap, design: Design, y: np.ndarray, lam: float, fit_intercept: bool) -> _System:
        level = design.weight @ y / design.total_weight if fit_intercept else np.zeros(y.shape[1])
        return _System(features, design, y - level, level, lam, fit_intercept)

    @property
    def sum_lam(self) -> float:
        return self.lam * self.design.total_weight

    def tiles(self, dtype: DTypeLike) -> _Tiles:
        needed = 4 * self.design.n * self.features.rank
        keep = np.dtype(dtype) == np.float32 and needed < memory_limit(None)
        return _Tiles.of(self.features, self.design.X, dtype, keep)

    def whitened(self, pulled: np.ndarray) -> np.ndarray:
        return linalg.solve_triangular(self.features.lower, pulled, lower=True, check_finite=False)

    def residual(self, tiles: _Tiles, coef: np.ndarray) -> _Residual:
        """At ``coef``, with sums in float64 over tiles in theirs."""
        k, total = self.y.shape[1], self.design.total_weight
        a = self.features.landmark_weights(coef).astype(tiles.dtype)

        def part(rows: slice, C: np.ndarray) -> np.ndarray:
            left, weight = self.y[rows] - C @ a, self.design.weight[rows, None]
            weighed = np.hstack([weight * left, weight]) if self.fit_intercept else weight * left
            ends = np.vstack([weighed.sum(axis=0), np.sum(weight * left**2, axis=0).tolist() + [0.0] * self.fit_intercept])
            return np.vstack([C.T @ weighed.astype(tiles.dtype), ends])

        sums = tiles.sum_over(part)
        pulled, squares, offset = sums[:-2, :k], sums[-1, :k], np.zeros(k)
        if self.fit_intercept:
            offset = sums[-2, :k] / total
            pulled, squares = pulled - np.outer(sums[:-2, k], offset), squares - total * offset**2
        return _Residual(self.whitened(pulled) - self.sum_lam * coef, squares, offset)

    def operator(self, tiles: _Tiles) -> Callable[[np.ndarray], np.ndarray]:
        """``c -> (phi' W phi + sum_lam I) c`` on these tiles."""
        weight = self.design.weight[:, None].astype(tiles.dtype)
        mean = tiles.sum_over(lambda rows, C: (C.T @ weight[rows]).astype(np.float64)) if self.fit_intercept else None

        def apply(coef: np.ndarray) -> np.ndarray:
            a = self.features.landmark_weights(coef)
            narrow = a.astype(tiles.dtype)
            pulled = tiles.sum_over(lambda rows, C: (C.T @ (weight[rows] * (C @ narrow))).astype(np.float64))
            if mean is not None:
                pulled -= mean @ (mean.T @ a) / self.design.total_weight
            return self.whitened(pulled) + self.sum_lam * coef

        return apply

    def preconditioner(self) -> Callable[[np.ndarray], np.ndarray]:
        """The solution of the same system for a sample of the rows."""
        count = max(SAMPLE, SAMPLE_RATIO * self.features.rank)
        rows = np.sort(np.random.default_rng(0).choice(self.design.n, count, replace=False))
        phi, weight = self.features.transform(self.design.X[rows]), self.design.weight[rows]
        share = weight / weight.sum()
        phi -= share @ phi if self.fit_intercept else 0.0
        phi *= np.sqrt(share)[:, None]
        system = phi.T @ phi
        system[np.diag_indices_from(system)] += max(self.lam, EPS * float(np.trace(system)))
        lower = linalg.cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        return lambda gradient: linalg.cho_solve(lower, gradient / self.design.total_weight, check_finite=False)

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
    solve, exact = system.preconditioner(), _Tiles.of(system.features, system.design.X, np.float64, keep=False)
    tiles = system.tiles(np.float32)
    apply, coef, steps = system.operator(tiles), np.zeros((system.features.rank, system.y.shape[1])), 0
    at, start, error, tell = system.residual(tiles, coef), None, 1.0, Task("Nystroem ridge", MAX_ITER)
    while steps < MAX_ITER:
        reduction = max(0.3 * TOL / error, FLOOR[np.dtype(tiles.dtype)])
        step, taken = conjugate_gradients(apply, solve, at.gradient, reduction, lambda k, e, s=steps: tell(s + k, e))
        coef, steps = coef + step, steps + taken
        start = start or _energy(at.gradient, solve)
        at, before = system.residual(exact, coef), error
        error = _energy(at.gradient, solve) / start if start else 0.0
        if error <= TOL:
            break
        if error > 0.25 * before:  # these tiles cannot resolve what is left
            if tiles.dtype == np.float64:
                break
            tiles = exact
            apply = system.operator(exact)
    objective = float(np.sum(at.squares)) / system.design.total_weight + system.lam * float(np.sum(coef**2))
    facts = {"method": "preconditioned conjugate gradients", "rank": system.features.rank, "error": error,
             "tiles": str(tiles.dtype)}  # fmt: skip
    status = Status.CONVERGED if error <= TOL else Status.MAX_ITER
    return Solution(coef, system.level + at.offset, status, system.gap(at, coef), objective, steps,
                    facts=MappingProxyType(facts))  # fmt: skip


def _energy(gradient: np.ndarray, solve: Callable[[np.ndarray], np.ndarray]) -> float:
    """The norm of the correction that the preconditioner proposes, in its own metric."""
    return float(np.sqrt(max(np.sum(gradient * solve(gradient)), 0.0)))


def conjugate_gradients(
    apply: Callable[[np.ndarray], np.ndarray],
    solve: Callable[[np.ndarray], np.ndarray],
    target: np.ndarray,
    reduction: float,
    tell: Callable[[int, float], None],
) -> tuple[np.ndarray, int]:
    """``x`` with ``apply(x)`` close to ``target`` (m, k), each column on its own; and the iterations it took.

    ``solve`` is the preconditioner.  Ends when every residual, in its metric, is ``reduction`` of what it was.
    """
    x, residual = np.zeros_like(target), target
    ready = solve(residual)
    direction, energy = ready, np.sum(residual * ready, axis=0)
    goal = reduction**2 * energy
    for k in range(1, MAX_ITER + 1):
        image = apply(direction)
        curvature = np.sum(direction * image, axis=0)
        length = np.divide(energy, curvature, out=np.zeros_like(energy), where=(curvature > 0) & (energy > goal))
        x, residual = x + length * direction, residual - length * image
        ready = solve(residual)
        energy, before = np.sum(residual * ready, axis=0), energy
        tell(k, float(np.sqrt(np.max(energy / np.where(goal > 0, goal, 1.0), initial=0.0)) * reduction))
        if np.all((energy <= goal) | (length == 0.0)):
            break
        direction = ready + np.divide(energy, before, out=np.zeros_like(energy), where=before > 0) * direction
    return x, k


def _cuts(start: int, stop: int, rows: int) -> list[slice]:
    return [slice(first, min(first + rows, stop)) for first in range(start, stop, rows)]
