"""Layer solvers: the linear system behind kernel ridge regression, with weights and an unpenalised offset.

In: a kernel, points, weights and ``lam``.  Out: products with the system's matrix in float64 tiles, its dense form for
few points, and a `Solution` whose gap holds for any approximate answer.

With ``S = diag(sqrt(w))`` and ``c = sum(w) * lam`` the weights ``alpha = S beta`` of ``sum_i alpha_i k(x_i, .) + b``
solve ``(Q S K S Q + c I) beta = Q S y``, where ``Q`` removes the direction of ``sqrt(w)`` if there is an offset (that
is what centring the features does) and is the identity if not.  Catalogue A-12, A-13, T-69.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.kernels.kernel import Kernel
from surefit.solvers.linear.factor import SpectralFactor
from surefit.solvers.linear.limits import SMALL_SIDE
from surefit.solvers.solution import BLURRED, SOLVED, Solution, Status
from surefit.threads import interruptible, one_blas_thread

SAFETY = 4.0
"""How many roundings of the trace of the kernel an eigenvalue must be to be one: errors of single values add up."""


@dataclass(frozen=True)
class KernelSystem:
    """The matrix ``M = Q S K S Q + c I`` and what belongs to it; weights are positive."""

    kernel: Kernel
    X: Any
    weight: np.ndarray
    fit_intercept: bool

    @property
    def n(self) -> int:
        return len(self.weight)

    @property
    def total(self) -> float:
        return float(self.weight.sum())

    @property
    def root(self) -> np.ndarray:
        return np.sqrt(self.weight)[:, None]

    def centred(self, V: np.ndarray) -> np.ndarray:
        """``Q V``."""
        return V - self.root * (self.root.T @ V) / self.total if self.fit_intercept else V

    def values(self, beta: np.ndarray) -> np.ndarray:
        """``K S beta``: the function without its offset at the points, in float64, tile by tile."""
        return self.kernel.times(self.X, self.X, self.root * beta)

    def residual(self, targets: np.ndarray, sum_lam: float, beta: np.ndarray, values: np.ndarray) -> np.ndarray:
        """``Q S y - M beta`` given ``values(beta)``."""
        return self.centred(self.root * (targets - values)) - sum_lam * beta

    def dense(self) -> np.ndarray:
        """``Q S K S Q``, shape ``(n, n)``."""
        K = self.kernel.gram(self.X)
        K *= self.root
        K *= self.root.T
        if self.fit_intercept:
            K = self.centred(self.centred(K).T)
            K = (K + K.T) / 2.0
        return K

    def solution(
        self, targets: np.ndarray, lam: float, beta: np.ndarray, values: np.ndarray, status: Status
    ) -> Solution:
        """The answer ``beta`` with ``values(beta)`` in the user's terms.

        With ``r`` the residual of the system, the objective exceeds its minimum by ``r' M^{-1} (M - c I) r / sum(w)``,
        at most ``||r||**2 / sum(w)``: that, with what rounding may have done to it (`_rounding`), is the gap.  Where
        it is no small share of the objective of the best constant, the status says that rounding decides.
        """
        residual = self.residual(targets, self.total * lam, beta, values)
        offset = self.weight @ (targets - values) / self.total if self.fit_intercept else np.zeros(targets.shape[1])
        errors = targets - values - offset
        objective = float(np.einsum("i,ik->", self.weight, errors**2) / self.total)
        objective += lam * max(float(np.einsum("ik,ik->", self.root * beta, values)), 0.0)
        size = float(np.linalg.norm(self.root * targets))
        rounding = self._rounding(targets, self.total * lam, beta, values)
        gap = float(np.sum((np.linalg.norm(residual, axis=0) + rounding) ** 2)) / self.total
        facts = MappingProxyType({"relative_residual": float(np.linalg.norm(residual)) / (size or 1.0)})
        left = gap if lam > 0 else float(np.sum(rounding**2)) / self.total  # a residual beyond the kernel is no error
        if status in SOLVED and not left <= self._tolerable(targets):
            status = Status.ROUNDING
        return Solution(self.root * beta, offset, status, gap, objective, facts=facts)

    def _tolerable(self, targets: np.ndarray) -> float:
        """The largest gap of an answer: a share of the null objective, and what rounding does to equal targets."""
        null = float(np.sum(self.centred(self.root * targets) ** 2))
        least = (4 * EPS * (self.n + 16) * float(np.linalg.norm(self.root * targets))) ** 2
        return (BLURRED * null + least) / self.total

    def _rounding(self, targets: np.ndarray, sum_lam: float, beta: np.ndarray, values: np.ndarray) -> np.ndarray:
        """What rounding adds at most to the norm of the residual that bounds the gap, for each column of targets.

        A sum of ``n`` terms is off by at most ``n eps`` times the sum of their sizes, and a value of the kernel by some
        ``eps`` of ``sqrt(k(x, x) k(z, z))``, which also bounds its size; so ``|S K S| <= k k'`` with ``k_i =
        sqrt(w_i k(x_i, x_i))``.  A change ``h`` of ``beta`` (rounded on the way out, not quite centred) moves the root
        of the excess by at most ``||A h|| + sqrt(c h'A h) <= 1.5 ||A h|| + 0.5 c ||h||`` with ``A = S K S``.  An
        offset that is off by ``b`` adds ``sum(w) b**2`` to the sum of squares.
        """
        reach = np.sqrt(np.maximum(self.kernel.diag(self.X), 0.0))[:, None] * self.root
        long = EPS * (self.n + 16)
        sizes = [np.linalg.norm(part, axis=0) for part in (self.root * targets, self.root * values, sum_lam * beta)]
        product = float(np.linalg.norm(reach)) * (reach.T @ np.abs(beta))[0]
        off = (long + EPS * (24 + 4 * self.X.shape[1])) * product + long * (sizes[0] + sizes[1])
        found = off + long * sizes[2] + 8 * EPS * (1.5 * product + sizes[2])
        if not self.fit_intercept:
            return found
        mean = self.root / np.sqrt(self.total)
        along = np.abs(mean.T @ beta)[0] + long * np.linalg.norm(beta, axis=0)
        lifted = 1.5 * float(np.linalg.norm(reach) * (reach.T @ mean)[0, 0]) + 0.5 * sum_lam
        return found + along * lifted + off


def kernel_spectrum(system: KernelSystem) -> SpectralFactor:
    """Eigenvectors of the (weighted, centred) Gram matrix: every ``lam`` at once, and exact leave-one-out.

    The factor's design has no columns of its own: the features are the kernel's, and live in its singular vectors.
    Directions that are no longer than the rounding of the kernel's values, which centring does not make smaller, are
    none: a criterion would choose a ``lam`` for them.  Catalogue A-12, T-76, C-03.
    """
    gram = system.dense()
    rounded = EPS * float(system.weight @ np.maximum(system.kernel.diag(system.X), 0.0))
    if system.fit_intercept:  # lift the direction of the offset out of the null space, where small ones would mix in
        offset = system.root / np.sqrt(system.total)
        gram += 2.0 * np.linalg.norm(gram) * offset * offset.T
    with one_blas_thread(len(gram) <= SMALL_SIDE):
        values, vectors = interruptible(len(gram) ** 3, np.linalg.eigh, gram)
    first = 1 if system.fit_intercept else 0
    values, vectors = values[::-1][first:], vectors[:, ::-1][:, first:]
    keep = values > max(EPS * system.n * float(values[0]), SAFETY * rounded) if len(values) else values > 0
    rows = centre(Design.of(np.empty((system.n, 0)), system.weight), system.fit_intercept)
    return SpectralFactor(rows, np.sqrt(values[keep]), "kernel eigen", left=np.ascontiguousarray(vectors[:, keep]))


def solve_spectrum(system: KernelSystem, factor: SpectralFactor, targets: np.ndarray, lam: float) -> Solution:
    """Kernel ridge for one ``lam`` from the eigenvectors; ``lam = 0`` gives the interpolant of smallest norm.

    Directions that the kernel does not see get ``y / (n lam)``, as the formula says; they change no value of ``f``
    (Catalogue T-69).
    """
    centred = system.centred(system.root * targets)
    left, sum_lam = factor.left, system.total * lam
    assert left is not None
    coordinates = left.T @ centred
    beta = left @ (coordinates / (factor.singular[:, None] ** 2 + sum_lam))
    if sum_lam > 0 and factor.rank < system.n - system.fit_intercept:
        beta += (centred - left @ coordinates) / sum_lam
    beta = system.centred(beta)  # the eigenvectors are so up to rounding only, which a tiny lam multiplies
    solution = system.solution(targets, lam, beta, system.values(beta), Status.EXACT)
    return replace(solution, facts=MappingProxyType({**solution.facts, "method": factor.method}))


def spectral_values(
    system: KernelSystem, factor: SpectralFactor, targets: np.ndarray, lams: np.ndarray, X: Any
) -> np.ndarray:
    """Kernel ridge at new points for every ``lam``, shape ``(m, L, k)``, from the eigenvectors.  Catalogue A-12."""
    centred, left = system.centred(system.root * targets), factor.left
    assert left is not None
    coordinates, sum_lams = left.T @ centred, system.total * np.asarray(lams, dtype=float)
    shrunken = coordinates[:, None] / (factor.singular[:, None] ** 2 + sum_lams)[:, :, None]
    beta = np.tensordot(left, shrunken, axes=1)
    if factor.rank < system.n - system.fit_intercept:
        inverse = np.divide(1.0, sum_lams, out=np.zeros_like(sum_lams), where=sum_lams > 0)
        beta += (centred - left @ coordinates)[:, None] * inverse[:, None]
    weights = (system.root[:, None] * beta).reshape(system.n, -1)
    shape = (len(sum_lams), targets.shape[1])
    found = system.kernel.times(X, system.X, weights).reshape(X.shape[0], *shape)
    if not system.fit_intercept:
        return found
    here = system.kernel.times(system.X, system.X, weights).reshape(system.n, *shape)
    return found + np.tensordot(system.weight / system.total, targets[:, None] - here, axes=1)
