"""Layer estimators: `KernelRidge`, exact when possible, of low rank when not, with ``lam`` by exact leave-one-out."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from surefit.data.design import Design
from surefit.data.tables import validate_data
from surefit.estimators.kinds.kernel import KernelModel
from surefit.estimators.kinds.planned import n_folds
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.factored import KernelRows, landmark_features
from surefit.guarantee.intervals import PredictsIntervals
from surefit.guarantee.stored_intervals import StoredIntervals, StoredTargets
from surefit.guarantee.theorems.regressors import kernel_ball
from surefit.guarantee.theorems.training_rows import TrainingSet, kernel_settings
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import kernel_named
from surefit.kernels.low_rank import nystroem_map
from surefit.parameters import as_number, checked_grid, non_negative, positive
from surefit.selection.folds import folds_of
from surefit.selection.record import CV, Selection, Selects, check_selects
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
from surefit.solvers.kernel.plan import LANDMARKS, low_rank
from surefit.solvers.kernel.ridge import LOW_RANK, choose_route, kernel_ridge
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum, solve_spectrum
from surefit.solvers.linear.factor import SpectralFactor, spectral_factor
from surefit.solvers.solution import ScaledTarget, Solution, Status
from surefit.theory.certificates.training_set import Designated


class KernelRidge(Selects, PredictsIntervals, RegressorMixin, KernelModel):
    """Minimise ``mean((y - f(x))**2) + lam * ||f||**2`` over the functions of a kernel.  Catalogue A-12, A-13, A-06.

    ``f(x) = sum_i dual_coef_[i] * k(x_i, x) + intercept_``.  scikit-learn's ``alpha`` is ``n * lam``.

    Parameters
    ----------
    kernel : a `Kernel`; ``None``: ``Gaussian("median")``; a word: ``"gaussian"`` or ``"rbf"``, ``"laplace"``,
        ``"matern"`` (each with the median distance), ``"linear"`` or ``"polynomial"``.  A list of them: that with
        the smallest criterion, each at its best ``lam``.
    lam : penalty, ``>= 0``.  ``None``: chosen from ``lams`` by ``criterion`` (above 3,000 points that of a low-rank
        approximation, which ``selection_.chosen_by`` then says).
    lams : grid to choose from; ``None``: 50 values over the kernel's spectrum, from where nothing is left of ``f`` down
        to where rounding decides; a choice at the lower end warns if the error still falls there.
    criterion : ``"loo"``: the mean squared exact leave-one-out error, for all ``lam`` from one eigendecomposition;
        ``"cv"``: the mean squared error on held-out folds, for rows that come in groups.
    cv : number of shuffled folds (equal rows stay together), or a scikit-learn splitter, or an iterable of splits.
    select : ``"min"``: the minimiser of the criterion; ``"one_se"``: the largest ``lam`` within one standard error.
    fit_intercept : add an offset ``b`` that is not penalised; without it ``f`` is pulled towards zero, not the mean.
    solver : ``"exact"``, ``"nystroem"`` (landmarks drawn from the rows), ``"partial cholesky"`` (landmarks chosen where
        the earlier ones explain least), or ``"auto"``: exact if memory allows and it takes minutes at most.
    n_landmarks : rank of the low-rank methods.
    max_residual : relative residual of the linear system, in float64, at which an iterative exact fit stops.
    memory : bytes the fit may take beside the data; ``None``: half of the machine's.  Landmarks are cut to fit.
    random_state : seed of the folds, of the landmarks and of the rows that ``certify`` holds out.

    Equal rows count as one point of their total weight: leave-one-out leaves a point out with all its copies, and
    neither copies nor the scale of the weights changes the choice.

    Attributes
    ----------
    dual_coef_ : (m,) or (m, k), the weights of ``points_``, which are the training rows, or the landmarks.
    intercept_, lam_, kernel_ (settled for the data), plan_, solution_ : gap, residual, method.  A low-rank fit has the
        status ``LOW_RANK`` and an infinite gap: it is not known how far the whole kernel's minimum lies below.
    selection_ : the `Selection`, or None if one kernel and ``lam`` were given.  lam_path_, criterion_path_,
        criterion_se_, lam_min_, lam_1se_ : its grid, the error on it with its standard error, both choices.

    >>> from surefit.kernels import Linear
    >>> model = KernelRidge(Linear(), lam=1 / 3).fit([[1.0], [2.0], [3.0]], [1.0, 3.0, 5.0])
    >>> float(model.predict([[1.0]])[0].round(9))                         # ridge with its slope 2 shrunken to 4 / 3
    1.666666667
    >>> print(KernelRidge().plan(20_000, 10).solver)
    conjugate gradients
    """

    def __init__(  # noqa: PLR0913 - the hyper-parameters of scikit-learn estimators are arguments
        self,
        kernel: Any = None,
        lam: float | None = None,
        *,
        lams: Any = None,
        criterion: str = "loo",
        cv: Any = CV,
        select: str = "min",
        fit_intercept: bool = True,
        solver: str = "auto",
        n_landmarks: int = LANDMARKS,
        max_residual: float = 1e-8,
        memory: float | None = None,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.lam = lam
        self.lams = lams
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.max_residual = max_residual
        self.memory = memory
        self.random_state = random_state

    def _planned(self, shape: Shape) -> Plan:
        if self.solver not in ("auto", "exact", *LOW_RANK):
            raise ValueError(f"solver must be 'auto', 'exact' or one of {LOW_RANK}, got {self.solver!r}")
        kernels = 0 if self._given() else len(self._candidates())
        factors = kernels * (1 + n_folds(self.cv) if self.criterion == "cv" else 1)
        return choose_route(shape, self.solver, memory_limit(self.memory), self.n_landmarks, factors)

    def _solver_and_reason(self) -> tuple[str, str]:
        return str(self.solution_.facts["method"]), self.plan_.reason

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> "KernelRidge":
        """Fit to ``X`` (n, d), dense (or sparse, if the kernel takes it), and ``y`` (n,) or (n, k)."""
        candidates = self._candidates()
        X, targets, weight, one_target, folds = self._validated(X, y, sample_weight)
        scaled = ScaledTarget.of(targets)
        rows = merged(X, scaled.values, weight)
        self.plan_ = self.plan(*rows.X.shape)
        kernels = settled(candidates, X, weight, self)
        spectrum = self._choose(kernels, rows, Judged(Design(X, weight), scaled.values, folds), scaled.size)
        exact = self.plan_.solver not in LOW_RANK
        solution, landmarks = (self._exact(rows, spectrum), None) if exact else self._on_landmarks(rows)
        if solution.status is Status.MAX_ITER and exact and self.solver == "auto":
            solution, landmarks = self._rescued(rows, solution)
        self.points_ = X if landmarks is None else landmarks
        coef = rows.spread(solution.coef) if landmarks is None else solution.coef
        self._publish(replace(solution, coef=coef), rows, scaled, one_target)
        kept = self._rows_of(X, landmarks, StoredTargets(targets, weight, self._tuned(candidates)))
        self._remember(factored=replace(kept, spectrum=spectrum))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """``f(x)`` for the rows of ``X``, in tiles: shape ``(n,)``, or ``(n, k)`` for ``k`` targets."""
        return self._scores(X)

    def _new_rows(self, X: Any) -> Any:
        return self._checked_rows(X).astype(np.float64, copy=False)

    def _rows_of(self, X: Any, landmarks: Any, kept: StoredTargets) -> KernelRows:
        """What left-out fits need of the training rows."""
        system = KernelSystem(self.kernel_, X, kept.weight, bool(self.fit_intercept))
        return KernelRows(system, kept.targets, self.lam_, kept.tuned, memory_limit(self.memory), landmarks)

    def _left_out_rows(self) -> Any:
        kept = self._fit_record.intervals
        if self._fit_record.factored is None and isinstance(kept, StoredTargets):  # an exact fit has its rows as points
            self._remember(factored=self._rows_of(self.points_, None, kept))
        return super()._left_out_rows()

    def _features(self) -> Callable[[Any], Any] | None:
        return landmark_features(self.kernel_, self.points_)

    def _intervals_to_store(self) -> StoredIntervals | StoredTargets | None:
        rows = self._fit_record.factored
        if rows is None or self.plan_.solver in LOW_RANK:
            return super()._intervals_to_store()
        return StoredTargets(rows.targets, rows.system.weight, rows.tuned)

    def _tuned(self, candidates: list[Kernel]) -> tuple[str, ...]:
        """What of this fit depends on its rows beyond the weights of the function."""
        tuned = {
            "lam was chosen on the same rows": self.lam is None,
            "the kernel was chosen or scaled on the same rows": self.kernel_ not in candidates or len(candidates) > 1,
            "the landmarks were drawn from the training rows": self.plan_.solver in LOW_RANK,
        }
        return tuple(text for text, done in tuned.items() if done)

    def _designated(self, rows: TrainingSet) -> Designated:
        candidates = self._candidates()
        fixed = self.kernel_ in candidates
        violated = () if fixed else kernel_settings(candidates[0], self.kernel_)
        each = replace(rows, delta=rows.delta / len(candidates))  # one of several fixed kernels: all hold at once
        return kernel_ball(each, self._function(), 2, violated)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _candidates(self) -> list[Kernel]:
        if not isinstance(self.kernel, (list, tuple)):
            return [self._kernel()]
        if not self.kernel:
            raise ValueError("a list of kernels must hold some, got []; list Kernels such as Gaussian(1.0)")
        return [kernel_named(kernel) for kernel in self.kernel]

    def _validated(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """Rows that count, targets ``(n, k)``, their weights, whether there is one target, and folds if they judge."""
        check_selects(self, ("loo", "cv"))
        if self.lam is not None:
            non_negative("lam", self.lam, "use lam=0 to interpolate")
        positive("max_residual", self.max_residual, "it is the relative residual at which to stop")
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, **self._accepted())
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        targets, counted = np.asarray(y, dtype=np.float64).reshape(len(y), -1), design.counted()
        by_folds = self.criterion == "cv" and not self._given()
        folds = folds_of(design, targets, self.cv, self.random_state, groups=self._fit_groups) if by_folds else None
        return counted.X, targets[design.weight > 0], counted.weight, y.ndim == 1, folds

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
                f"KernelRidge stopped at a relative residual of {left:.1e}, above max_residual="
                f"{self.max_residual:.0e}: lam is very small for this kernel; use a larger lam or max_residual, more "
                "memory, or solver='nystroem'",
                ConvergenceWarning,
                stacklevel=4,
            )
