"""Layer solvers: least squares and ridge, one ``lam`` at a time, to the last digit that the data allow.

In: a `Design`, targets ``(n, k)``, ``lam``.  Out: a `FactoredFit`: the `Solution` and the factorisation behind it.
Routes: Cholesky of the Gram matrix where its condition number allows it, else QR with columns of unit size, minimum
norm where columns depend on each other, the dual or the SVD where there are more columns than rows; then refinement.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from scipy import linalg

from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.data.gram import threads_of_our_own
from surefit.data.scale import EPS, column_sizes, power_of_two
from surefit.solvers.linear import limits
from surefit.solvers.linear.factor import (
    SpectralFactor,
    TriangularFactor,
    check_underflow,
    cholesky_factor,
    common_centre,
    qr_factor,
    spectral_factor,
    svd_factor,
    triangle_of,
)
from surefit.solvers.linear.lsmr import lsmr_fit
from surefit.solvers.linear.rank import dead_columns
from surefit.solvers.linear.refine import refine
from surefit.solvers.solution import ScaledTarget, Solution, Status

ROUNDING_SAFETY = 4.0
"""A combination of columns up to this many times the length that rounding of ``X`` can give it counts as zero."""

Factor = TriangularFactor | SpectralFactor


@dataclass(frozen=True)
class FactoredFit:
    """A solution, the centred design it was found on and the factor that found it (None where none was formed)."""

    solution: Solution
    A: Centred
    factor: Factor | None
    residual: np.ndarray

    def tied_by_rounding(self, precision: float = EPS) -> np.ndarray:
        """Numbers of columns that count as independent and yet depend on each other up to the rounding of ``X``.

        An entry ``x`` of ``X`` is known to ``precision / 2 * |x|``, however little of it is left once centred.
        """
        factor = self.factor.triangular if isinstance(self.factor, SpectralFactor) else self.factor
        if factor is None:
            return np.zeros(0, dtype=np.intp)
        origin = 0.0 if self.A.design.offset is None else self.A.design.offset / self.A.scale
        mean_size = np.sqrt(self.A.design.total_weight) * np.abs(self.A.shift + origin)
        return factor.tied_columns(ROUNDING_SAFETY * precision / 2.0 * np.hypot(factor.size, mean_size))


@dataclass(frozen=True)
class _Answer:
    """Coefficients of ``A`` (d, k) and intercepts (k,) before they are put into the user's units."""

    coef: np.ndarray
    intercept: np.ndarray
    residual: np.ndarray
    gap: float
    refinements: int = 0


def least_squares(design: Design, y: np.ndarray, fit_intercept: bool = True, method: str = "auto") -> FactoredFit:
    """Minimise ``mean((y - X w - b)**2)``; of all minimisers the one of least ``||w||``.  Catalogue A-01..A-03, T-05.

    ``y`` has shape ``(n, k)``.  ``method`` is ``auto``, ``cholesky``, ``qr`` or ``svd``.
    """
    return ridge(design, y, 0.0, fit_intercept, method)


def ridge(design: Design, y: np.ndarray, lam: float, fit_intercept: bool = True, method: str = "auto") -> FactoredFit:
    """Minimise ``mean((y - X w - b)**2) + lam * ||w||**2`` for one ``lam >= 0``.  Catalogue A-09, A-10, T-13."""
    if not np.isfinite(lam * design.total_weight):
        raise ValueError(f"lam times the number of rows overflows for lam={lam:g}; use a smaller lam, or rescale X")
    counted, scaled = design.counted(), ScaledTarget.of(y)
    targets = scaled.values if counted is design else scaled.values[design.weight > 0]
    fit = _in_units(_by_best_route(counted, targets, lam, fit_intercept, method), scaled)
    if counted is design:
        return fit
    return replace(fit, residual=y - design.matvec(fit.solution.coef) - fit.solution.intercept)


def _by_best_route(design: Design, y: np.ndarray, lam: float, fit_intercept: bool, method: str) -> FactoredFit:
    if design.is_sparse:
        if design.n * design.d > limits.DENSE_LIMIT:
            return _large_sparse(design, y, lam, fit_intercept, method)
        design = Design(np.asarray(design.X.toarray()), design.weight)
    if method == "cholesky" or (method == "auto" and design.n * design.d > limits.SMALL_TABLE):
        with threads_of_our_own(design.X):
            fit = _by_gram(design, y, lam, fit_intercept)
        if fit is not None:
            return fit
        if method == "cholesky":
            raise ValueError(
                "the Gram matrix is too ill-conditioned for solver='cholesky' (fewer than nine digits would be right); "
                "use solver='auto' or 'qr'"
            )
    tall = design.n >= design.d + fit_intercept or (lam > 0 and design.n >= design.d)
    if tall and method != "svd":
        return _by_qr(design, y, lam, fit_intercept)
    return _on_spectrum(svd_factor(common_centre(design, fit_intercept)), y, lam, careful=True)


def _by_gram(design: Design, y: np.ndarray, lam: float, fit_intercept: bool) -> FactoredFit | None:
    """Normal equations, primal or dual by shape; None where they would lose too many digits."""
    wide = design.n < design.d
    if wide and lam == 0.0:
        return None if design.is_sparse else _on_spectrum(spectral_factor(design, fit_intercept), y, 0.0, careful=True)
    with np.errstate(over="ignore", invalid="ignore"):
        A = centre(design, fit_intercept)
        sum_lam = lam * design.total_weight
        gram = A.kernel() if wide else A.gram()
    dead = np.zeros(A.d, dtype=bool)
    if A.dwarfed and not wide:
        dead = dead_columns(A, np.sqrt(np.diag(gram)))
        gram[dead], gram[:, dead] = 0.0, 0.0
    factor = cholesky_factor(gram, np.full(len(gram), sum_lam))
    if factor is None:
        return None
    target = A.target(y)
    if wide:
        dual = factor.solve_normal(target)
        gradient = A.rmatvec(target - gram @ dual - sum_lam * dual)
        excess = np.sum(gradient**2, axis=0) / sum_lam  # by strong convexity
        gap = _with_rounding(A, y, A.rmatvec(dual), excess, float(np.trace(gram)) / sum_lam)
        return _recorded(A, lam, factor, _plain_answer(A, y, A.rmatvec(dual), gap))
    pull = A.rmatvec(target)
    pull[dead] = 0.0
    coef = factor.solve_normal(pull)
    product = gram @ coef
    fitted = np.sqrt(np.maximum(np.einsum("ij,ij->j", coef, product), 0.0))
    if not design.is_sparse and (lam == 0.0 or _digits_matter(factor.condition**2, target, fitted)):
        contraction = A.d * factor.condition**2 * EPS
        return _refined(A, y, coef, lam, factor, _apart_from(dead, factor.solve_normal), contraction)
    gradient = pull - product - sum_lam * coef
    excess = np.einsum("ij,ij->j", gradient, factor.solve_normal(gradient))
    gap = _with_rounding(A, y, coef, excess, A.d * factor.condition**2)
    return _recorded(A, lam, factor, _plain_answer(A, y, coef, gap))


def _digits_matter(condition: float, target: np.ndarray, fitted: np.ndarray) -> bool:
    """Whether rounding in the normal equations could cost more than four digits of the coefficients."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = condition * EPS * np.max(np.linalg.norm(target, axis=0) / fitted, initial=1.0)
    return not lost < 1e-12


def _with_rounding(A: Centred, y: np.ndarray, coef: np.ndarray, excess: np.ndarray, sensitivity: float) -> float:
    """A gap that stays above the true excess although it was computed in working precision.

    The gradient carries an error of about ``eps sqrt(n) ||A|| ||t||``, felt with ``sensitivity`` (trace of the design
    over the smallest eigenvalue); the intercept one of the size of the means it is made of.
    """
    weight = A.design.total_weight
    noise = 16.0 * EPS**2 * A.n * sensitivity * np.sum(A.target(y) ** 2, axis=0)
    level = 4.0 * EPS * (np.max(np.abs(y), axis=0, initial=0.0) + np.abs(A.shift) @ np.abs(coef))
    return float(np.sum((2.0 * np.abs(excess) + noise) / weight + level**2))


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
    empty = dead & (penalty_size / A.scale == 0.0)
    factor, rotated = qr_factor(triangle_of(rows), A.d, A.n, empty)
    return _refined(A, y, factor.solve(rotated), lam, factor, _apart_from(dead, factor.solve_normal), 1.0)


def _apart_from(dead: np.ndarray, solve: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The same for a gradient whose entries at ``dead`` columns are rounding: a small penalty would blow them up."""
    return (lambda gradient: solve(np.where(dead, 0.0, gradient))) if np.any(dead) else solve


def _on_spectrum(factor: SpectralFactor, y: np.ndarray, lam: float, careful: bool) -> FactoredFit:
    """From a spectral factor; refined if ``careful`` or where digits would be lost.  Catalogue A-03."""
    A, sum_lam = factor.A, lam * factor.A.design.total_weight
    shrink, target = factor.shrinkage(np.array([sum_lam]))[0], factor.A.target(y)
    coef = factor.coef((factor.coordinates(target).T * (shrink / factor.singular)).T)
    penalty = sum_lam / factor.common_scale / factor.common_scale
    top, bottom = factor.singular.max(initial=0.0) ** 2, factor.singular.min(initial=1e100) ** 2
    floor = max(penalty, bottom)
    fitted = A.matvec(coef)
    matters = careful or _digits_matter(top / floor, target, np.linalg.norm(fitted, axis=0))
    if matters and factor.rank and not A.design.is_sparse:
        return _refined(A, y, coef, lam, factor, _spectral_solve(factor, penalty), 1.0)
    gradient = A.rmatvec(target - fitted) - penalty * coef
    gap = _with_rounding(A, y, coef, np.sum(gradient**2, axis=0) / floor, factor.rank * top / floor)
    return _recorded(A, lam, factor, _plain_answer(A, y, coef, gap))


def _spectral_solve(factor: SpectralFactor, penalty: float) -> Callable[[np.ndarray], np.ndarray]:
    """``gradient -> (A'A + penalty)^{-1} gradient`` within the span of the right singular vectors."""
    V = factor.coef(np.eye(factor.rank))
    return lambda gradient: V @ ((V.T @ gradient).T / (factor.singular**2 + penalty)).T


def ridge_on(factor: SpectralFactor, y: np.ndarray, lam: float) -> FactoredFit:
    """Ridge for one ``lam`` on a spectral factor that is there already; ``y`` holds the rows the factor counts."""
    scaled = ScaledTarget.of(y)
    return _in_units(_on_spectrum(factor, scaled.values, lam, careful=False), scaled)


def _refined(
    A: Centred,
    y: np.ndarray,
    coef: np.ndarray,
    lam: float,
    factor: Factor,
    solve: Callable[[np.ndarray], np.ndarray],
    contraction: float,
) -> FactoredFit:
    penalty = (np.sqrt(lam * A.design.total_weight) / A.scale) ** 2
    answers = [refine(A, y[:, j], coef[:, j], penalty, solve, contraction) for j in range(y.shape[1])]
    refined = np.stack([answer.state.high for answer in answers], axis=1)
    intercept = np.array([answer.state.intercept[0] for answer in answers])
    if isinstance(factor, TriangularFactor) and factor.rank < A.d:
        shorter = _least_norm(refined, factor.null_basis(), A.scale)
        intercept = intercept + (A.shift @ (refined - shorter) if A.fit_intercept else 0.0)
        refined = shorter
    residual = np.stack([answer.gradient.residual for answer in answers], axis=1)
    gap = sum(answer.gap for answer in answers) + _rounding_excess(A, refined, intercept, factor)
    rounds = max(answer.rounds for answer in answers)
    return _recorded(A, lam, factor, _Answer(refined, intercept, residual, gap, rounds))


def _rounding_excess(A: Centred, coef: np.ndarray, intercept: np.ndarray, factor: Factor) -> float:
    """What rounding the refined answer to doubles can add to the objective."""
    norms = factor.size if isinstance(factor, TriangularFactor) else np.full(A.d, factor.singular.max(initial=0.0))
    moved = EPS * (norms @ np.abs(coef) + np.sqrt(A.design.total_weight) * np.abs(intercept))
    moved = moved + EPS * np.sqrt(A.design.total_weight) * (np.abs(A.shift) @ np.abs(coef))
    return float(np.sum(moved**2)) / A.design.total_weight


def _least_norm(coef: np.ndarray, null_basis: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The shortest of ``coef + null_basis @ z`` in the user's units.  Catalogue A-04, T-07."""
    basis = null_basis / scale[:, None]
    Q, _ = linalg.qr(basis / np.linalg.norm(basis, axis=0), mode="economic", check_finite=False)
    raw = coef / scale[:, None]
    raw = raw - Q @ (Q.T @ raw)
    return raw * scale[:, None]


def _plain_answer(A: Centred, y: np.ndarray, coef: np.ndarray, gap: float) -> _Answer:
    """Answer without refinement: residuals in working precision."""
    intercept = A.target_mean(y) - A.shift @ coef - A.shift_low @ coef
    residual = y - A.design.matvec((coef.T / A.scale).T) - intercept
    return _Answer(coef, intercept, residual, gap)


def _recorded(A: Centred, lam: float, factor: Factor, answer: _Answer) -> FactoredFit:
    raw = answer.coef / A.scale[:, None]
    mean_loss = A.design.weight @ answer.residual**2 / A.design.total_weight
    facts = {
        "method": factor.method,
        "rank": factor.rank if lam == 0.0 else A.d,
        "refinements": answer.refinements,
    }
    if isinstance(factor, TriangularFactor):
        facts["condition"] = factor.condition
    elif factor.rank:
        facts["condition"] = float(factor.singular[0] / factor.singular[-1])
    with np.errstate(over="ignore"):
        penalty = lam * np.sum(raw**2, axis=0) if lam > 0 else 0.0
    objective = float(np.sum(mean_loss + penalty))
    intercept = A.design.user_intercept(raw, answer.intercept)
    solution = Solution(raw, intercept, Status.EXACT, answer.gap, objective, 0, facts=MappingProxyType(facts))
    return FactoredFit(solution, A, factor, answer.residual)


def _in_units(fit: FactoredFit, scaled: ScaledTarget) -> FactoredFit:
    """Undo the scaling of the targets; refuses coefficients that matter and do not survive it."""
    solution = scaled.restore(fit.solution)
    check_underflow(fit.A.design, fit.solution.coef, solution.coef)
    return replace(fit, solution=solution, residual=fit.residual * scaled.size)


def _large_sparse(design: Design, y: np.ndarray, lam: float, fit_intercept: bool, method: str) -> FactoredFit:
    """Gram matrix of the smaller side where it fits and is well-conditioned, else LSMR; never densified."""
    if method in ("qr", "svd"):
        raise ValueError(f"solver={method!r} would make this large sparse design dense; use solver='auto'")
    design = design.settled() if fit_intercept else design
    if min(design.n, design.d) <= limits.GRAM_SIDE_LIMIT:
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
    A, k = factor.A, y.shape[1]
    rotated = factor.coordinates(A.target(y))
    filters = factor.shrinkage(np.asarray(lams) * A.design.total_weight) / factor.singular
    spectral = filters.T[:, :, None] * rotated[:, None, :]
    flat = factor.coef(spectral.reshape(factor.rank, len(filters) * k))
    coefs, intercepts = A.restore(flat, np.tile(A.target_mean(y), len(filters)))
    return np.moveaxis(coefs.reshape(A.d, len(filters), k), 0, 1), intercepts.reshape(len(filters), k)


__all__ = ["FactoredFit", "least_squares", "ridge", "ridge_on", "solve_spectral", "spectral_factor"]
