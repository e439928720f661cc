"""Layer selection: which kernel and which ``lam``, by the exact leave-one-out error of kernel ridge.

In: for every candidate kernel a spectrum (of the Gram matrix, or of low-rank features).  Out: a `Choice`.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.fingerprints import copies, distinct_rows
from surefit.kernels.bandwidth import dominant_column
from surefit.kernels.kernel import Kernel, OnColumns
from surefit.kernels.radial import Radial
from surefit.parameters import checked_grid, own_copy
from surefit.progress import Task
from surefit.selection.choice import ChoiceWarning, LamChoice, loo_of_constant, warn_of_choice
from surefit.solvers.linear.factor import SpectralFactor
from surefit.theory.fit.loo import loo_curve

GRID_SIZE = 50
GRID_FLOOR = 1e-10
"""Smallest ``n * lam`` of the default grid, as a share of the largest eigenvalue: below it rounding decides."""

GRID_TOP = 1e3
"""Largest one: nothing is left there of any function."""

DECADE = 4
"""Values of the default grid in a decade, about."""

NEARLY_EXACT = 1e-6
"""Share of the error of a constant below which nothing is to be gained by a smaller ``lam``."""

NEARLY_ALL = 0.999
"""Share of all squared distances above which one column leaves nothing for the others."""


@dataclass(frozen=True)
class Choice:
    """The best kernel and ``lam``, the grid, and the mean squared leave-one-out error on it."""

    kernel: Kernel
    factor: SpectralFactor
    lam: float
    lams: np.ndarray
    curve: np.ndarray
    found: LamChoice


def settled(kernels: Sequence[Kernel], X: Any, weight: np.ndarray, model: Any) -> list[Kernel]:
    """The kernels with everything data-dependent settled from the distinct rows, so that weights equal repeated rows.

    Copies: a parameter of a kernel that is set later must not reach a ``model`` that is fitted already.  Warns where
    a bandwidth is chosen from the data and one column alone decides it.
    """
    rows = X[distinct_rows(X, weight)[0]]
    ready = [_settled(kernel, rows) for kernel in kernels]
    _warn_of_units([columns for kernel in kernels for columns in _measured(kernel, np.arange(X.shape[1]))], rows, model)
    return ready


def _measured(kernel: Kernel, columns: np.ndarray) -> Iterator[np.ndarray]:
    """The columns that each part of a kernel takes its bandwidth from."""
    if isinstance(kernel, Radial) and isinstance(kernel.bandwidth, str):
        yield columns
    inside = columns[np.asarray(kernel.columns)] if isinstance(kernel, OnColumns) else columns
    for part in kernel._parts().values():
        yield from _measured(part, inside)


def _warn_of_units(measured: Sequence[np.ndarray], rows: Any, model: Any) -> None:
    """Say, once, that one column makes up nearly all distances, so that the function hardly sees the others."""
    for columns in measured:
        whole = np.array_equal(columns, np.arange(rows.shape[1]))
        found = dominant_column(rows if whole else rows[:, columns])
        if found is not None and found[1] > NEARLY_ALL:
            j, share = int(columns[found[0]]), min(found[1], 0.9999)
            names, name = getattr(model, "feature_names_in_", None), type(model).__name__
            scaler = "StandardScaler(with_mean=False)" if sparse.issparse(rows) else "StandardScaler()"
            warnings.warn(
                f"column {j if names is None else str(names[j])!r} makes up {np.floor(1e4 * share) / 100:.2f} % of all "
                f"squared distances, so the others do not count; scale the columns: make_pipeline({scaler}, {name}())",
                ChoiceWarning,
                stacklevel=_frames_inside(),
            )
            return


def _frames_inside() -> int:
    """How many calls of this package lie between a warning of the caller and the user."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("surefit."):
        frame, count = frame.f_back, count + 1
    return count


def _settled(kernel: Kernel, rows: Any) -> Kernel:
    try:
        ready = kernel.for_data(rows)
    except ValueError as error:
        if rows.shape[0] > 1:
            raise
        raise ValueError(
            f"{kernel!r} cannot be settled: there is one sample, or all rows are equal; give the bandwidth as a number"
        ) from error
    if np.any(ready.diag(rows) < 0):
        raise ValueError(f"{kernel!r} is no kernel: k(x, x) < 0 for some row; surefit.testing.check_kernel says more")
    return own_copy(ready)


@dataclass(frozen=True)
class Merged:
    """Distinct rows with the mean target and the total weight of each; ``member`` says which a row became.

    ``within`` is the mean squared deviation of the targets from those means: what no function can fit.
    """

    X: Any
    targets: np.ndarray
    weight: np.ndarray
    member: np.ndarray
    share: np.ndarray
    within: float

    def spread(self, coef: np.ndarray) -> np.ndarray:
        """Weights of the distinct rows shared out to their copies."""
        return coef[self.member] * self.share[:, None]


def merged(X: Any, targets: np.ndarray, weight: np.ndarray) -> Merged:
    """Equal rows as one of their total weight, weights scaled to at most one: the same minimiser over functions.

    Leave-one-out then leaves a point out with all its copies: a copy that stayed would be remembered.  It does not
    depend on the scale of the weights either, as the objective, a weighted mean, does not.

    >>> merged(np.array([[1.0], [2.0], [1.0]]), np.array([[0.0], [5.0], [2.0]]), np.ones(3)).weight
    array([1. , 0.5])
    """
    weight = weight / weight.max()
    first, member = copies(X)
    total = np.bincount(member, weight)
    share = weight / total[member]
    means = np.stack([np.bincount(member, share * column) for column in targets.T], axis=1)
    deviation = np.einsum("i,ik->", weight, (targets - means[member]) ** 2) / total.sum()
    return Merged(X[first], means, total / total.max(), member, share, float(deviation))


def choose_by_loo(
    kernels: Sequence[Kernel],
    spectrum: Callable[[Kernel], SpectralFactor],
    targets: np.ndarray,
    weight: np.ndarray,
    lams: Any = None,
) -> Choice:
    """The kernel and ``lam`` with the smallest exact leave-one-out error; one spectrum is kept at a time.

    ``lams=None`` spans 50 values from a thousand times the largest eigenvalue (over ``n``) down to where rounding
    decides.
    Of ties the largest ``lam`` is taken, the simplest function.  Catalogue T-76, S-05, S-11.
    """
    if len(targets) < 2:
        raise ValueError("leave-one-out needs at least two rows and there is one sample; give lam instead")
    size = max(float(np.max(np.abs(targets), initial=0.0)), np.finfo(float).tiny)
    constant = loo_of_constant(targets / size, weight)
    given = None if lams is None else checked_grid(lams)
    best: Choice | None = None
    tell = Task("choosing lam by leave-one-out", len(kernels), "kernel" if len(kernels) > 1 else None)
    for tried, kernel in enumerate(kernels):
        tell(tried, np.inf if best is None else float(np.min(best.curve)))
        factor = spectrum(kernel)
        grid = default_grid(factor) if given is None else given
        curve = loo_curve(factor, targets / size, grid)
        finite = np.isfinite(curve)
        if not np.any(finite) or (best is not None and np.min(curve) >= np.min(best.curve)):
            continue
        found = LamChoice(grid, curve, np.full(len(grid), np.nan), constant)
        best = Choice(kernel, factor, found.lam_min, grid, curve, found)
    if best is None:
        raise ValueError(
            "leave-one-out is undefined for every lam of the grid (each left-out row decides its own fit); "
            "add larger lams or more rows"
        )
    with np.errstate(over="ignore"):
        return replace(best, curve=best.curve * size * size)


def default_grid(factor: SpectralFactor) -> np.ndarray:
    """Increasing, evenly spaced in logarithms, over the spectrum of the kernel at the data."""
    if factor.rank == 0:
        return np.array([1.0])
    top = float(factor.squared_singular()[0]) / factor.A.design.total_weight
    return np.geomspace(GRID_FLOOR * top, GRID_TOP * top, GRID_SIZE)


def warn_of_kernel_choice(choice: Choice, given: bool, model: Any) -> None:
    """As `warn_of_choice`; a default grid ends where rounding decides.

    That matters if the error still falls there, by more than a hundredth in the last decade, and is worth lowering.
    """
    curve = choice.found.curve
    falls = len(curve) > DECADE and curve[0] < 0.99 * curve[DECADE]
    left = falls and curve.min() > NEARLY_EXACT * choice.found.constant
    warn_of_choice(choice.found, given, model, ("high", "low") if given else ("low",) if left else (), stacklevel=7)
