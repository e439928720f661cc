"""Layer selection: which ``lam`` of ridge, and which kernel of kernel ridge, by rows left out one by one or in folds.

In: a factor of all rows (a spectrum gives every ``lam`` at once), or a way to predict held-out rows from the others.
Out: a `LamChoice`; of several kernels a `KernelChoice`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.kernels.kernel import Kernel
from surefit.progress import Task
from surefit.selection.choice import ROUNDING, VANISHING, LamChoice, loo_of_constant, warn_of_choice
from surefit.selection.folds import Fold, in_parallel
from surefit.selection.grids import LEAST_SHRUNKEN, kernel_ridge_lams, ridge_lams, smallest_eigenvalue
from surefit.selection.settle import merged
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum, spectral_values
from surefit.solvers.linear.factor import SpectralFactor, spectral_factor
from surefit.solvers.linear.least_squares import solve_spectral
from surefit.solvers.linear.limits import DENSE_LIMIT, GRAM_SIDE_LIMIT
from surefit.theory.fit.loo import loo_curve_with_error

DECADE = 4
"""Values of the default grid of kernel ridge in a decade, about."""

NEARLY_EXACT = 1e-6
"""Share of the error of a constant below which nothing is to be gained by a smaller ``lam``."""

Predict = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From training rows, held-out rows and a grid to predictions (m, L, k) for the held-out ones."""


def by_loo(factor: SpectralFactor, targets: np.ndarray, lams: np.ndarray) -> LamChoice:
    """The exact leave-one-out error along ``lams``, all from one factor.  Catalogue T-76, S-04, S-11."""
    if len(targets) < 2:
        raise ValueError("leave-one-out needs two different rows and there is one sample; give lam instead")
    curve, se = loo_curve_with_error(factor, targets, lams)
    return LamChoice(lams, curve, se, loo_of_constant(targets, factor.A.design.weight))


def _defined(found: LamChoice) -> LamChoice:
    """The criterion, unless it is infinite for every ``lam``."""
    if not np.any(np.isfinite(found.curve)):
        raise ValueError(
            "leave-one-out is undefined for every lam of the grid (each left-out row decides its own fit); "
            "add larger lams or more rows"
        )
    return found


@dataclass(frozen=True)
class Judged:
    """All rows that count with their targets (n, k), and the folds by which they are judged; None: one by one."""

    rows: Design
    targets: np.ndarray
    folds: list[Fold] | None

    def along(self, factor: SpectralFactor, distinct: np.ndarray, lams: np.ndarray, predict: Predict) -> LamChoice:
        """The criterion: by leave-one-out from the ``factor`` of the ``distinct`` targets, or by folds."""
        return by_loo(factor, distinct, lams) if self.folds is None else self.by_folds(lams, predict)

    def by_folds(self, lams: np.ndarray, predict: Predict) -> LamChoice:
        """The mean squared error on held-out rows along ``lams``, averaged over the targets.  Catalogue S-05."""
        targets, weight, folds = self.targets, self.rows.weight, self.folds or []

        def held_out(fold: Fold) -> tuple[np.ndarray, float]:
            train, test = fold
            share = weight[test] / weight[test].sum()
            level = weight[train] @ targets[train] / weight[train].sum()
            squares = (targets[test, None] - predict(train, test, lams)) ** 2
            return share @ squares.mean(axis=2), float(np.mean(share @ (targets[test] - level) ** 2))

        tell = Task("choosing lam", len(folds), "fold")
        errors, constants = zip(*in_parallel(held_out, folds, self.rows.n * self.rows.d, tell), strict=True)
        weights = [float(weight[test].sum()) for _, test in folds]
        return replace(LamChoice.over_folds(lams, errors, weights, constants), noise=ROUNDING)


def predict_linear(design: Design, targets: np.ndarray, fit_intercept: bool) -> Predict:
    """Ridge on some rows, for other rows and every ``lam``."""

    def predict(train: np.ndarray, test: np.ndarray, lams: np.ndarray) -> np.ndarray:
        rest = Design(design.X[train], design.weight[train])
        factor = spectral_factor(
            rest.settled() if fit_intercept else rest, fit_intercept, float(lams.min()) * rest.total_weight
        )
        coefs, intercepts = solve_spectral(factor, targets[train], lams)
        flat = np.moveaxis(coefs, 1, 0).reshape(design.d, -1)
        return np.asarray(design.X[test] @ flat).reshape(len(test), *intercepts.shape) + intercepts

    return predict


def predict_by_kernel(kernel: Kernel, judged: Judged, fit_intercept: bool) -> Predict:
    """Kernel ridge on some rows, for other rows and every ``lam``."""

    def predict(train: np.ndarray, test: np.ndarray, lams: np.ndarray) -> np.ndarray:
        X = judged.rows.X
        rows = merged(X[train], judged.targets[train], judged.rows.weight[train])
        system = KernelSystem(kernel, rows.X, rows.weight, fit_intercept)
        return spectral_values(system, kernel_spectrum(system), rows.targets, lams, X[test])

    return predict


def refuse_too_large(design: Design) -> None:
    """Refuse sparse designs whose factorisation would fill the memory."""
    if design.is_sparse and design.n * design.d > DENSE_LIMIT and min(design.n, design.d) > GRAM_SIDE_LIMIT:
        raise ValueError(
            f"choosing lam by exact leave-one-out factorises a {min(design.n, design.d)} x {min(design.n, design.d)} "
            f"matrix, too large for a sparse design; give lam, or reduce one side to {GRAM_SIDE_LIMIT} or fewer"
        )


def choose_ridge(
    design: Design, targets: np.ndarray, fit_intercept: bool, grid: np.ndarray | None, judged: Judged, model: Any
) -> tuple[SpectralFactor, LamChoice]:
    """A factor of the distinct rows and the criterion along ``grid`` (None: the default one).

    Warns of a choice at an end.
    """
    refuse_too_large(design)
    smallest = np.inf if grid is None else float(grid.min()) * design.total_weight
    factor = spectral_factor(design.settled() if fit_intercept else design, fit_intercept, smallest)
    predict = predict_linear(judged.rows, judged.targets, fit_intercept)
    choice = _defined(judged.along(factor, targets, ridge_lams(factor) if grid is None else grid, predict))
    matters = factor.rank > 0 and choice.lam_min > LEAST_SHRUNKEN * smallest_eigenvalue(factor)
    warn_of_choice(choice, True, model, () if grid is None else ("high", "low") if matters else ("high",))
    return factor, choice


@dataclass(frozen=True)
class KernelChoice:
    """The best kernel with its factor, the criterion along the grid of ``lam``, and the least one of every kernel."""

    kernel: Kernel
    factor: SpectralFactor
    found: LamChoice
    candidates: tuple[tuple[Kernel, float], ...] = ()


def choose_kernel(
    kernels: Sequence[Kernel],
    spectrum: Callable[[Kernel], tuple[SpectralFactor, Predict]],
    targets: np.ndarray,
    grid: np.ndarray | None,
    judged: Judged,
) -> KernelChoice:
    """The kernel with the smallest criterion, each at its best ``lam``; one spectrum is kept at a time.

    ``grid=None`` spans 50 values from a thousand times the largest eigenvalue (over ``n``) down to where rounding
    decides.  Of ties the largest ``lam`` is taken, the simplest function, and the first kernel.
    Catalogue T-76, S-05, S-11.
    """
    best: KernelChoice | None = None
    scores: list[tuple[Kernel, float]] = []
    tell = Task("choosing lam", len(kernels), "kernel" if len(kernels) > 1 else None)
    for tried, kernel in enumerate(kernels):
        tell(tried, np.inf if best is None else float(np.min(best.found.curve)))
        factor, predict = spectrum(kernel)
        found = judged.along(factor, targets, kernel_ridge_lams(factor) if grid is None else grid, predict)
        scores.append((kernel, float(np.min(found.curve))))
        if best is None or _clearly_less(found, best.found):
            best = KernelChoice(kernel, factor, found)
    assert best is not None  # there is at least one kernel
    _defined(best.found)
    return replace(best, candidates=tuple(scores) if len(scores) > 1 else ())


def _clearly_less(found: LamChoice, best: LamChoice) -> bool:
    """Whether the least criterion is below the ``best`` so far by more than rounding, that of nearly nothing included.

    Rows that differ in one level, each as far from the other, look alike to every function of their distance.
    """
    least, before = float(np.min(found.curve)), float(np.min(best.curve))
    size = np.max(np.abs(best.curve), where=np.isfinite(best.curve), initial=0.0)
    return bool(least < before if np.isinf(before) else before - least > ROUNDING * before + VANISHING * size)


def warn_of_kernel_choice(found: LamChoice, given: bool, model: Any) -> None:
    """As `warn_of_choice`; a default grid ends where rounding decides.

    That matters if the error still falls there, by more than a hundredth in the last decade, and is worth lowering.
    """
    curve = found.curve
    falls = len(curve) > DECADE and curve[0] < 0.99 * curve[DECADE]
    left = falls and curve.min() > NEARLY_EXACT * found.constant
    warn_of_choice(found, given, model, ("high", "low") if given else ("low",) if left else ())
