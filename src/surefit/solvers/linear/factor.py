"""Layer solvers: one factorisation per fit, reused for coefficients, refinement, leverages, leave-one-out, inference.

In: a `Centred` design ``A``.  Out: a `TriangularFactor` (one ``lam``: Cholesky or QR) or a `SpectralFactor` (every
``lam`` at once: eigenvalues or singular values).  Each records which route was taken and what it cost in accuracy.

Large products and factorisations go through NumPy alone: NumPy and SciPy carry a BLAS each, and two thread pools that
take turns within a millisecond wait for each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.data.gram import threads_of_our_own
from surefit.data.scale import EPS, column_sizes, power_of_two
from surefit.solvers.linear import limits
from surefit.solvers.linear.rank import dead_columns, unit_free_rank
from surefit.threads import interruptible, one_blas_thread

DEPENDENT = 1e-10
"""Length of what is left of a column of unit size, from which on it stands apart from those before it."""
INVOLVED = 0.01
"""Share in a dependence, next to the largest, from which a column of unit size is named as part of it."""
GRAM_CONDITION_LIMIT = 1e-9 / EPS
"""Largest condition number of a (scaled) Gram matrix for which its Cholesky factor is used: nine digits remain."""
MATTERS = 1e-8
"""Share of the largest target from which on the part of one column in a fit is more than rounding."""


@dataclass(frozen=True)
class TriangularFactor:
    """``R`` with ``R' R = P' D (A' A + penalty) D P``: columns divided by their size, then permuted.

    ``order`` names the columns in the order of ``R``; the first ``rank`` of them are independent and the others are
    combinations of them with coefficients `dependence`.
    """

    R: np.ndarray
    size: np.ndarray
    order: np.ndarray
    rank: int
    method: str
    condition: float
    dependence: np.ndarray

    def solve_normal(self, gradient: np.ndarray) -> np.ndarray:
        """``(A' A + penalty)^{-1} gradient`` on the independent columns, zero on the others."""
        basic = self.order[: self.rank]
        scaled = (gradient[basic].T / self.size[basic]).T
        half = linalg.solve_triangular(self.R, scaled, trans="T", check_finite=False)
        return self._spread(linalg.solve_triangular(self.R, half, check_finite=False))

    def solve(self, rotated: np.ndarray) -> np.ndarray:
        """``R^{-1} rotated`` in the columns' own units, zero on the dependent columns."""
        return self._spread(linalg.solve_triangular(self.R, rotated, check_finite=False))

    def _spread(self, scaled: np.ndarray) -> np.ndarray:
        basic = self.order[: self.rank]
        coef = np.zeros((len(self.size), *scaled.shape[1:]))
        coef[basic] = (scaled.T / self.size[basic]).T
        return coef

    def inverse_root(self) -> np.ndarray:
        """``L`` with ``L L' = (A' A + penalty)^{-1}``, shape ``(d, d)``; needs full rank."""
        return self.solve(np.eye(self.rank))

    def null_basis(self) -> np.ndarray:
        """Columns that span ``{c : A c = 0}``, shape ``(d, d - rank)``.  Catalogue A-04, T-07."""
        basis = self._spread(-self.dependence)
        dependent = self.order[self.rank :]
        basis[dependent, np.arange(len(dependent))] = 1.0 / self.size[dependent]
        return basis

    def unit_columns(self) -> np.ndarray:
        """Columns of unit size that depend on each other as those of ``A`` do, in its order, shape ``(rank, d)``."""
        columns = np.empty((self.rank, len(self.order)))
        columns[:, self.order] = np.column_stack([self.R, self.R @ self.dependence])
        return columns

    def tied_columns(self, error: np.ndarray) -> np.ndarray:
        """Numbers of the independent columns that would depend on each other if each were in error by length ``error``.

        At unit column size, such errors give a combination ``v`` the length ``sqrt(sum((v * error / size)**2))``.  A
        right singular vector whose combination is no longer is a dependence.  The singular values are computed only
        where `condition` allows one so small.
        """
        basic = self.order[: self.rank]
        relative = error[basic] / self.size[basic]
        if not self.condition * 3.0 * self.rank**0.5 * np.max(relative, initial=0.0) >= 1.0:  # of the 1-norm, estimated
            return basic[:0]
        _, s, Vt = np.linalg.svd(self.R)
        share = np.linalg.norm(Vt[s <= np.linalg.norm(Vt * relative, axis=1)], axis=0)
        return np.sort(basic[share > INVOLVED * max(float(share.max()), INVOLVED)])


def redundant_columns(columns: np.ndarray) -> np.ndarray | None:
    """Numbers of the columns that can be written with earlier ones; ``columns`` (rank, d) are of unit size, or zero.

    None where rounding hides which they are: their number must be ``d - rank``.

    >>> redundant_columns(np.array([[1.0, 0.6, 0.0, 1.0], [0.0, 0.8, 0.0, 0.0]])).tolist()
    [2, 3]
    """
    rank, d = columns.shape
    basis, kept = np.zeros((rank, rank)), np.zeros(d, dtype=bool)
    for j in range(d):
        found = int(kept.sum())
        if found == rank:
            break
        rest = columns[:, j]
        for _ in range(2):  # once more takes away what rounding left of the first
            rest = rest - basis[:, :found] @ (basis[:, :found].T @ rest)
        length = float(np.linalg.norm(rest))
        if length > DEPENDENT:
            basis[:, found], kept[j] = rest / length, True
    return np.flatnonzero(~kept) if kept.sum() == rank else None


def cholesky_factor(gram: np.ndarray, penalty: np.ndarray) -> TriangularFactor | None:
    """Factor of ``gram + diag(penalty)``, or None where its condition number would cost too many digits.

    Catalogue A-01, C-01.
    """
    d = len(gram)
    diagonal = np.diag(gram) + penalty
    if not np.all(np.isfinite(diagonal)) or np.any(diagonal < 1e-250) or np.any(diagonal > 1e250):
        return None
    size = np.sqrt(diagonal)
    scaled = gram / size / size[:, None]
    scaled[np.diag_indices(d)] = 1.0
    norm = np.abs(scaled).sum(axis=0).max()
    try:
        with one_blas_thread(d <= limits.SMALL_SIDE):
            R = interruptible(d**3, np.linalg.cholesky, scaled, upper=True)
            reciprocal, _ = lapack.dpocon(R, norm)
    except np.linalg.LinAlgError:
        return None
    if reciprocal * GRAM_CONDITION_LIMIT < 1.0:
        return None
    order = np.arange(d)
    return TriangularFactor(R, size, order, d, "cholesky", float(reciprocal**-0.5), np.zeros((d, 0)))


def triangle_of(rows: np.ndarray, above: np.ndarray | None = None) -> np.ndarray:
    """The triangle of a QR decomposition of ``rows``, stacked under an earlier triangle if there is one.

    Stacking triangles block by block gives the triangle of all rows in one pass.  Catalogue A-02.
    """
    stacked = rows if above is None else np.vstack([above, rows])
    return np.asarray(interruptible(stacked.size * min(stacked.shape), np.linalg.qr, stacked, mode="r"))


def qr_factor(
    triangle: np.ndarray, d: int, n: int, dead: np.ndarray, largest_rank: int | None = None
) -> tuple[TriangularFactor, np.ndarray]:
    """Factor and rotated right-hand sides from the triangle of ``[A, targets]``; ``dead`` marks empty columns.

    The rank is decided on columns of unit size, so it does not depend on anyone's units, and is at most
    ``largest_rank``.  Catalogue A-02.
    """
    R, rotated = triangle[:d, :d].copy(), triangle[:d, d:]
    if R.shape[0] < d:
        R = np.vstack([R, np.zeros((d - R.shape[0], d))])
        rotated = np.vstack([rotated, np.zeros((d - rotated.shape[0], rotated.shape[1]))])
    R[:, dead] = 0.0
    norms = np.linalg.norm(R, axis=0)
    size = np.where(norms > 0, norms, 1.0)
    R /= size
    order, rank, most = np.arange(d), d, d if largest_rank is None else largest_rank
    if d and (np.any(dead) or most < d or lapack.dtrcon(R)[0] < 100.0 * EPS * max(n, d)):
        rotation, R, order = linalg.qr(R, pivoting=True, check_finite=False)
        rotated = rotation.T @ rotated
        diagonal = np.abs(np.diag(R))
        rank = min(int(np.count_nonzero(diagonal > EPS * max(n, d) * max(diagonal[0], EPS))), most)
    basic = R[:rank, :rank]
    dependence = linalg.solve_triangular(basic, R[:rank, rank:], check_finite=False) if rank else R[:0, :]
    condition = 1.0 / lapack.dtrcon(basic)[0] if rank else 1.0
    return TriangularFactor(basic, size, order, rank, "qr", float(condition), dependence), rotated[:rank]


@dataclass(frozen=True)
class SpectralFactor:
    """``A = U S V'`` with what is needed to apply ``U`` and ``V``, for every ``lam`` at once.  Catalogue A-09, T-06.

    Primal route: ``right`` holds ``V``.  Dual route: ``left`` holds ``U``.  Accurate route, independent of the
    columns' units: ``triangular`` is a QR factor of ``A`` and ``mixing`` turns its ``Q`` into ``U`` (``right`` holds
    ``V`` if columns depend on each other).
    """

    A: Centred
    singular: np.ndarray
    method: str
    right: np.ndarray | None = None
    left: np.ndarray | None = None
    triangular: TriangularFactor | None = None
    mixing: np.ndarray | None = None

    @property
    def rank(self) -> int:
        return len(self.singular)

    @property
    def mean_leverage(self) -> np.ndarray:
        return self.A.mean_leverage

    @cached_property
    def common_scale(self) -> float:
        return float(self.A.scale[0]) if self.A.d else 1.0

    def squared_singular(self) -> np.ndarray:
        """Eigenvalues of ``A' A`` in the user's units."""
        return (self.singular * self.common_scale) ** 2

    def shrinkage(self, sum_lams: np.ndarray) -> np.ndarray:
        """``s**2 / (s**2 + sum_lam)``, shape ``(len(sum_lams), rank)``; one at ``sum_lam = 0``."""
        relative = np.asarray(sum_lams, dtype=float)[:, None] / self.common_scale / self.common_scale
        return self.singular**2 / (self.singular**2 + relative)

    def taken_away(self, sum_lams: np.ndarray) -> np.ndarray:
        """``sum_lam / (s**2 + sum_lam)``: one minus `shrinkage`, without the subtraction."""
        relative = np.asarray(sum_lams, dtype=float)[:, None] / self.common_scale / self.common_scale
        return relative / (self.singular**2 + relative)

    def left_rows(self, rows: slice) -> np.ndarray:
        """These rows of ``U``."""
        if self.left is not None:
            return self.left[rows]
        if self.triangular is not None:
            basic = self.triangular.order[: self.triangular.rank]
            scaled = self.A.rows(rows)[:, basic] / self.triangular.size[basic]
            Q = linalg.solve_triangular(self.triangular.R, scaled.T, trans="T", check_finite=False).T
            return Q @ self.mixing
        return self.A.rows(rows) @ self._by_row

    @cached_property
    def _by_row(self) -> np.ndarray:
        assert self.right is not None
        return self.right / self.singular

    def left_blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """``U``, a block of rows at a time."""
        for rows in self.A.design.row_slices():
            yield rows, self.left_rows(rows)

    def coordinates(self, target: np.ndarray) -> np.ndarray:
        """``U' target``, shape ``(rank,)`` or ``(rank, k)``."""
        if self.right is not None and self.triangular is None:
            return ((self.right.T @ self.A.rmatvec(target)).T / self.singular).T
        return sum(block.T @ target[rows] for rows, block in self.left_blocks())

    def coef(self, spectral: np.ndarray) -> np.ndarray:
        """``V @ spectral``: coefficients of ``A`` from coordinates on the right singular vectors."""
        if self.right is not None:
            return self.right @ spectral
        scaled = (spectral.T * self.singular).T
        if self.triangular is not None:
            return self.triangular.solve(self.mixing @ scaled)
        assert self.left is not None
        return self.A.rmatvec(self.left @ (spectral.T / self.singular).T)


def check_sizes(design: Design) -> float:
    """The size of the largest entry; refuses columns whose squares leave the range of floating point numbers."""
    sizes = column_sizes(design)
    largest, smallest = float(sizes.max(initial=0.0)), float(sizes[sizes > 0].min(initial=np.inf))
    if largest > 1e140 or 0.0 < smallest < 1e-140:
        raise ValueError(
            f"columns of X reach from {smallest:.0e} to {largest:.0e}, so squares of them leave the range of floating "
            "point numbers; rescale the columns, for example with StandardScaler"
        )
    return largest


def check_underflow(design: Design, coef: np.ndarray, published: np.ndarray, columns: np.ndarray | None = None) -> None:
    """Refuse coefficients (d, k) that matter to targets of size one and vanish, or nearly, as they are ``published``.

    Those of all columns or of some; below the smallest number of full precision digits are lost first, then all.
    """
    if not np.any(lost := (np.abs(published) < np.finfo(np.float64).tiny) & (coef != 0.0)):
        return
    sizes = column_sizes(design)[slice(None) if columns is None else columns]
    with np.errstate(over="ignore"):
        lost &= np.abs(coef) * sizes[:, None] > MATTERS
    if np.any(lost):
        raise ValueError(
            f"coefficients of columns that reach {np.max(sizes[np.any(lost, axis=1)]):.0e} fall below the range of "
            "floating point numbers, because the targets are so small beside them; rescale the columns, for example "
            "with StandardScaler, or y"
        )


def common_centre(design: Design, fit_intercept: bool) -> Centred:
    """Centred with one scale for all columns, as a penalty that treats columns alike requires."""
    scale = float(power_of_two(np.asarray(check_sizes(design))))
    return centre(design, fit_intercept, None if 1e-50 < scale < 1e50 else np.full(design.d, scale))


def _levelled(A: Centred) -> Centred:
    """The same with the columns that are constant up to rounding exactly constant.

    Where a column is all there is, the rounding that centring leaves of it would pass for the whole spectrum.
    """
    if not A.dwarfed:
        return A
    norms = np.sqrt(sum((np.sum(block**2, axis=0) for _, block in A.blocks()), np.zeros(A.d)))
    rounded = dead_columns(A, norms) & (norms > 0)
    if not np.any(rounded):
        return A
    X = np.array(A.design.X, dtype=np.float64)
    X[:, rounded] = X[0, rounded]
    return centre(Design(X, A.design.weight, A.design.offset), A.fit_intercept, A.scale)


def spectral_factor(design: Design, fit_intercept: bool, smallest_sum_lam: float = np.inf) -> SpectralFactor:
    """The factorisation behind a whole grid of ``lam``: primal or dual by shape, accurate where squaring would hurt.

    ``smallest_sum_lam`` is the smallest ``n * lam`` of interest.  Catalogue A-09, C-02, T-06.
    """
    wide = design.n < design.d
    with threads_of_our_own(design.X):
        A = _levelled(common_centre(design, fit_intercept))
        gram = A.kernel() if wide else A.gram()
    with one_blas_thread(len(gram) <= limits.SMALL_SIDE):
        values, vectors = interruptible(len(gram) ** 3, np.linalg.eigh, gram)
    values, vectors = values[::-1], vectors[:, ::-1]
    top = max(float(values[0]), 0.0) if len(values) else 0.0
    keep = _kept(A, values, top)
    floor = values[keep][-1] if np.any(keep) else 1.0
    if smallest_sum_lam < np.inf:
        floor = max(floor, smallest_sum_lam / float(A.scale[0]) / float(A.scale[0]))
    found = int(np.count_nonzero(keep))
    expected = A.largest_rank if wide else len(gram) if found == len(gram) else unit_free_rank(A, gram)
    if floor * GRAM_CONDITION_LIMIT >= top and found >= expected:
        singular, kept = np.sqrt(values[keep]), np.ascontiguousarray(vectors[:, keep])
        if wide:
            return SpectralFactor(A, singular, "dual eigen", left=kept)
        kept[np.diag(gram) == 0.0] = 0.0  # empty columns have no part in a direction, rounding of which would give one
        return SpectralFactor(A, singular, "primal eigen", right=kept)
    if A.design.is_sparse and A.n * A.d > limits.DENSE_LIMIT:
        raise ValueError(
            "columns of X depend on each other almost but not quite, or are measured in very different units, so a "
            "spectrum of this large sparse design would lose too many digits; rescale or drop columns, or give lam"
        )
    return svd_factor(A)


def _kept(A: Centred, values: np.ndarray, top: float) -> np.ndarray:
    """Which of the decreasing ``values`` are more than rounding, and no more of them than there can be."""
    return (values > EPS * max(A.n, A.d) * top) & (np.arange(len(values)) < A.largest_rank)


def svd_factor(A: Centred) -> SpectralFactor:
    """Singular values accurate one by one, whatever the columns' units: (QR and) one-sided Jacobi.  Catalogue T-06."""
    dense = A.dense()
    norms = np.linalg.norm(dense, axis=0)
    dead = dead_columns(A, norms)
    dense[:, dead] = 0.0
    return _wide_spectrum(A, dense, np.where(dead | (norms == 0), 1.0, norms)) if A.n < A.d else _tall(A, dense, dead)


def _wide_spectrum(A: Centred, dense: np.ndarray, size: np.ndarray) -> SpectralFactor:
    U, s, Vt = interruptible(dense.size * A.n, np.linalg.svd, dense, full_matrices=False)
    keep = _kept(A, s, s[0])
    if not np.any(keep) or (np.count_nonzero(keep) >= A.largest_rank and s[keep][-1] > 1e-7 * s[0]):
        return SpectralFactor(A, s[keep], "svd", right=Vt[keep].T, left=U[:, keep])
    unit_free = np.linalg.svd(dense / size, compute_uv=False)
    rank = int(np.count_nonzero(_kept(A, unit_free, unit_free[0])))
    right, s, left = _jacobi_svd(dense.T)
    return SpectralFactor(A, s[:rank], "jacobi svd", right=right[:, :rank], left=left[:, :rank])


def _tall(A: Centred, dense: np.ndarray, dead: np.ndarray) -> SpectralFactor:
    """From ``A P = Q [R11 R12]`` with unit columns: the spectrum of the trapezoid, back in the columns' units."""
    factor, _ = qr_factor(triangle_of(dense), A.d, A.n, dead, A.largest_rank)
    if factor.rank == 0:
        return SpectralFactor(A, np.zeros(0), "qr", right=np.zeros((A.d, 0)))
    units = factor.size[factor.order]
    if factor.rank == A.d:
        mixing, s, _ = _jacobi_svd(factor.R * units)
        return SpectralFactor(A, s, "qr + jacobi svd", triangular=factor, mixing=mixing)
    trapezoid = np.hstack([factor.R, factor.R @ factor.dependence]) * units
    turned, s, mixing = _jacobi_svd(trapezoid.T)
    right = np.empty_like(turned)
    right[factor.order] = turned
    return SpectralFactor(A, s, "qr + jacobi svd", right=right, triangular=factor, mixing=mixing)


def _jacobi_svd(M: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``M = U diag(s) V'`` for ``M`` with at least as many rows as columns, each ``s`` to nearly full precision."""
    s, U, V, work, _, failed = lapack.dgejsv(M, joba=2, jobu=0, jobv=0)
    if failed:
        raise np.linalg.LinAlgError("the Jacobi singular value decomposition did not converge; rescale the columns")
    return U[:, : M.shape[1]], s * work[0] / work[1], V
