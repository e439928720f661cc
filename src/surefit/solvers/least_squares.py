"""Layer solvers: least squares and ridge, one ``lam`` at a time, to the last digit that the data allow.

In: a `Design`, targets ``(n, k)``, ``lam``.  Out: a `FactoredFit`: the `Solution` and the factorisation behind it.
Routes: Cholesky of the Gram matrix where its condition number allows it, else QR with columns of unit size, minimum
norm where columns depend on each other, the dual or the SVD where there are more columns than rows; then refinement.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy import linalg

from surefit.data.centering import Centred, centre, column_sizes, power_of_two
from surefit.data.design import Design
from surefit.solvers.factor import (
    EPS,
    SpectralFactor,
    TriangularFactor,
    cholesky_factor,
    common_centre,
    dead_columns,
    qr_factor,
    spectral_factor,
    triangle_of,
)
from surefit.solvers.iterative import lsmr_fit
from surefit.solvers.refine import refine
from surefit.solvers.solution import Solution, Status

SMALL = 50_000
"""Entries of ``X`` up to which the most careful route costs nothing worth saving."""
DENSE_LIMIT = 10_000_000
"""Entries up to which a sparse design is solved as a dense one."""
GRAM_SIDE_LIMIT = 4000
"""Smaller side of a large sparse design up to which a Gram matrix is formed; beyond, iterations."""


@dataclass(frozen=True)
class FactoredFit:
    """A solution, the centred design it was found on and the factor that found it (None where none was formed)."""

    solution: Solution
    A: Centred
    factor: TriangularFactor | SpectralFactor | None
    residual: np.ndarray


def least_squares(design: Design, y: np.ndarray, fit_intercept: bool = True, method: str = "auto") -> FactoredFit:
    """Minimise ``mean((y - X w - b)**2)``; of all minimisers the one of least ``||w||``.  Catalogue A-01..A-03, T-05.

    ``y`` has shape ``(n, k)``.  ``method`` is ``auto``, ``cholesky``, ``qr`` or ``svd``.
    """
    return ridge(design, y, 0.0, fit_intercept, method)


def ridge(design: Design, y: np.ndarray, lam: float, fit_intercept: bool = True, method: str = "auto") -> FactoredFit:
    """Minimise ``mean((y - X w - b)**2) + lam * ||w||**2`` for one ``lam >= 0``.  Catalogue A-09, A-10, T-13."""
    if design.is_sparse:
        if design.n * design.d > DENSE_LIMIT:
            return _large_sparse(design, y, lam, fit_intercept)
        design = Design(np.asarray(design.X.toarray()), design.weight)
    size = float(power_of_two(np.asarray(np.max(np.abs(y), initial=0.0))))
    scaled = y / size
    if method not in ("qr", "svd") and (method == "cholesky" or design.n * design.d > SMALL):
        fit = _by_gram(design, scaled, lam, fit_intercept)
        if fit is None and method == "cholesky":
            raise ValueError(
                "the Gram matrix is too ill-conditioned for solver='cholesky' (fewer than nine digits would be right); "
                "use solver='auto' or 'qr'"
            )
    else:
        fit = None
    if fit is None:
        tall = design.n_counted >= design.d + fit_intercept or (lam > 0 and design.n >= design.d)
        fit = _by_qr(design, scaled, lam, fit_intercept) if tall and method != "svd" else None
    if fit is None:
        fit = _by_spectrum(design, scaled, lam, fit_intercept)
    return _in_units(fit, size)


def _by_gram(design: Design, y: np.ndarray, lam: float, fit_intercept: bool) -> FactoredFit | None:
    """Normal equations, primal or dual by shape; None where they would lose too many digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        A = centre(design, fit_intercept)
        wide = design.n < design.d
        sum_lam = lam * design.total_weight
        if wide and lam == 0.0:
            return None
        gram = A.kernel() if wide else A.gram()
    factor = cholesky_factor(gram, np.full(len(gram), sum_lam))
    if factor is None:
        return None
    target = A.target(y)
    if wide:
        dual = factor.solve_normal(target)
        gradient = A.rmatvec(target - gram @ dual - sum_lam * dual)
        gap = float(np.max(np.sum(gradient**2, axis=0))) / (lam * design.total_weight**2)  # by strong convexity
        return _finished(A, y, A.rmatvec(dual), lam, factor, gap)
    pull = A.rmatvec(target)
    coef = factor.solve_normal(pull)
    product = gram @ coef
    fitted = np.sqrt(np.einsum("ij,ij->j", coef, product))
    if not design.is_sparse and _digits_matter(factor.condition**2, target, fitted):
        return _refined(A, y, coef, lam, factor, factor.solve_normal)
    gradient = pull - product - sum_lam * coef
    excess = np.einsum("ij,ij->j", gradient, factor.solve_normal(gradient))
    return _finished(A, y, coef, lam, factor, float(np.max(np.abs(excess))) / design.total_weight)


def _digits_matter(condition: float, target: np.ndarray, fitted: np.ndarray) -> bool:
    """Whether rounding in the normal equations could cost more than three digits of the coefficients."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = condition * EPS * np.max(np.linalg.norm(target, axis=0) / fitted, initial=1.0)
    return not lost < 1e-13


def _by_qr(design: Design, y: np.ndarray, lam: float, fit_intercept: bool) -> FactoredFit:
    """QR of the columns at unit size, then refinement; minimum norm where columns depend on each other."""
    penalty_size = np.sqrt(lam * design.total_weight)
    A = centre(design, fit_intercept, power_of_two(np.maximum(column_sizes(design), penalty_size)))
    dense = A.dense()
    dead = dead_columns(A, np.linalg.norm(dense, axis=0))
    dense[:, dead] = 0.0
    rows = np.hstack([dense, A.target(y)])
    if lam > 0:
        roots = penalty_size / A.scale
        rows = np.vstack([rows, np.hstack([np.diag(roots), np.zeros((A.d, y.shape[1]))])])
        dead = dead & (roots == 0.0)
    factor, rotated = qr_factor(triangle_of(rows), A.d, A.n, dead)
    coef = factor.solve(rotated)
    return _refined(A, y, coef, lam, factor, factor.solve_normal)


def _by_spectrum(design: Design, y: np.ndarray, lam: float, fit_intercept: bool) -> FactoredFit:
    """Singular value decomposition: minimum norm for ``lam = 0``, any shape.  Catalogue A-03."""
    A = common_centre(design, fit_intercept)
    U, s, Vt = np.linalg.svd(A.dense(), full_matrices=False)
    keep = s > EPS * max(A.n, A.d) * (s[0] if len(s) else 0.0)
    factor = SpectralFactor(A, s[keep], "svd", right=Vt[keep].T, left=U[:, keep])
    return _refined(A, y, _spectral_coef(factor, y, lam), lam, factor, _spectral_solve(factor, lam))


def _spectral_coef(factor: SpectralFactor, y: np.ndarray, lam: float) -> np.ndarray:
    shrink = factor.shrinkage(np.array([lam * factor.A.design.total_weight]))[0]
    return factor.coef((factor.coordinates(factor.A.target(y)).T * (shrink / factor.singular)).T)


def _spectral_solve(factor: SpectralFactor, lam: float) -> Callable[[np.ndarray], np.ndarray]:
    """``gradient -> (A'A + penalty)^{-1} gradient`` within the span of the right singular vectors."""
    V = factor.coef(np.eye(factor.rank))
    scaled = factor.singular**2 + lam * factor.A.design.total_weight / factor.common_scale / factor.common_scale
    return lambda gradient: V @ ((V.T @ gradient).T / scaled).T


def ridge_on(factor: SpectralFactor, y: np.ndarray, lam: float) -> FactoredFit:
    """Ridge for one ``lam`` on a spectral factor that is there already, refined where digits would be lost."""
    A, size = factor.A, float(power_of_two(np.asarray(np.max(np.abs(y), initial=0.0))))
    scaled = y / size
    coef = _spectral_coef(factor, scaled, lam)
    target, fitted = A.target(scaled), np.linalg.norm(A.matvec(coef), axis=0)
    top = factor.singular.max(initial=0.0) ** 2
    penalty = lam * A.design.total_weight / factor.common_scale / factor.common_scale
    floor = max(penalty, factor.singular.min(initial=np.inf) ** 2)
    if not A.design.is_sparse and factor.rank and _digits_matter(top / floor, target, fitted):
        return _in_units(_refined(A, scaled, coef, lam, factor, _spectral_solve(factor, lam)), size)
    gradient = A.rmatvec(target - A.matvec(coef)) - penalty * coef
    gap = float(np.max(np.sum(gradient**2, axis=0), initial=0.0)) / max(floor, 1e-300) / A.design.total_weight
    return _in_units(_finished(A, scaled, coef, lam, factor, gap), size)


def _refined(
    A: Centred,
    y: np.ndarray,
    coef: np.ndarray,
    lam: float,
    factor: TriangularFactor | SpectralFactor,
    solve: Callable[[np.ndarray], np.ndarray],
) -> FactoredFit:
    penalty = (np.sqrt(lam * A.design.total_weight) / A.scale) ** 2
    answers = [refine(A, y[:, j], coef[:, j], penalty, solve) for j in range(y.shape[1])]
    refined = np.stack([answer.state.high for answer in answers], axis=1)
    intercept = np.array([answer.state.intercept[0] for answer in answers])
    if isinstance(factor, TriangularFactor) and factor.rank < A.d:
        shorter = _least_norm(refined, factor.null_basis(), A.scale)
        intercept = intercept + (A.shift @ (refined - shorter) if A.fit_intercept else 0.0)
        refined = shorter
    residual = np.stack([answer.gradient.residual for answer in answers], axis=1)
    gap = max(answer.gap for answer in answers) + _rounding_excess(A, refined, intercept, factor)
    return _record(A, refined, intercept, residual, lam, factor, (gap, max(answer.rounds for answer in answers)))


def _least_norm(coef: np.ndarray, null_basis: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The shortest of ``coef + null_basis @ z`` in the user's units.  Catalogue A-04, T-07."""
    basis = null_basis / scale[:, None]
    Q, _ = linalg.qr(basis / np.linalg.norm(basis, axis=0), mode="economic", check_finite=False)
    raw = coef / scale[:, None]
    raw = raw - Q @ (Q.T @ raw)
    return raw * scale[:, None]


def _finished(
    A: Centred, y: np.ndarray, coef: np.ndarray, lam: float, factor: TriangularFactor | SpectralFactor, gap: float
) -> FactoredFit:
    """Answer without refinement: residuals in working precision."""
    intercept = A.target_mean(y) - A.shift @ coef
    residual = y - A.design.matvec((coef.T / A.scale).T) - intercept
    return _record(A, coef, intercept, residual, lam, factor, (gap, 0))


def _record(
    A: Centred,
    coef: np.ndarray,
    intercept: np.ndarray,
    residual: np.ndarray,
    lam: float,
    factor: TriangularFactor | SpectralFactor,
    quality: tuple[float, int],
) -> FactoredFit:
    """The records; ``quality`` holds the gap and the number of refinements."""
    gap, refinements = quality
    raw = coef / A.scale[:, None]
    mean_loss = A.design.weight @ residual**2 / A.design.total_weight
    facts = {
        "method": factor.method,
        "rank": factor.rank if lam == 0.0 else A.d,
        "refinements": refinements,
    }
    if isinstance(factor, TriangularFactor):
        facts["condition"] = factor.condition
    elif factor.rank:
        facts["condition"] = float(factor.singular[0] / factor.singular[-1])
    with np.errstate(over="ignore"):
        penalty = lam * np.sum(raw**2, axis=0) if lam > 0 else 0.0
    objective = float(np.sum(mean_loss + penalty))
    solution = Solution(raw, intercept, Status.EXACT, gap, objective, 0, facts=MappingProxyType(facts))
    return FactoredFit(solution, A, factor, residual)


def _rounding_excess(
    A: Centred, coef: np.ndarray, intercept: np.ndarray, factor: TriangularFactor | SpectralFactor
) -> float:
    """What rounding the refined answer to doubles can add to the objective."""
    norms = factor.size if isinstance(factor, TriangularFactor) else np.full(A.d, factor.singular.max(initial=0.0))
    moved = EPS * (norms @ np.abs(coef) + np.sqrt(A.design.total_weight) * np.abs(intercept))
    return float(np.max(moved**2, initial=0.0)) / A.design.total_weight


def _in_units(fit: FactoredFit, size: float) -> FactoredFit:
    """Undo the scaling of the targets by ``size``."""
    s = fit.solution
    with np.errstate(over="ignore"):
        scaled = Solution(
            s.coef * size, s.intercept * size, s.status, s.gap * size * size, s.objective * size * size, s.n_iter,
            s.history, s.facts,
        )  # fmt: skip
    return FactoredFit(scaled, fit.A, fit.factor, fit.residual * size)


def _large_sparse(design: Design, y: np.ndarray, lam: float, fit_intercept: bool) -> FactoredFit:
    """Gram matrix of the smaller side where it fits and is well-conditioned, else LSMR; never densified."""
    if min(design.n, design.d) <= GRAM_SIDE_LIMIT:
        fit = _by_gram(design, y, lam, fit_intercept)
        if fit is not None:
            return fit
    A = centre(design, fit_intercept)
    solution, residual = lsmr_fit(A, y, lam)
    return FactoredFit(solution, A, None, residual)


def solve_spectral(factor: SpectralFactor, y: np.ndarray, lams: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ridge coefficients ``(L, d, k)`` and intercepts ``(L, k)`` in the user's units for every ``lam``.

    ``V diag(s / (s**2 + n lam)) U' y`` from one factorisation.  Catalogue A-09, A-06, C-08.
    """
    A = factor.A
    rotated = factor.coordinates(A.target(y))
    filters = factor.shrinkage(np.asarray(lams) * A.design.total_weight) / factor.singular
    spectral = filters.T[:, :, None] * rotated[:, None, :]
    flat = factor.coef(spectral.reshape(factor.rank, -1)).reshape(A.d, len(filters), y.shape[1])
    coefs, intercepts = A.restore(flat.reshape(A.d, -1), np.tile(A.target_mean(y), len(filters)))
    return np.moveaxis(coefs.reshape(flat.shape), 0, 1), intercepts.reshape(len(filters), y.shape[1])


__all__ = ["FactoredFit", "least_squares", "ridge", "ridge_on", "solve_spectral", "spectral_factor"]
