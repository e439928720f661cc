"""Layer solvers: the complete solution set of a linear system, and ridge as a constrained problem."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize

from surefit.data.scale import EPS
from surefit.solvers.linear.factor import SpectralFactor
from surefit.solvers.solution import ScaledTarget


@dataclass(frozen=True)
class SolutionSet:
    """All solutions ``particular + null_basis @ z`` of ``A x = b``; empty unless ``consistent``.

    ``particular`` is the shortest solution (or the shortest least-squares solution of an inconsistent system);
    ``null_basis`` has orthonormal columns.  ``||x||**2 = ||particular||**2 + ||z||**2``.
    """

    particular: np.ndarray
    null_basis: np.ndarray
    consistent: bool
    rank: int

    def at(self, z: np.ndarray) -> np.ndarray:
        """The solution with coordinates ``z`` on the null space."""
        if not self.consistent:
            raise ValueError("the system has no solution; `particular` is its shortest least-squares solution")
        return self.particular + self.null_basis @ np.asarray(z, dtype=float)


def solution_set(A: np.ndarray, b: np.ndarray) -> SolutionSet:
    """Every solution of ``A x = b``.  Catalogue A-04, T-06, T-07.

    Solvable iff ``A A+ b = b`` (up to rounding), and then the solutions are ``A+ b + (I - A+ A) v``.

    >>> found = solution_set([[1.0, 1, 0], [0, 1, 1]], [1.0, 2])
    >>> found.particular.round(12) + 0.0, found.rank
    (array([0., 1., 1.]), 2)
    """
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    if A.ndim != 2 or b.shape != (A.shape[0],):
        raise ValueError(f"need A (m, d) and b (m,), got shapes {A.shape} and {b.shape}")
    U, s, Vt = linalg.svd(A)
    tolerance = EPS * max(A.shape)
    rank = int(np.count_nonzero(s > tolerance * max(s[0] if len(s) else 0.0, np.finfo(float).tiny)))
    rotated = U[:, :rank].T @ b
    particular = Vt[:rank].T @ (rotated / s[:rank])
    left_over = np.linalg.norm(b - U[:, :rank] @ rotated)
    size = np.linalg.norm(b) + (s[0] * np.linalg.norm(particular) if rank else 0.0)
    return SolutionSet(particular, Vt[rank:].T, bool(left_over <= 10 * tolerance * size), rank)


def constrained_multiplier(factor: SpectralFactor, y: np.ndarray, radius: float) -> float:
    """The ``lam`` at which ridge has ``||w|| = radius``, zero if least squares is inside the ball already.

    ``||w(lam)||`` falls strictly, so the multiplier of ``min mean((y - X w - b)**2)  s.t.  ||w|| <= radius`` is the
    one root of the secular equation.  Catalogue A-11, T-22.
    """
    if not radius > 0:
        raise ValueError(f"radius must be > 0, got {radius}; it bounds the Euclidean norm of the coefficients")
    weight, squared = factor.A.design.total_weight, factor.squared_singular()
    scaled = ScaledTarget.of(y)
    size, radius = scaled.size, radius / scaled.size
    rotated = np.sum(factor.coordinates(factor.A.target(scaled.values)) ** 2, axis=1)

    def norm(sum_lam: float) -> float:
        return float(np.sqrt(np.sum(rotated * squared / (squared + sum_lam) ** 2)))

    if factor.rank == 0 or norm(0.0) <= radius:
        return 0.0
    # ||w|| <= ||A' t|| / sum_lam, so the root lies below that over the radius
    upper = float(np.sqrt(np.sum(rotated * squared))) / radius if radius > 1e-250 else np.inf
    if not upper < 1e250:
        raise ValueError(
            f"radius {radius * size:g} is so small beside the least-squares solution that its multiplier overflows; "
            "use a larger radius"
        )
    # 1/||w|| is nearly linear in sum_lam: the root is found to the last bit in a few steps
    root = optimize.brentq(lambda v: 1.0 / norm(v) - 1.0 / radius, 0.0, upper * (1 + 1e-9), xtol=1e-300, rtol=4 * EPS)
    return float(root) / weight
