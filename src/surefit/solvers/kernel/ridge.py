"""Layer solvers: kernel ridge regression, exact by the cheapest route that reaches the tolerance, or of low rank.

In: a kernel whose parameters are numbers, points, targets ``(n, k)`` and ``lam``.  Out: a `Solution` whose ``coef`` are
the weights ``alpha`` of ``f = sum_i alpha_i k(x_i, .) + b``, ``(n, k)``, and whose ``facts`` say what was done.

Routes: Cholesky in float64 for few points; conjugate gradients on a stored triangle for many, with float32 and
float64 Cholesky behind them should they stall.  `choose_route` decides before anything is allocated.
Catalogue A-06, A-12, A-13, T-69, T-70, T-72, C-03.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import numpy as np

from surefit.kernels.stored import STRIP, StoredGram, entries, rounding
from surefit.solvers.cost import Plan, Shape, Work, size
from surefit.solvers.kernel import limits
from surefit.solvers.kernel.limits import LANDMARKS
from surefit.solvers.kernel.plan import CALLS, PER_VALUE, enough_landmarks
from surefit.solvers.kernel.refine import CholeskyCorrection, ConjugateGradients, Correction, RefinedWeights, refine
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum, solve_spectrum
from surefit.solvers.solution import Solution, Status
from surefit.threads import one_blas_thread

LOW_RANK = ("nystroem", "partial cholesky")


def preconditioner_rank(n: int) -> int:
    """Rank of the preconditioner: where a further column stops paying for itself."""
    return int(np.clip(5.0 * np.sqrt(n), 1, LANDMARKS))


def choose_route(shape: Shape, solver: str, memory: float, landmarks: int = LANDMARKS, chooses: int = 0) -> Plan:
    """Which route the points would take within ``memory`` bytes, and what it would need.

    ``solver="exact"`` raises ``MemoryError`` rather than approximate.  ``chooses`` is the number of kernels among which
    one is chosen together with ``lam``, 0 if both are given.  Catalogue C-03, C-09.

    >>> print(choose_route(Shape(1_000_000, 10), "auto", 8e9))
    nystroem: 4.4 GB, about ...; an exact fit of 1,000,000 points would take 1.0 TB; 1,000 landmarks
    """
    n, d = shape.n, shape.d
    rank = preconditioner_rank(n)
    values = Work(products=float(n) * n * d, reads=PER_VALUE * n * n, calls=CALLS)
    exact = Plan("cholesky", 32 * n**2, values + Work(products=n**3 / 3), f"{n:,} points are few")
    if n > limits.CHOLESKY_POINTS:
        work = limits.ITERATIONS_EXPECTED * 2.0 * n**2 + 3.0 * n * rank**2 + n**2 * (2.0 * d + 20)
        needed = 2 * entries(n) + 8 * STRIP * n + 32 * n * rank
        reason = f"{n:,} points, Gram matrix as a 16-bit triangle"
        exact = Plan("conjugate gradients", needed, Work(products=work, calls=CALLS), reason)
    if solver in LOW_RANK:
        return _low_rank_plan(shape, memory, landmarks, chooses, (solver, "asked for"))
    if exact.memory_bytes > memory:
        if solver == "exact":
            raise MemoryError(
                f"an exact fit of {n:,} points takes {size(exact.memory_bytes)} and the limit is {size(memory)}; "
                "raise memory, or let solver='auto' go low-rank"
            )
        why = f"an exact fit of {n:,} points would take {size(exact.memory_bytes)}"
        return _low_rank_plan(shape, memory, landmarks, chooses, ("nystroem", why))
    if n > limits.EXACT_POINTS and solver == "auto":
        why = f"an exact fit of {n:,} points would take long; solver='exact' insists"
        return _low_rank_plan(shape, memory, landmarks, chooses, ("nystroem", why))
    spectrum = Work(products=9.0 * n**3, reads=PER_VALUE * n * n) if n <= limits.EIGEN_POINTS else _chosen(n, landmarks)
    return replace(exact, work=exact.work + chooses * spectrum)


def _low_rank_plan(shape: Shape, memory: float, landmarks: int, chooses: int, why: tuple[str, str]) -> Plan:
    """As many landmarks as memory allows, up to those wanted; ``why`` are the solver and the reason."""
    n, d, m = shape.n, shape.d, min(landmarks, shape.n)
    while m > 0 and low_rank_bytes(n, m) > memory:
        m = min(m - 1, int(0.9 * m))
    enough_landmarks(m, n, landmarks, memory)
    work = Work(products=2.0 * n * m * (d + 10) + 6.0 * m**3, reads=100.0 * n * m, calls=CALLS)
    work += chooses * _chosen(n, m)
    return Plan(why[0], low_rank_bytes(n, m), work, f"{why[1]}; {m:,} landmarks", m)


def _chosen(n: int, landmarks: int) -> Work:
    """What it takes to choose ``lam`` for one kernel on so many landmarks: a singular value decomposition."""
    m = min(n, landmarks)
    return Work(products=20.0 * n * m**2 + 65.0 * m**3)


def low_rank_bytes(n: int, m: int) -> int:
    """Bytes for ``m`` landmarks of ``n`` points: blocks in float32, features of a sample in float64, squares."""
    sample = min(n, max(limits.SAMPLE, limits.SAMPLE_RATIO * m))
    return 4 * n * m + 24 * sample * m + 48 * m**2


def kernel_ridge(system: KernelSystem, targets: np.ndarray, lam: float, tol: float, memory: float) -> Solution:
    """Minimise ``mean((y - f(x))**2) + lam * ||f||**2`` over the kernel's space, exactly.

    The relative residual of the linear system is at most ``tol``, measured in float64; no prediction at the points is
    off by more than ``tol * ||y||``.  ``lam = 0`` interpolates with the smallest norm.

    >>> from surefit.kernels.library import Linear
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [3.0], [5.0]])
    >>> fit = kernel_ridge(KernelSystem(Linear(), X, np.ones(3), False), y, 1 / 3, 1e-9, 1e9)
    >>> round(float((X.T @ fit.coef)[0, 0]), 12)                              # ridge through the origin: 22 / 15
    1.466666666667
    """
    if lam == 0.0:
        if system.n > limits.EIGEN_POINTS:
            raise ValueError(
                f"lam = 0 interpolates, which needs all eigenvectors of a {system.n:,} x {system.n:,} matrix; "
                f"use lam > 0, or at most {limits.EIGEN_POINTS:,} points"
            )
        return solve_spectrum(system, kernel_spectrum(system), targets, 0.0)
    found: RefinedWeights | None = None
    for method, attempt in _attempts(system, lam, memory):
        try:
            with one_blas_thread(method == "conjugate gradients"):  # its products are ours, on threads of our own
                found = refine(system, targets, system.total * lam, attempt(), tol)
        except np.linalg.LinAlgError:  # lam is so small that rounding swallowed it
            continue
        if found.converged or method == "cholesky":
            break
    if found is None:
        return solve_spectrum(system, kernel_spectrum(system), targets, lam)
    direct = Status.EXACT if method == "cholesky" else Status.CONVERGED
    status = direct if found.converged or method == "cholesky" else Status.MAX_ITER
    solution = system.solution(targets, lam, found.beta, found.values, status)
    return replace(with_facts(solution, method=method), n_iter=found.iterations)


def _attempts(system: KernelSystem, lam: float, memory: float) -> list[tuple[str, Callable[[], Correction]]]:
    """The routes in the order in which they are tried, each ready to be prepared."""
    n, sum_lam = system.n, system.total * lam
    doubled: tuple[str, Callable[[], Correction]]
    doubled = ("cholesky", lambda: CholeskyCorrection(system, sum_lam, np.float64))
    if n <= limits.CHOLESKY_POINTS:
        return [doubled]
    attempts: list[tuple[str, Callable[[], Correction]]] = []
    kind, digits = _storage(system, sum_lam, memory)
    fits = {np.float32: 8 * n**2 <= memory, np.float64: 24 * n**2 <= memory and n <= limits.DIRECT_POINTS}
    hopeless = rounding(n, _largest(system), kind) > sum_lam
    if not (hopeless and fits[np.float64]):
        attempts.append(("conjugate gradients", partial(_cg, system, sum_lam, kind, digits)))
        if n <= limits.DIRECT_POINTS and fits[np.float32]:
            attempts.append(("float32 cholesky", lambda: CholeskyCorrection(system, sum_lam, np.float32)))
    if fits[np.float64]:
        attempts.append(doubled)
    return attempts


def _largest(system: KernelSystem) -> float:
    return float(np.max(system.kernel.diag(system.X) * system.weight))


def _storage(system: KernelSystem, sum_lam: float, memory: float) -> tuple[type, float]:
    """How to store the Gram matrix, and the digits of a solve with it: float32 while that is small or necessary."""
    coarse = rounding(system.n, _largest(system), np.int16) > limits.ROUNDING_SHARE * sum_lam
    single = 4 * entries(system.n)
    in_single = single <= min(memory, limits.SMALL_STORE) or (coarse and single <= memory)
    return (np.float32, 1e-4) if in_single else (np.int16, 1e-3)


def _cg(system: KernelSystem, sum_lam: float, kind: type, digits: float) -> ConjugateGradients:
    stored = StoredGram.of(system.kernel, system.X, kind)
    return ConjugateGradients(system, stored, sum_lam, preconditioner_rank(system.n), digits)


def with_facts(solution: Solution, **facts: object) -> Solution:
    """The same solution, knowing more about how it was found."""
    return replace(solution, facts=MappingProxyType({**solution.facts, **facts}))
