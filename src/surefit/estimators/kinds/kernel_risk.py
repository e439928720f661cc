"""Layer estimators: what `KernelLogistic` and `KernelERM` share: from checked rows to a fitted function."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.exceptions import ConvergenceWarning

from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.data.tables import validate_data
from surefit.estimators.kinds.kernel import KernelModel
from surefit.guarantee.theorems.classifiers import kernel_classifier
from surefit.guarantee.theorems.training_rows import TrainingSet, kernel_settings, no_theorem_for_labels
from surefit.kernels.low_rank import LowRankMap, nystroem_map
from surefit.objective.loss import Loss
from surefit.parameters import as_number, checked_grid, positive
from surefit.selection.choice import walked_down, warn_of_choice
from surefit.selection.folds import folds_of
from surefit.selection.grids import KERNEL_PER_DECADE, kernel_lams
from surefit.selection.kernel import CHOOSING_POINTS, CHOOSING_RANK, LEAST_DECADES, LOWEST, HeldOutLosses
from surefit.selection.record import Selection, Selects, check_selects
from surefit.selection.settle import settled
from surefit.solvers.cost import Plan, Shape, memory_limit
from surefit.solvers.kernel.gram import DenseGram, Gram, LowRankGram
from surefit.solvers.kernel.newton import kernel_newton
from surefit.solvers.kernel.plan import kernel_newton_plan, low_rank
from surefit.solvers.kernel.problem import KernelRiskProblem
from surefit.solvers.solution import Solution, Status
from surefit.theory.certificates.training_set import Designated


class KernelRisk(Selects, KernelModel):
    """A kernel model that minimises one `KernelRiskProblem`; subclasses choose the loss and read the targets."""

    classes_: np.ndarray
    lam: float | None
    lams: Any
    criterion: str
    cv: Any
    select: str
    fit_intercept: bool
    solver: str
    n_landmarks: int
    memory: float | None
    random_state: Any

    def _planned(self, shape: Shape) -> Plan:
        scores = replace(shape, outputs=self._outputs(shape.outputs) or 1)
        chooses = CHOOSING_RANK if self.lam is None else 0
        return kernel_newton_plan(scores, memory_limit(self.memory), self.solver, self.n_landmarks, chooses)

    def _outputs(self, n_classes: int) -> int | None:
        """How many scores a row has; None for the one of a scalar loss."""
        raise NotImplementedError

    def _validated(self, X: Any, y: Any, sample_weight: Any) -> tuple[Design, Any]:
        """The rows in float64 with their weights, and the targets."""
        X, y = validate_data(self, X, y, y_numeric=is_regressor(self), **self._accepted())
        return Design.of(X.astype(np.float64, copy=False), sample_weight), y

    def _minimise(self, design: Design, y: np.ndarray, loss: Loss, n_classes: int) -> None:
        """Fit to targets as the loss takes them (where the weight is positive), and publish the function."""
        check_selects(self, ("cv",), "no leave-one-out is exact for these losses")
        if self.lam is not None:
            positive("lam", self.lam, "without a penalty no function is singled out; a tiny lam interpolates")
        counted = design.counted()
        self.kernel_ = settled([self._kernel()], counted.X, counted.weight, self)[0]
        self.plan_ = self.plan(counted.n, counted.d, n_outputs=n_classes)
        features = None
        if self.plan_.n_landmarks is not None:
            features = nystroem_map(self.kernel_, counted.X, self.plan_.n_landmarks, self.random_state, counted.weight)
        gram: Gram = (
            DenseGram(self.kernel_.gram(counted.X), EPS * (24 + 4 * counted.d))
            if features is None
            else LowRankGram(features.transform(counted.X))
        )
        problem = KernelRiskProblem(
            gram, y[design.weight > 0], loss, self.lam or 1.0, counted.weight / counted.total_weight,
            bool(self.fit_intercept), self._outputs(n_classes),
        )  # fmt: skip
        self.selection_ = self._chosen(problem, design, y) if self.lam is None else None
        self.lam_ = as_number(self.lam) if self.selection_ is None else self.selection_.chosen
        solution = kernel_newton(replace(problem, lam=self.lam_))
        facts = {**solution.facts, "method": self.plan_.solver, "reason": self.plan_.reason}
        solution = replace(solution, facts=MappingProxyType(facts))
        if features is not None:
            solution = low_rank(solution, rank=features.rank)
        self._publish(solution, counted.X, features, gram)

    def _designated_by_margin(self, rows: TrainingSet, one_score: bool) -> Designated:
        """The margin bound of a classifier by the sign of one score."""
        if not one_score:
            return no_theorem_for_labels(rows, "the margin bound is about two classes and one score")
        signs = np.where(rows.y == self.classes_[1], 1.0, -1.0)
        violated = kernel_settings(self._kernel(), self.kernel_)
        return kernel_classifier(rows, self._function(), signs * self._scores(rows.given), violated)

    def _chosen(self, problem: KernelRiskProblem, design: Design, y: np.ndarray) -> Selection:
        """The held-out loss along the grid, which is walked on while its end is the best."""
        labelled = problem.loss.targets in ("signs", "classes")
        folds = folds_of(design, y, self.cv, self.random_state, labelled=labelled, groups=self._fit_groups)
        judged, basis = self._for_choosing(problem, design)
        held_out = HeldOutLosses(judged, folds)
        if self.lams is None:
            first = kernel_lams(problem.gram.mean_diagonal(problem.weights))
            matters = lambda: held_out.lam > LOWEST * first[0] and held_out.matters()
            choice = walked_down(held_out(first), held_out, matters, KERNEL_PER_DECADE, LEAST_DECADES)
            warn_of_choice(choice, False, self, ("low",) if held_out.matters() else ())
        else:
            choice = held_out(np.sort(checked_grid(self.lams, zero=False))[::-1])
            warn_of_choice(choice, True, self, ("high", "low"))
        measure = "log-loss" if hasattr(self, "predict_proba") else "loss"
        return Selection.of(choice, "cv", self.select, measure, basis)

    def _for_choosing(self, problem: KernelRiskProblem, design: Design) -> tuple[KernelRiskProblem, str]:
        """The problem on which candidates are judged, and what that is, if not this one.

        Beyond `CHOOSING_POINTS` rows it is on landmarks, if not already.
        """
        counted = design.counted()
        if counted.n <= CHOOSING_POINTS or not isinstance(problem.gram, DenseGram) or self.lams is not None:
            return problem, ""
        features = nystroem_map(self.kernel_, counted.X, CHOOSING_RANK, self.random_state, counted.weight)
        rough = replace(problem, gram=LowRankGram(features.transform(counted.X)))
        return rough, f"a rank-{features.rank} approximation"

    def _publish(self, solution: Solution, X: Any, features: LowRankMap | None, gram: Gram) -> None:
        self.solution_, self.n_iter_ = solution, max(solution.n_iter, 1)
        if isinstance(gram, LowRankGram) and features is not None:
            self._keep(features.landmarks, features.landmark_weights(gram.Z.T @ solution.coef), solution.intercept)
        else:
            self._keep(X, solution.coef, solution.intercept)
        if solution.status not in (Status.CONVERGED, Status.LOW_RANK):
            warnings.warn(
                f"{type(self).__name__} stopped at most {_own_gap(solution):.1e} above the least objective: lam is so "
                "small against the kernel's values that rounding decides; use a larger lam, or centre or rescale X",
                ConvergenceWarning,
                stacklevel=5,
            )


def _own_gap(solution: Solution) -> float:
    """The gap of the problem that was solved, approximate or not."""
    return float(solution.facts.get("gap_of_approximation", solution.gap))
