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
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.intervals import PredictsIntervals, TrainingRows, kernel_rows, landmark_features
from surefit.guarantee.stored_intervals import StoredIntervals, StoredTargets
from surefit.guarantee.theorems.classifiers import TrainingSet, kernel_settings
from surefit.guarantee.theorems.regressors import kernel_ball
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import kernel_named
from surefit.kernels.low_rank import nystroem_map
from surefit.parameters import non_negative, positive
from surefit.selection.kernel_ridge import Choice, Merged, choose_by_loo, merged, settled, warn_of_kernel_choice
from surefit.solvers.kernel.nystroem import nystroem_ridge
from surefit.solvers.kernel.plan import LANDMARKS, Plan, low_rank, memory_limit
from surefit.solvers.kernel.ridge import EIGEN_POINTS, LOW_RANK, choose_route, kernel_ridge, with_facts
from surefit.solvers.kernel.system import KernelSystem, kernel_spectrum, solve_spectrum
from surefit.solvers.linear.factor import SpectralFactor, spectral_factor
from surefit.solvers.solution import ScaledTarget, Solution, Status
from surefit.theory.certificates.training_set import Designated


class KernelRidge(PredictsIntervals, RegressorMixin, KernelModel):
    """Minimise ``mean((y - f(x))**2) + lam * ||f||**2`` over the functions of a kernel.  Catalogue A-12, A-13, A-06.

    ``f(x) = sum_i dual_coef_[i] * k(x_i, x) + intercept_``.  scikit-learn's ``alpha`` is ``n * lam``.

    Parameters
    ----------
    kernel : a `Kernel`; ``None``: ``Gaussian("median")``; a word: ``"gaussian"`` or ``"rbf"``, ``"laplace"``,
        ``"matern"`` (each with the median distance), ``"linear"`` or ``"polynomial"``.  A list of them: that with
        the smallest exact leave-one-out error, each at its best ``lam``.
    lam : penalty, ``>= 0``.  ``None``: chosen by exact leave-one-out over ``lams`` from one eigendecomposition (above
        3,000 points: of a low-rank approximation, which ``solution_.facts`` then says).
    lams : grid to choose from; ``None``: 50 values over the kernel's spectrum, from where nothing is left of ``f`` down
        to where rounding decides; a choice at the lower end warns if the error still falls there.
    fit_intercept : add an offset ``b`` that is not penalised; without it ``f`` is pulled towards zero, not the mean.
    solver : ``"exact"``, ``"nystroem"`` (landmarks drawn from the rows), ``"partial cholesky"`` (landmarks chosen where
        the earlier ones explain least), or ``"auto"``: exact if memory allows and it takes minutes at most.
    n_landmarks : rank of the low-rank methods.
    tol : relative residual of the linear system, in float64, at which an iterative exact fit stops.
    memory : bytes the fit may take beside the data; ``None``: half of the machine's.  Landmarks are cut to fit.
    random_state : seed of the landmarks and of the rows that ``certify`` holds out.

    Equal rows count as one point of their total weight: leave-one-out leaves a point out with all its copies, and
    neither copies nor the scale of the weights changes the choice.

    Attributes
    ----------
    dual_coef_ : (m,) or (m, k), the weights of ``points_``, which are the training rows, or the landmarks.
    intercept_, lam_, kernel_ (settled for the data), plan_, solution_ : gap, residual, method.  A low-rank fit has the
        status ``LOW_RANK`` and an infinite gap: it is not known how far the whole kernel's minimum lies below.
    lam_path_, criterion_path_ : grid and mean squared leave-one-out error on it, if ``lam`` was chosen.

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
        fit_intercept: bool = True,
        solver: str = "auto",
        n_landmarks: int = LANDMARKS,
        tol: float = 1e-8,
        memory: float | None = None,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.lam = lam
        self.lams = lams
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.memory = memory
        self.random_state = random_state

    def plan(self, n: int, d: int) -> Plan:
        """How ``n`` points of ``d`` features would be fitted, and what that needs; nothing is computed."""
        if self.solver not in ("auto", "exact", *LOW_RANK):
            raise ValueError(f"solver must be 'auto', 'exact' or one of {LOW_RANK}, got {self.solver!r}")
        return choose_route(n, d, self.solver, memory_limit(self.memory), self.n_landmarks)

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> "KernelRidge":
        """Fit to ``X`` (n, d), dense (or sparse, if the kernel takes it), and ``y`` (n,) or (n, k)."""
        candidates = self._candidates()
        X, targets, weight, one_target = self._validated(X, y, sample_weight)
        scaled = ScaledTarget.of(targets)
        rows = merged(X, scaled.values, weight)
        self.plan_ = self.plan(*rows.X.shape)
        kernels = settled(candidates, X, weight, self)
        for name in ("lam_path_", "criterion_path_"):
            self.__dict__.pop(name, None)
        exact = self.plan_.solver not in LOW_RANK
        solution, landmarks = (self._exact(kernels, rows), None) if exact else self._low_rank(kernels, rows)
        if solution.status is Status.MAX_ITER and exact and self.solver == "auto":
            solution, landmarks = self._rescued(rows, solution)
        self.points_ = X if landmarks is None else landmarks
        coef = rows.spread(solution.coef) if landmarks is None else solution.coef
        self._publish(replace(solution, coef=coef), rows, scaled, one_target)
        self._rows = self._rows_of(X, landmarks, StoredTargets(targets, weight, self._tuned(candidates)))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """``f(x)`` for the rows of ``X``, in tiles: shape ``(n,)``, or ``(n, k)`` for ``k`` targets."""
        return self._scores(X)

    def _new_rows(self, X: Any) -> Any:
        return self._checked_rows(X).astype(np.float64, copy=False)

    def _rows_of(self, X: Any, landmarks: Any, kept: StoredTargets) -> TrainingRows:
        """What intervals need of the training rows."""
        system = KernelSystem(self.kernel_, X, kept.weight, bool(self.fit_intercept))
        return kernel_rows(system, landmarks, kept.targets, self.lam_, kept.broken, memory_limit(self.memory))

    def _kept_rows(self) -> TrainingRows | StoredIntervals:
        if isinstance(self._rows, StoredTargets):  # an exact fit has its training rows as points
            self._rows = self._rows_of(self.points_, None, self._rows)
        return super()._kept_rows()

    def _features(self) -> Callable[[Any], Any] | None:
        return landmark_features(self.kernel_, self.points_)

    def _stored_rows(self, rows: TrainingRows) -> Any:
        if self.plan_.solver in LOW_RANK:
            return super()._stored_rows(rows)
        return StoredTargets(rows.targets, rows.design.weight, rows.broken)

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
        """Rows that count, targets ``(n, k)``, their weights, and whether there is one target."""
        if self.lam is not None:
            non_negative("lam", self.lam, "use lam=0 to interpolate")
        positive("tol", self.tol, "it is the relative residual at which to stop")
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, **self._accepted())
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        targets = np.asarray(y, dtype=np.float64).reshape(len(y), -1)[design.weight > 0]
        counted = design.counted()
        return counted.X, targets, counted.weight, y.ndim == 1

    def _exact(self, kernels: list[Kernel], rows: Merged) -> Solution:
        """The weights of the distinct rows, the kernel and ``lam`` being chosen first."""

        def system(kernel: Kernel) -> KernelSystem:
            return KernelSystem(kernel, rows.X, rows.weight, bool(self.fit_intercept))

        memory = memory_limit(self.memory)
        if self._take_as_given(kernels):
            return kernel_ridge(system(self.kernel_), rows.targets, self.lam_, self.tol, memory)
        if rows.X.shape[0] <= EIGEN_POINTS:
            choice = self._choose(kernels, lambda kernel: kernel_spectrum(system(kernel)), rows)
            return solve_spectrum(system(choice.kernel), choice.factor, rows.targets, choice.lam)
        approximated = self._choose_by_features(kernels, rows)
        solution = kernel_ridge(system(self.kernel_), rows.targets, self.lam_, self.tol, memory)
        return with_facts(solution, lam_chosen_by=approximated)

    def _low_rank(self, kernels: list[Kernel], rows: Merged) -> tuple[Solution, Any]:
        """The weights of landmarks and the landmarks, the kernel and ``lam`` being chosen first."""
        if self._take_as_given(kernels):
            return self._on_landmarks(rows)
        return self._on_landmarks(rows, lam_chosen_by=self._choose_by_features(kernels, rows))

    def _on_landmarks(self, rows: Merged, **facts: Any) -> tuple[Solution, Any]:
        """The weights of landmarks and the landmarks, for ``kernel_`` and ``lam_``; ``facts`` are kept."""
        rule = "pivots" if self.plan_.solver == "partial cholesky" else "uniform"
        wanted = getattr(self.plan_, "n_landmarks", self.n_landmarks)
        features = nystroem_map(self.kernel_, rows.X, wanted, self.random_state, rows.weight, rule)
        found = nystroem_ridge(
            features, rows.X, rows.targets, self.lam_, rows.weight, bool(self.fit_intercept), memory_limit(self.memory)
        )  # fmt: skip
        facts = {"method": self.plan_.solver, "rank": features.rank, "reason": self.plan_.reason, **facts}
        return low_rank(replace(found, coef=features.landmark_weights(found.coef)), **facts), features.landmarks

    def _rescued(self, rows: Merged, failed: Solution) -> tuple[Solution, Any]:
        """Low rank in place of an exact fit that rounding defeated; the plan says why."""
        left = failed.facts["relative_residual"]
        reason = f"an exact fit stopped at a relative residual of {left:.1e}: lam is very small for this kernel"
        n, d = rows.X.shape
        plan = choose_route(n, d, "nystroem", memory_limit(self.memory), self.n_landmarks)
        self.plan_ = replace(plan, reason=reason)
        chosen = {name: failed.facts[name] for name in ("lam_chosen_by",) if name in failed.facts}
        return self._on_landmarks(rows, **chosen)

    def _take_as_given(self, kernels: list[Kernel]) -> bool:
        """Take the kernel and the ``lam`` that were given, if one of each was; returns whether that was so."""
        if self.lam is None or len(kernels) > 1:
            return False
        self.kernel_, self.lam_ = kernels[0], float(self.lam)
        return True

    def _choose(self, kernels: list[Kernel], spectrum: Callable[[Kernel], SpectralFactor], rows: Merged) -> Choice:
        lams = self.lams if self.lam is None else [self.lam]
        choice = choose_by_loo(kernels, spectrum, rows.targets, rows.weight, lams)
        warn_of_kernel_choice(choice, lams is not None, self)
        self.kernel_, self.lam_ = choice.kernel, choice.lam
        self.lam_path_, self.criterion_path_ = choice.lams, choice.curve
        return choice

    def _choose_by_features(self, kernels: list[Kernel], rows: Merged) -> str:
        """Choose by leave-one-out of a low-rank approximation that fits into memory; says which that was."""
        affordable = int(memory_limit(self.memory) / (4 * 8 * rows.X.shape[0]))
        rank = max(1, min(self.n_landmarks, affordable))

        def spectrum(kernel: Kernel) -> SpectralFactor:
            features = nystroem_map(kernel, rows.X, rank, self.random_state, rows.weight)
            return spectral_factor(Design.of(features.transform(rows.X), rows.weight), bool(self.fit_intercept))

        choice = self._choose(kernels, spectrum, rows)
        return f"exact leave-one-out of a rank-{choice.factor.rank} approximation"

    def _publish(self, solution: Solution, rows: Merged, scaled: ScaledTarget, one_target: bool) -> None:
        """The function in the units of ``y``."""
        if "criterion_path_" in self.__dict__:
            with np.errstate(over="ignore"):
                curve = self.criterion_path_ + rows.within / rows.targets.shape[1]
                self.criterion_path_ = curve * scaled.size * scaled.size
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
                f"KernelRidge stopped at a relative residual of {left:.1e}, above tol={self.tol:.0e}: lam is very "
                "small for this kernel; use a larger lam or tol, more memory, or solver='nystroem'",
                ConvergenceWarning,
                stacklevel=4,
            )
