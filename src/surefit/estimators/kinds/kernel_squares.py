"""Layer estimators: what `KernelRidge` and `KernelRidgeClassifier` share: squared errors over a kernel's functions.

In: rows with their weights, numbers as targets.  Out: a fitted function, with ``lam`` and kernel given or chosen.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit.data.design import Design
from surefit.estimators.kinds.kernel import KernelModel
from surefit.estimators.kinds.planned import n_folds
from surefit.guarantee.factored import KernelRows
from surefit.guarantee.stored_intervals import StoredTargets
from surefit.guarantee.theorems.training_rows import TrainingSet, kernel_settings
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import kernel_named
from surefit.kernels.low_rank import nystroem_map
from surefit.parameters import as_number, checked_grid, non_negative, positive
from surefit.selection.folds import Fold, folds_of
from surefit.selection.record import Selection, Selects, check_selects
from surefit.selection.ridge import (
    Judged,
    Predict,
    choose_kernel,
    predict_by_kernel,
    predict_linear,
    warn_of_kernel_choice,
)
from surefit.selection.settle import Merged, merged, settled
from surefit.solvers.cost import Plan, Shape, memory_limit
from surefit.solvers.kernel.limits import EIGEN_POINTS
from surefit.solvers.kernel.nystroem import nystroem_ridge
from surefit.solvers.kernel.plan import low_rank
from surefit.solvers.kernel.ridge import LOW_RANK, choose_route, kernel_ridge
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum, solve_spectrum
from surefit.solvers.linear.factor import SpectralFactor, spectral_factor
from surefit.solvers.solution import ScaledTarget, Solution, Status
from surefit.theory.certificates.certificate import Assumption


class KernelSquares(Selects, KernelModel):
    """A kernel model that minimises mean squared errors; subclasses make targets of ``y`` and read the function."""

    lam: float | None
    lams: Any
    criterion: str
    cv: Any
    select: str
    solver: str
    n_landmarks: int
    max_residual: float
    memory: float | None
    random_state: Any

    def _planned(self, shape: Shape) -> Plan:
        if self.solver not in ("auto", "exact", *LOW_RANK):
            raise ValueError(f"solver must be 'auto', 'exact' or one of {LOW_RANK}, got {self.solver!r}")
        kernels = 0 if self._given() else len(self._candidates())
        factors = kernels * (1 + n_folds(self.cv) if self.criterion == "cv" else 1)
        return choose_route(shape, self.solver, memory_limit(self.memory), self.n_landmarks, factors)

    def _solver_and_reason(self) -> tuple[str, str]:
        return str(self.solution_.facts["method"]), self.plan_.reason

    def _check_settings(self) -> None:
        check_selects(self, ("loo", "cv"))
        if self.lam is not None:
            non_negative("lam", self.lam, "use lam=0 to interpolate")
        positive("max_residual", self.max_residual, "it is the relative residual at which to stop")

    def _folds(self, design: Design, y: np.ndarray, labelled: bool = False) -> list[Fold] | None:
        """The folds, if they are what judges."""
        if self.criterion != "cv" or self._given():
            return None
        return folds_of(design, y, self.cv, self.random_state, labelled=labelled, groups=self._fit_groups)

    def _minimise(self, rows: Design, targets: np.ndarray, folds: list[Fold] | None, one_target: bool) -> None:
        """Fit to ``targets`` (n, k) at rows that all count, and publish the function."""
        candidates, X, weight = self._candidates(), rows.X, rows.weight
        scaled = ScaledTarget.of(targets)
        points = merged(X, scaled.values, weight)
        self.plan_ = self.plan(*points.X.shape)
        kernels = settled(candidates, X, weight, self)
        spectrum = self._choose(kernels, points, Judged(rows, scaled.values, folds), scaled.size)
        exact = self.plan_.solver not in LOW_RANK
        solution, landmarks = (self._exact(points, spectrum), None) if exact else self._on_landmarks(points)
        if solution.status is Status.MAX_ITER and exact and self.solver == "auto":
            solution, landmarks = self._rescued(points, solution)
        self.points_ = X.copy() if landmarks is None else landmarks  # the caller may change rows later
        coef = points.spread(solution.coef) if landmarks is None else solution.coef
        self._publish(replace(solution, coef=coef), points, scaled, one_target)
        kept = self._rows_of(X, landmarks, StoredTargets(targets, weight, self._tuned(candidates)))
        self._remember(factored=replace(kept, spectrum=spectrum))

    def _rows_of(self, X: Any, landmarks: Any, kept: StoredTargets) -> KernelRows:
        """What left-out fits need of the training rows."""
        system = KernelSystem(self.kernel_, X, kept.weight, bool(self.fit_intercept))
        return KernelRows(system, kept.targets, self.lam_, kept.tuned, memory_limit(self.memory), landmarks)

    def _revive(self) -> None:
        """Rebuild the rows of a model that was stored: an exact fit has them as points."""
        kept = self._fit_record.intervals
        if self._fit_record.factored is None and isinstance(kept, StoredTargets):
            self._remember(factored=self._rows_of(self.points_, None, kept))

    def _targets_to_store(self) -> StoredTargets | None:
        """What lets an exact fit be revived; None where there are landmarks in place of the rows."""
        rows = self._fit_record.factored
        if rows is None or self.plan_.solver in LOW_RANK:
            return None
        return StoredTargets(rows.targets, rows.system.weight, rows.tuned)

    def _tuned(self, candidates: list[Kernel]) -> tuple[str, ...]:
        """What of this fit depends on its rows beyond the weights of the function."""
        tuned = {
            "lam was chosen on the same rows": self.lam is None,
            "the kernel was chosen or scaled on the same rows": self.kernel_ not in candidates or len(candidates) > 1,
            "the landmarks were drawn from the training rows": self.plan_.solver in LOW_RANK,
        }
        return tuple(text for text, done in tuned.items() if done)

    def _among_kernels(self, rows: TrainingSet) -> tuple[TrainingSet, tuple[Assumption, ...]]:
        """The rows for a theorem about one of several fixed kernels, all of which hold at once; what was not fixed."""
        candidates = self._candidates()
        violated = () if self.kernel_ in candidates else kernel_settings(candidates[0], self.kernel_)
        return replace(rows, delta=rows.delta / len(candidates)), violated

    def _candidates(self) -> list[Kernel]:
        if not isinstance(self.kernel, (list, tuple)):
            return [self._kernel()]
        if not self.kernel:
            raise ValueError("a list of kernels must hold some, got []; list Kernels such as Gaussian(1.0)")
        return [kernel_named(kernel) for kernel in self.kernel]

    def _system(self, kernel: Kernel, rows: Merged) -> KernelSystem:
        return KernelSystem(kernel, rows.X, rows.weight, bool(self.fit_intercept))

    def _exact(self, rows: Merged, factor: SpectralFactor | None) -> Solution:
        """The weights of the distinct rows, from the spectrum of the kernel if that is known."""
        system = self._system(self.kernel_, rows)
        if factor is not None:
            return solve_spectrum(system, factor, rows.targets, self.lam_)
        return kernel_ridge(system, rows.targets, self.lam_, self.max_residual, memory_limit(self.memory))

    def _on_landmarks(self, rows: Merged) -> tuple[Solution, Any]:
        """The weights of landmarks and the landmarks, for ``kernel_`` and ``lam_``."""
        rule = "pivots" if self.plan_.solver == "partial cholesky" else "uniform"
        wanted = getattr(self.plan_, "n_landmarks", self.n_landmarks)
        features = nystroem_map(self.kernel_, rows.X, wanted, self.random_state, rows.weight, rule)
        found = nystroem_ridge(
            features, rows.X, rows.targets, self.lam_, rows.weight, bool(self.fit_intercept), memory_limit(self.memory)
        )  # fmt: skip
        facts = {"method": self.plan_.solver, "rank": features.rank, "reason": self.plan_.reason}
        return low_rank(replace(found, coef=features.landmark_weights(found.coef)), **facts), features.landmarks

    def _rescued(self, rows: Merged, failed: Solution) -> tuple[Solution, Any]:
        """Low rank in place of an exact fit that rounding defeated; the plan says why."""
        left = failed.facts["relative_residual"]
        reason = f"an exact fit stopped at a relative residual of {left:.1e}: lam is very small for this kernel"
        plan = choose_route(Shape(*rows.X.shape), "nystroem", memory_limit(self.memory), self.n_landmarks)
        self.plan_ = replace(plan, reason=reason)
        return self._on_landmarks(rows)

    def _given(self) -> bool:
        """Whether one kernel and one ``lam`` were given, so that there is nothing to choose."""
        return self.lam is not None and len(self._candidates()) == 1

    def _choose(self, kernels: list[Kernel], rows: Merged, judged: Judged, size: float) -> SpectralFactor | None:
        """Set ``kernel_``, ``lam_`` and ``selection_``; returns the spectrum of the kernel, if it was computed."""
        if self._given():
            self.kernel_, self.lam_, self.selection_ = kernels[0], as_number(self.lam), None
            return None
        lams = self.lams if self.lam is None else [self.lam]
        whole = rows.X.shape[0] <= EIGEN_POINTS and self.plan_.solver not in LOW_RANK
        spectrum = lambda kernel: (self._whole if whole else self._approximated)(kernel, rows, judged)
        choice = choose_kernel(kernels, spectrum, rows.targets, None if lams is None else checked_grid(lams), judged)
        warn_of_kernel_choice(choice.found, lams is not None, self)
        basis = "" if whole else f"a rank-{choice.factor.rank} approximation"
        found = Selection.of(choice.found, self.criterion, self.select, "MSE", basis, candidates=choice.candidates)
        within = rows.within / rows.targets.shape[1] if self.criterion == "loo" else 0.0
        self.selection_ = found.in_units(size * size, within)
        self.kernel_, self.lam_ = choice.kernel, found.chosen
        return choice.factor if whole else None

    def _whole(self, kernel: Kernel, rows: Merged, judged: Judged) -> tuple[SpectralFactor, Predict]:
        """The spectrum of the kernel at the distinct rows, and how rows that are left out are predicted."""
        predict = predict_by_kernel(kernel, judged, bool(self.fit_intercept))
        return kernel_spectrum(self._system(kernel, rows)), predict

    def _approximated(self, kernel: Kernel, rows: Merged, judged: Judged) -> tuple[SpectralFactor, Predict]:
        """The same for a low-rank approximation of the kernel that fits into memory."""
        affordable, offset = int(memory_limit(self.memory) / (4 * 8 * rows.X.shape[0])), bool(self.fit_intercept)
        rank = max(1, min(self.n_landmarks, affordable))
        features = nystroem_map(kernel, rows.X, rank, self.random_state, rows.weight)
        factor = spectral_factor(Design.of(features.transform(rows.X), rows.weight), offset)
        every = Design.of(features.transform(judged.rows.X), judged.rows.weight) if judged.folds else judged.rows
        return factor, predict_linear(every, judged.targets, offset)

    def _publish(self, solution: Solution, rows: Merged, scaled: ScaledTarget, one_target: bool) -> None:
        """The function in the units of ``y``."""
        offset = np.asarray(solution.intercept, dtype=np.float64)
        whole = replace(solution, intercept=offset, objective=solution.objective + rows.within)
        self.solution_ = scaled.restore(whole)
        self.n_iter_ = max(solution.n_iter, 1)
        coef, offset = self.solution_.coef, self.solution_.intercept
        self.dual_coef_ = coef[:, 0] if one_target else coef
        self.intercept_ = offset[0].item() if one_target else offset
        if solution.status is Status.MAX_ITER:
            left = solution.facts.get("relative_residual", np.nan)
            warnings.warn(
                f"{type(self).__name__} stopped at a relative residual of {left:.1e}, above max_residual="
                f"{self.max_residual:.0e}: lam is very small for this kernel; use a larger lam or max_residual, more "
                "memory, or solver='nystroem'",
                ConvergenceWarning,
                stacklevel=5,
            )
        if solution.status is Status.ROUNDING:
            warnings.warn(
                f"{type(self).__name__} may be {self.solution_.gap:.1e} above the least objective: lam = "
                f"{self.lam_:.1e} is so small against the kernel's values that rounding decides; centre or rescale X, "
                "or use a larger lam",
                ConvergenceWarning,
                stacklevel=5,
            )
