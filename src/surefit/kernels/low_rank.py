"""Layer kernels: kernel matrices of low rank: Nystroem's approximation and partial Cholesky factors.

In: a kernel and rows ``X`` of shape ``(n, d)``.  Out: ``F`` of shape ``(n, r)`` with ``F F'`` close to the Gram matrix
``K``, from ``r`` of its columns (`pivoted_cholesky`), or the map that gives new rows the same features (`LowRankMap`).
``K - F F'`` never has a negative eigenvalue, and no ``n x n`` matrix is ever held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import linalg
from scipy.linalg import lapack

from surefit.data.fingerprints import distinct_rows
from surefit.kernels.inputs import checked_dtype, checked_rows
from surefit.kernels.kernel import Kernel
from surefit.parameters import non_negative
from surefit.progress import Task
from surefit.threads import map_in_order

DEPENDENT = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 4e-6}
"""A residual below this share of what it was subtracted from counts as none: dividing by its root would leave noise."""

PROPOSALS = 96
"""Pivots proposed at a time: products with that many columns run at full speed, few of them are rejected."""

_ROWS = 1024  # rows of a tile of features


@dataclass(frozen=True)
class LowRankMap:
    """Features ``phi(x) = L^{-1} (k(x, z_1), ..., k(x, z_r))`` with ``L L'`` the Gram matrix of the landmarks ``z``.

    ``phi(x)'phi(z)`` is the kernel itself wherever ``x`` or ``z`` is a landmark, and in general the inner product of
    the two projected on the span of the landmarks.  ``lower`` is ``L``, shape ``(r, r)``.  Catalogue A-14.
    """

    kernel: Kernel
    landmarks: Any
    lower: np.ndarray

    @property
    def rank(self) -> int:
        """Number of features: the landmarks that do not depend on each other."""
        return len(self.lower)

    @cached_property
    def whitener(self) -> np.ndarray:
        """``L^{-T}``: features are ``kernel.block(X, landmarks) @ whitener``, shape ``(r, r)``."""
        return self.landmark_weights(np.eye(self.rank))

    def landmark_weights(self, coef: np.ndarray) -> np.ndarray:
        """``a`` with ``transform(X) @ coef = kernel.times(X, landmarks, a)``, of the shape of ``coef``."""
        return linalg.solve_triangular(self.lower, coef, lower=True, trans="T", check_finite=False)

    def transform(self, X: Any) -> np.ndarray:
        """Features of the rows of ``X``, shape ``(n, rank)``, float64."""
        X = checked_rows(X, self.kernel)
        features = np.empty((X.shape[0], self.rank))

        def fill(start: int) -> None:
            rows = slice(start, min(start + _ROWS, len(features)))
            block = self.kernel.block(X[rows], self.landmarks)
            features[rows] = linalg.solve_triangular(
                self.lower, block.T, lower=True, overwrite_b=True, check_finite=False
            ).T

        for _ in map_in_order(fill, range(0, len(features), _ROWS)):
            pass
        return features


@dataclass(frozen=True)
class PartialCholesky:
    """``F`` with ``F F'`` close to ``K``: ``F[pivots]`` is lower triangular, columns ``pivots`` of ``K`` are exact.

    ``residual`` is the diagonal of ``K - F F'``, shape ``(n,)``.
    """

    pivots: np.ndarray
    F: np.ndarray
    residual: np.ndarray

    @property
    def rank(self) -> int:
        return len(self.pivots)

    @property
    def error(self) -> float:
        """The trace of ``K - F F'``, which bounds its largest eigenvalue."""
        return float(self.residual.sum())


def nystroem_map(
    kernel: Kernel, X: Any, n_landmarks: int, random_state: Any = None, weight: Any = None, rule: str = "uniform"
) -> LowRankMap:
    """Features whose inner products approximate ``kernel``, from ``n_landmarks`` rows of ``X``.  Catalogue A-14, C-09.

    With landmarks ``I``: ``Khat = K[:, I] K[I, I]^+ K[I, :]``, never above ``K``, equal to it if every row is one.
    ``rule="uniform"`` draws distinct rows in proportion to ``weight``; ``"pivots"`` draws those which the earlier
    ones explain badly (`pivoted_cholesky` with ``rule="random"``), better where the data are uneven, and dearer:
    ``O(n r**2)``.  Rows of weight zero are never drawn.  Repeated rows count as one landmark, and landmarks that
    depend on others are dropped, so that ``rank <= n_landmarks``.  The draw depends on the set of rows and their
    weights, not on their order.

    >>> from surefit.kernels.library import Gaussian
    >>> X = np.array([[0.0], [1.0], [1.0], [3.0]])
    >>> phi = nystroem_map(Gaussian(), X, n_landmarks=100)
    >>> phi.rank, bool(np.allclose(phi.transform(X) @ phi.transform(X).T, Gaussian().gram(X)))
    (3, True)
    """
    _positive_count("n_landmarks", n_landmarks)
    X = checked_rows(X, kernel)
    rows, mass = distinct_rows(X, weight)
    if rule == "pivots":
        found = pivoted_cholesky(kernel, X[rows], n_landmarks, rule="random", random_state=random_state)
        return map_from_pivots(kernel, X[rows], found)
    if rule != "uniform":
        raise ValueError(f"rule {rule!r} is unknown; use 'uniform' or 'pivots'")
    if n_landmarks < len(rows):
        share = None if np.all(mass == mass[0]) else mass / mass.sum()
        drawn = np.random.default_rng(random_state).choice(len(rows), n_landmarks, replace=False, p=share)
        rows = rows[drawn]
    return _map_from_rows(kernel, X[rows])


def map_from_pivots(kernel: Kernel, X: Any, found: PartialCholesky) -> LowRankMap:
    """The features of which ``found.F`` holds the values at the rows of ``X``, for any row.  Catalogue A-14, A-15."""
    return LowRankMap(kernel, X[found.pivots], np.tril(found.F[found.pivots]).astype(np.float64))


def _map_from_rows(kernel: Kernel, landmarks: Any) -> LowRankMap:
    """All landmarks that do not depend on others, by a Cholesky decomposition with pivots."""
    gram = kernel.gram(landmarks)
    largest = float(np.max(np.diag(gram), initial=0.0))
    if largest <= 0.0:
        return LowRankMap(kernel, landmarks[:0], np.zeros((0, 0)))
    lower, order, rank, _ = lapack.dpstrf(gram, lower=1, tol=DEPENDENT[gram.dtype] * largest)
    return LowRankMap(kernel, landmarks[order[:rank] - 1], np.asfortranarray(np.tril(lower[:rank, :rank])))


def pivoted_cholesky(
    kernel: Kernel,
    X: Any,
    max_rank: int,
    tol: float = 0.0,
    rule: str = "greedy",
    random_state: Any = None,
    dtype: DTypeLike = np.float64,
) -> PartialCholesky:
    """``K`` approximated by ``F F'`` from ``r <= max_rank`` of its columns, stopped at error ``<= tol``.

    One step: ``F[:, k] = (K[:, i] - F F[i]') / sqrt(d_i)`` with ``d`` the diagonal of ``K - F F'``, whose sum is the
    error.  ``rule="greedy"`` takes the largest ``d_i``; ``"random"`` draws ``i`` in proportion to ``d``, which no
    outlier can mislead, and works on blocks: proposals from the current ``d`` are accepted or rejected so that those
    that stay are distributed as if drawn one by one.  ``O(n r**2)`` operations; apart from ``r`` columns only the
    diagonal and, for ``"random"``, the pairs among the proposals are computed.  Exact once ``r`` is the rank.
    ``dtype`` is the precision of ``F``.  Catalogue A-15, C-09.

    >>> from surefit.kernels.library import Linear
    >>> found = pivoted_cholesky(Linear(), [[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]], max_rank=1)
    >>> found.pivots.tolist(), round(found.error, 12)      # 30 - 25 - (3/5)**2 - (8/5)**2
    ([2], 2.08)
    """
    _positive_count("max_rank", max_rank)
    non_negative("tol", tol, "it is the trace of K - F F' at which to stop")
    if rule not in ("greedy", "random"):
        raise ValueError(f"rule {rule!r} is unknown; use 'greedy' or 'random'")
    precision = checked_dtype(dtype)
    run = _Elimination(kernel, X, max_rank, precision)
    rng = np.random.default_rng(random_state)
    tell = Task("pivoted Cholesky", total=run.capacity)
    try:
        while run.rank < run.capacity and run.error > tol and np.any(run.alive()):
            run.add(*(run.largest() if rule == "greedy" else run.drawn(rng)))
            tell(run.rank, run.error)
    except _Indefinite:
        if precision == np.float64:
            raise
        found = pivoted_cholesky(kernel, X, max_rank, tol, rule, random_state)  # single precision cannot tell
        return replace(found, F=found.F.astype(precision))
    return run.result()


class _Indefinite(ValueError):
    """More of the diagonal was taken away than there was."""


class _Elimination:
    """A partial Cholesky factor that grows by blocks of pivots."""

    def __init__(self, kernel: Kernel, X: Any, max_rank: int, dtype: np.dtype):
        self.kernel = kernel
        self.X = checked_rows(X, kernel)
        n = self.X.shape[0]
        self.capacity = min(max_rank, n)
        self.F = np.empty((n, self.capacity), dtype, order="F")
        self.rank = 0
        self.pivots = np.empty(self.capacity, dtype=np.int64)
        self.residual = self.kernel.diag(self.X)
        self.scale = float(np.max(self.residual, initial=0.0))
        self.noise = DEPENDENT[dtype] * np.sqrt(self.residual * self.scale)

    @property
    def error(self) -> float:
        return float(self.residual.sum())

    def alive(self) -> np.ndarray:
        """Rows whose residual is more than rounding."""
        return self.residual > self.noise

    def largest(self) -> tuple[np.ndarray, np.ndarray]:
        """The pivot with the largest residual, and its Cholesky factor."""
        pivot = np.argmax(np.where(self.alive(), self.residual, -np.inf))
        return np.array([pivot]), np.sqrt(self.residual[[[pivot]]])

    def drawn(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Pivots drawn in proportion to the residual that the earlier ones leave, and their Cholesky factor.

        Proposals come from the residual before any of them; one that the accepted ones have reduced from ``d`` to
        ``c`` stays with probability ``c / d``.  The first always stays.
        """
        chances = np.where(self.alive(), self.residual, 0.0)
        proposed = rng.choice(len(chances), PROPOSALS, p=chances / chances.sum())
        known = self.F[proposed, : self.rank].astype(np.float64)
        left = self.kernel.gram(self.X[proposed]) - known @ known.T
        before, noise = self.residual[proposed], self.noise[proposed]
        np.fill_diagonal(left, before)
        kept: list[int] = []
        columns: list[np.ndarray] = []
        for k, luck in enumerate(rng.uniform(size=PROPOSALS)):
            if left[k, k] > max(noise[k], luck * before[k]) and self.rank + len(kept) < self.capacity:
                kept.append(k)
                columns.append(left[:, k] / np.sqrt(left[k, k]))
                left -= np.multiply.outer(columns[-1], columns[-1])
        return proposed[kept], np.tril(np.stack(columns, axis=1)[kept])

    def add(self, pivots: np.ndarray, lower: np.ndarray) -> None:
        """Columns of ``F`` for ``pivots``; ``lower`` is the Cholesky factor of what is left of ``K`` on them."""
        done, until = self.rank, self.rank + len(pivots)
        F = self.F[:, :done]
        fresh = self.kernel.block(self.X, self.X[pivots], self.F.dtype)
        fresh -= F @ F[pivots].T
        inverse = linalg.solve_triangular(lower, np.eye(len(pivots)), lower=True, check_finite=False)
        fresh = fresh @ inverse.T.astype(self.F.dtype)
        fresh[self.pivots[:done]], fresh[pivots] = 0.0, lower
        self.F[:, done:until] = fresh
        self.residual -= np.einsum("ij,ij->i", fresh, fresh, dtype=np.float64)
        self._check()
        np.maximum(self.residual, 0.0, out=self.residual)
        self.residual[pivots] = 0.0
        self.pivots[done:until], self.rank = pivots, until

    def _check(self) -> None:
        below = float(np.min(self.residual, initial=0.0))
        if below < -np.sqrt(DEPENDENT[self.F.dtype]) * self.scale:
            raise _Indefinite(
                f"{self.kernel!r} is not a kernel on these rows: k(x, x) = {-below:.3g} is missing for a Gram matrix "
                "without negative eigenvalues; see surefit.testing.check_kernel"
            )

    def result(self) -> PartialCholesky:
        return PartialCholesky(self.pivots[: self.rank].copy(), self.F[:, : self.rank], self.residual)


def _positive_count(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number >= 1, got {value!r}; more cost more and approximate better")
