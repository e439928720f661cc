"""Layer guarantee: the training rows of fits that are linear in their targets, with the factor of the fit.

In: a design or a kernel system, targets, ``lam``, and what the solver factorised.  Out: `LinearRows` or `KernelRows`,
the part ``factored`` of a `FitRecord`: one spectral factor, made by the fit or when it is first asked for, from which
leave-one-out, prediction intervals and standard errors come; and the `Response` of the fit to its targets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.fingerprints import copies, without_copies
from surefit.data.units import Units
from surefit.kernels.kernel import Kernel
from surefit.kernels.low_rank import nystroem_map
from surefit.solvers.cost import size
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum
from surefit.solvers.linear.factor import SpectralFactor, spectral_factor
from surefit.solvers.linear.least_squares import FactoredFit
from surefit.solvers.linear.limits import DENSE_LIMIT, GRAM_SIDE_LIMIT
from surefit.theory.fit.loo import LeaveOneOut, leave_one_out
from surefit.theory.inference.shrunken import ShrunkenTable, ridge_tables, taken_as_given
from surefit.theory.intervals.response import KernelResponse, LinearResponse, Response


@dataclass(frozen=True)
class LinearRows:
    """A linear fit: its design in the user's units, targets ``(n, k)``, ``lam``, and the solver's own `FactoredFit`.

    ``tuned`` says in words what of the fit was chosen on these rows; ``units`` are those in which it was penalised.
    """

    design: Design
    targets: np.ndarray
    lam: float
    fit_intercept: bool
    tuned: tuple[str, ...] = ()
    units: Units | None = None
    fit: FactoredFit | None = None

    @cached_property
    def counted(self) -> tuple[Design, np.ndarray]:
        """The design and the targets of the rows that count."""
        counted = self.design.counted()
        return counted, self.targets if counted is self.design else self.targets[self.design.weight > 0]

    @property
    def pair(self) -> tuple[Any, Any]:
        """Rows that count and their targets, as the solver keeps them."""
        return self.counted[0].X, self.counted[1]

    @property
    def size(self) -> tuple[int, int]:
        """Rows that count, and features of the left-out fits."""
        return self.counted[0].n, self.design.d

    @cached_property
    def factor(self) -> SpectralFactor:
        """The spectrum of the rows that count, with their weights: the fit's own where that is of these very rows."""
        design = self.counted[0]
        own = None if self.fit is None else self.fit.factor
        if isinstance(own, SpectralFactor) and own.A.n == design.n and not design.is_sparse:
            return own
        scaled = design if self.units is None else self.units.design(design)
        return spectral_factor(scaled, self.fit_intercept, self.lam * design.total_weight)

    @cached_property
    def response(self) -> Response:
        """The response of one target to rows that count alike; otherwise an error that says why."""
        design, targets = self.counted
        refuse_unequal(targets, design.weight)
        if design.is_sparse and design.n * design.d > DENSE_LIMIT:
            raise ValueError(
                f"the left-out fits would need {design.n} x {design.d} numbers as a dense matrix; calibrate on a "
                "hold-out instead (surefit.calibrate)"
            )
        alike = self if design.has_unit_weights else replace(self, design=Design(design.X, np.ones(design.n)), fit=None)
        features = None if self.units is None else self.units.rows
        return LinearResponse(alike.factor, targets[:, 0], self.lam, features)

    def leave_one_out(self) -> LeaveOneOut:
        """The left-out fits of the rows that count; those with equal features and targets leave together."""
        (design, targets), lam = self.counted, self.lam
        if design.is_sparse and design.n * design.d > DENSE_LIMIT and min(design.n, design.d) > GRAM_SIDE_LIMIT:
            raise ValueError(
                f"leave-one-out factorises a square matrix of side {min(design.n, design.d):,}, too large for a sparse "
                "design; hold rows out instead (fit(..., certify=0.2))"
            )
        first, member = copies(design.X, targets)
        if len(first) == design.n:
            return leave_one_out(self.factor, targets, lam, design.weight, member)
        own = None if self.fit is None else self.fit.factor
        if isinstance(own, SpectralFactor) and own.A.n == len(first):  # a lam that was chosen: copies were merged
            return leave_one_out(own, targets, lam, design.weight, member)
        merged = replace(self, design=without_copies(design, targets)[0], targets=targets[first], fit=None)
        return leave_one_out(merged.factor, targets, lam, design.weight, member)

    def shrunken_tables(self, names: tuple[str, ...], covariances: Sequence[Any], level: float) -> list[ShrunkenTable]:
        """The tables of ridge for some covariances, in the user's units."""
        targets = self.counted[1]
        if targets.shape[1] > 1:
            raise ValueError(f"y had {targets.shape[1]} columns; fit one column at a time to have its standard errors")
        caution = taken_as_given(self.tuned)
        found = ridge_tables(self.factor, targets[:, 0], self.lam, names, covariances, level, caution)
        return found if self.units is None else [table.divided_by(self.units.scale) for table in found]


@dataclass(frozen=True)
class KernelRows:
    """A kernel ridge fit, exact, or on the features of ``landmarks`` unless they are None; ``memory`` is in bytes.

    ``spectrum`` is that of the distinct points, if the fit needed it to choose ``lam``.
    """

    system: KernelSystem
    targets: np.ndarray
    lam: float
    tuned: tuple[str, ...]
    memory: float
    landmarks: Any = None
    spectrum: SpectralFactor | None = None

    @property
    def pair(self) -> tuple[Any, Any]:
        """Rows that count and their targets, as the solver keeps them."""
        return self.system.X, self.targets

    @property
    def size(self) -> tuple[int, int]:
        """Rows that count, and features of the left-out fits."""
        return self.system.n, self.system.n if self.landmarks is None else self.landmarks.shape[0]

    @cached_property
    def response(self) -> Response:
        """The response of one target to rows that count alike; otherwise an error that says why."""
        refuse_unequal(self.targets, self.system.weight)
        system, y, (n, width) = self.system, self.targets[:, 0], self.size
        needed = 3 * 8 * n * width
        if self.lam == 0.0 or needed > self.memory:
            reason = "lam = 0 leaves no residuals" if self.lam == 0.0 else f"that takes {size(needed)} of memory"
            raise ValueError(f"no left-out fits: {reason}; calibrate on a hold-out instead (surefit.calibrate)")
        if self.landmarks is None:
            return KernelResponse(replace(system, weight=np.ones(n)), y, self.lam)
        features = landmark_features(system.kernel, self.landmarks)
        factor = spectral_factor(Design.of(features(system.X)), system.fit_intercept, self.lam * n)
        return LinearResponse(factor, y, self.lam, features)

    def leave_one_out(self) -> LeaveOneOut:
        """The left-out fits of the rows that count; those at one point leave together, whatever their targets."""
        first, member = copies(self.system.X)
        needed = 3 * 8 * len(first) * min(len(first), self.size[1])
        if needed > self.memory:
            raise ValueError(
                f"leave-one-out takes {size(needed)} and the limit is {size(self.memory)}; raise memory, or hold rows "
                "out instead (fit(..., certify=0.2))"
            )
        return leave_one_out(self._spectrum(first, member), self.targets, self.lam, self.system.weight, member)

    def _spectrum(self, first: np.ndarray, member: np.ndarray) -> SpectralFactor:
        """The spectrum of the distinct points, each with the weight of all its rows."""
        if self.spectrum is not None and self.landmarks is None:
            return self.spectrum
        system = self.system
        points = replace(system, X=system.X[first], weight=np.bincount(member, system.weight))
        if self.landmarks is None:
            return kernel_spectrum(points)
        features = landmark_features(system.kernel, self.landmarks)
        design = Design.of(features(points.X), points.weight)
        return spectral_factor(design, system.fit_intercept, self.lam * points.total)


def refuse_unequal(targets: np.ndarray, weight: np.ndarray) -> None:
    """Raise ``ValueError`` where left-out fits promise nothing: several targets, or rows that count unequally."""
    if targets.shape[1] > 1:
        raise ValueError(f"y had {targets.shape[1]} columns; fit one column at a time to have its intervals")
    if not np.all(weight == weight[0]):
        raise ValueError(
            "rows of unequal sample_weight or class_weight are not exchangeable with a new row, so no coverage is "
            "guaranteed; fit without weights, or calibrate on a hold-out (surefit.calibrate)"
        )


def landmark_features(kernel: Kernel, landmarks: Any) -> Callable[[Any], Any]:
    """The features that a fit on landmarks has."""
    return nystroem_map(kernel, landmarks, landmarks.shape[0]).transform
