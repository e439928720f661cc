"""Layer estimators: what `SVR` and `SVC` share: the kernel, the budget, one fit, scores in tiles."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.estimators.kinds.kernel import KernelModel
from surefit.estimators.kinds.planned import n_folds
from surefit.estimators.kinds.summarised import Summarised
from surefit.guarantee.theorems.training_rows import broken, kernel_settings
from surefit.kernels.library import Linear
from surefit.objective.margin import Hinge
from surefit.page import Fact
from surefit.parameters import checked_grid, positive
from surefit.selection.choice import walked_down, warn_of_choice
from surefit.selection.folds import Fold
from surefit.selection.grids import KERNEL_PER_DECADE, kernel_lams
from surefit.selection.kernel import LEAST_DECADES, LOWEST
from surefit.selection.record import Selection, Selects, check_selects
from surefit.selection.settle import settled
from surefit.selection.support_vectors import HeldOutSupport, Pairing
from surefit.solvers.cost import Plan, Shape, memory_limit
from surefit.solvers.solution import Solution, Status
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.limits import SMALL
from surefit.solvers.support_vectors.plan import DUAL_STEPS, support_vector_plan
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.solvers.support_vectors.solve import solve_by_points, solve_primal
from surefit.theory.certificates.certificate import Assumption
from surefit.theory.inference.summary import Summary

STEPS = 10_000_000
"""Two-variable steps that a fit may take unless told otherwise (and 100 for each row)."""

PRIMAL_TOL = 1e-3
"""Duality gap asked of a primal solution, as a share of ``max_violation``: gaps go with the square of violations."""

LEAST_SINGLE = float(np.finfo(np.float32).tiny / np.finfo(np.float32).eps)
"""Kernel values that are all below this lose digits in single precision."""

SMALL_LAM = (
    "lam is so small against the kernel's values that rounding decides; centre or rescale X, or use a larger lam"
)
FAR_TARGETS = "y is so far from 0 against its spread that rounding decides; subtract a constant from y"


class SupportVectorModel(Selects, Summarised, KernelModel):
    """Functions ``sum_i dual_coef_[i] k(x_i, x) + intercept_`` of few points; subclasses choose the loss."""

    support_: np.ndarray
    support_vectors_: Any
    lam: float | None
    lams: Any
    criterion: str
    cv: Any
    select: str
    random_state: Any
    fit_intercept: bool
    max_violation: float
    max_iter: int | None
    time_limit: float | None
    memory: float | None
    n_features_in_: int

    def summary(self) -> Summary:
        """The coefficients of the kernel ``Linear()`` by name with the facts of the fit; other kernels have none."""
        check_is_fitted(self)
        if not hasattr(self, "coef_"):
            raise ValueError(
                f"a summary shows the coefficients of columns, and {self.kernel_!r} has none; use the kernel Linear(), "
                "or plot predictions"
            )
        return super().summary()

    def _planned(self, shape: Shape) -> Plan:
        linear = isinstance(self._kernel(), Linear) and self.time_limit is None
        chooses = n_folds(self.cv) if self.lam is None else 0
        return support_vector_plan(shape, memory_limit(self.memory), linear, chooses)

    def _solver_and_reason(self) -> tuple[str, str]:
        name = str(self._solutions()[0].facts["method"])
        shape = Shape(self._fit_record.n, self.n_features_in_, max(len(getattr(self, "classes_", ())), 1))
        return name, support_vector_plan(shape, np.inf, name != DUAL_STEPS).reason

    def _facts(self) -> list[Fact]:
        return [("Support vectors", f"{len(self.support_):,}")]

    def _no_errors(self) -> str:
        return (
            "the hinge and the tube have no theory of standard errors here, and lam shrinks the coefficients by a bias "
            "that the data do not tell; use LogisticRegression or LeastSquares for inference"
        )

    def _prepare(self, X: Any, sample_weight: Any) -> tuple[Design, Design, np.ndarray]:
        """All rows, those that count and which these are; settles ``kernel_``."""
        check_selects(self, ("cv",), "no leave-one-out is exact for these losses")
        if self.lam is not None:
            positive("lam", self.lam, "support vectors need a penalty; use a small lam for a loose one")
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        rows = design.counted()
        self.kernel_ = settled([self._kernel()], rows.X, rows.weight, self)[0]
        return design, rows, np.flatnonzero(design.weight > 0)

    def _choose(self, problem: SupportVectorProblem, tasks: list[Pairing], folds: Callable[[], list[Fold]]) -> None:
        """Set ``lam_`` and ``selection_``: as given, or by held-out rows along a grid that is walked on."""
        self.selection_ = None
        if self.lam is not None:
            self.lam_ = float(self.lam)
            return
        held_out = HeldOutSupport(problem, tasks, folds(), memory_limit(self.memory))
        largest = float(np.max(problem.diagonal))
        if held_out.gram is not None and 0.0 < largest < LEAST_SINGLE:
            raise ValueError(
                f"values of {self.kernel_!r} on these rows are {largest:.0e} at most and lose digits in single "
                "precision, in which lam is chosen; rescale X, or give lam"
            )
        if self.lams is None:
            first = kernel_lams(held_out.size)
            matters = lambda: held_out.lam > LOWEST * first[0] and held_out.matters()
            choice = walked_down(held_out(first), held_out, matters, KERNEL_PER_DECADE, LEAST_DECADES)
            warn_of_choice(choice, False, self, ("low",) if held_out.matters() else ())
        else:
            choice = held_out(np.sort(checked_grid(self.lams, zero=False))[::-1])
            warn_of_choice(choice, True, self, ("high", "low"))
        measure = "soft error rate" if isinstance(problem.loss, Hinge) else "tube loss"
        self.selection_ = Selection.of(choice, "cv", self.select, measure)
        self.lam_ = self.selection_.chosen

    def _solve(self, problem: SupportVectorProblem) -> tuple[Solution, np.ndarray | None]:
        """The solution, its coefficients being weights of the rows, or those of the columns, which come second then."""
        n, d = problem.X.shape
        tol = positive(
            "max_violation", self.max_violation, "it is the violation of the optimality conditions at which to stop"
        )
        limit = np.inf if self.time_limit is None else positive("time_limit", self.time_limit, "give seconds, or None")
        if isinstance(self.kernel_, Linear) and n > max(SMALL, 4 * d) and np.isinf(limit):
            solution = solve_primal(problem, PRIMAL_TOL * tol, self.max_iter)
            return solution, solution.coef
        steps = max(STEPS, 100 * n) if self.max_iter is None else int(positive("max_iter", self.max_iter, "or None"))
        solution = solve_by_points(problem, Budget(tol, steps, limit, memory_limit(self.memory)))
        return solution, None

    def _violated(self, *solutions: Solution) -> tuple[Assumption, ...]:
        """What of this fit its theorem, compression, does not allow."""
        found = kernel_settings(self._kernel(), self.kernel_, self.lam)
        if any(one.status in (Status.MAX_ITER, Status.TIME_LIMIT) for one in solutions):
            found += (broken("the optimum was reached", "the fit ended at a limit before its optimum; raise it"),)
        if any(one.status is Status.ROUNDING for one in solutions):
            found += (broken("the optimum was reached", "rounding decides where it is; centre or rescale X"),)
        return found

    def _warn(self, solution: Solution) -> None:
        if solution.status in (Status.MAX_ITER, Status.TIME_LIMIT):
            warnings.warn(
                f"{type(self).__name__}: {solution.status.value} (duality gap {solution.gap:.1e} of an objective of "
                f"{solution.objective:.1e})",
                ConvergenceWarning,
                stacklevel=5,
            )
        if solution.status is Status.ROUNDING:
            far = solution.facts.get("rounding") == "targets"
            warnings.warn(
                f"{type(self).__name__} may be {solution.gap:.1e} above the least objective, {solution.objective:.1e} "
                f"here: {FAR_TARGETS if far else SMALL_LAM}",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _expansion(self, X: Any) -> np.ndarray:
        """The function without its offset: from the coefficients of a linear kernel, or from the support vectors."""
        if hasattr(self, "coef_"):
            return np.asarray(X @ self.coef_.T, dtype=np.float64)
        if self.support_vectors_.shape[0] == 0:
            return np.zeros((X.shape[0], *self.dual_coef_.T.shape[1:]))
        return self.kernel_.times(X, self.support_vectors_, self.dual_coef_.T)


def linear_coefficients(X: Any, weights: np.ndarray) -> np.ndarray:
    """``weights @ X`` for the rows ``X``: what a linear kernel's function is in the columns."""
    return np.asarray((X.T @ weights.T).T) if sparse.issparse(X) else weights @ X
