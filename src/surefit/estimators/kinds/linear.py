"""Layer estimators: what linear regressors share: validation on the way in, attributes on the way out.

`LinearModel` takes several targets, `OneTargetModel` refuses them, and `LinearRisk` is the minimiser of one `Problem`.
"""

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.scores import linear_scores
from surefit.data.tables import validate_data
from surefit.data.units import column_spreads
from surefit.estimators.kinds.planned import Planned
from surefit.estimators.kinds.summarised import Summarised
from surefit.guarantee.certifiable import Guaranteed
from surefit.objective.loss import Loss, check_shapes
from surefit.objective.penalty import Penalty, SquaredL2
from surefit.objective.problem import Problem
from surefit.parameters import positive, switch, whole
from surefit.solvers.any_loss.limits import SYSTEM_LIMIT
from surefit.solvers.any_loss.parts import Rescaled
from surefit.solvers.any_loss.plan import any_loss_plan
from surefit.solvers.any_loss.solve import SolverChoice, choose_solver
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.linear.plan import REASONS
from surefit.solvers.solution import Solution, Status


class LinearModel(Planned, Summarised, Guaranteed, RegressorMixin, BaseEstimator):
    """A regressor ``f(x) = coef_ . x + intercept_``; subclasses fit, this predicts."""

    coef_: np.ndarray
    intercept_: Any

    def predict(self, X: Any) -> np.ndarray:
        """``X @ coef_ + intercept_``, shape ``(n,)``, or ``(n, k)`` if ``y`` had ``k`` columns."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return self._values_at(X)

    def _values_at(self, X: Any) -> np.ndarray:
        """The predictions for rows that are checked already, and have left their column names behind."""
        return linear_scores(X, self.coef_, self.intercept_)

    def _validated(self, X: Any, y: Any, sample_weight: Any) -> tuple[Design, np.ndarray, Any]:
        """The design, targets ``(n, k)`` and the precision and shape in which to answer."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], multi_output=True, y_numeric=True
        )
        answer_type, one_target = X.dtype, y.ndim == 1
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        targets = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        return design, targets, (answer_type, one_target)

    def _publish(self, solution: Solution, shape: Any) -> None:
        """Set ``coef_``, ``intercept_`` and ``solution_`` in the user's precision and shape."""
        answer_type, one_target = shape
        self.solution_ = solution
        with np.errstate(over="ignore"):
            coef, intercept = solution.coef.T.astype(answer_type), np.asarray(solution.intercept).astype(answer_type)
        self.coef_ = coef[0] if one_target else coef
        self.intercept_ = intercept[0].item() if one_target else intercept

    def _solver_and_reason(self) -> tuple[str, str]:
        name = str(self.solution_.facts["method"])
        return name, REASONS.get(name, "asked for")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


class OneTargetModel(LinearModel):
    """A `LinearModel` that refuses several targets: its choices (of columns, of ``lam``) belong to one."""

    def _validated(self, X: Any, y: Any, sample_weight: Any) -> tuple[Design, np.ndarray, Any]:
        """The design, the target ``(n,)`` and the precision and shape in which to answer."""
        sparse_kind = "csr" if get_tags(self).input_tags.sparse else False
        with np.errstate(invalid="ignore"):  # their sum is inf - inf for numbers at both ends of the range
            X, y = validate_data(self, X, y, accept_sparse=sparse_kind, dtype=[np.float64, np.float32], y_numeric=True)
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        return design, np.asarray(y, dtype=np.float64), (X.dtype, True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags


class LinearRisk(OneTargetModel):
    """A linear model for one target that is the minimiser of one `Problem`; subclasses choose loss and penalty."""

    fit_intercept: bool
    penalty: Penalty | None
    lam: float
    standardise: bool
    tol: float
    max_iter: int | None
    _choice: SolverChoice

    def _check_limits(self) -> None:
        """Refuse what is no tolerance, no limit or no answer to whether there is an intercept."""
        switch("fit_intercept", self.fit_intercept)
        positive("tol", self.tol, "it bounds the duality gap, 1e-8 is a good value")
        if self.max_iter is not None:
            whole("max_iter", self.max_iter, "leave it None for the solver's own limit")

    def _planned(self, shape: Shape) -> Plan:
        return any_loss_plan(self._solver_for(self._stand_in(shape, self._planned_loss())), shape)

    def _planned_loss(self) -> Loss:
        """The loss that will be minimised."""
        raise NotImplementedError

    def _stand_in(self, shape: Shape, loss: Loss) -> Problem:
        """A problem of this shape without numbers, and of no more rows than the choice of a solver looks at."""
        n = min(shape.n, SYSTEM_LIMIT + 1)
        targets = np.zeros(n) if loss.targets == "classes" else np.ones(n)
        return self._problem(sparse.csr_array((n, shape.d)), targets, loss, None)

    def _solver_for(self, problem: Problem) -> SolverChoice:
        return choose_solver(problem)

    def _solver_and_reason(self) -> tuple[str, str]:
        return self._choice.name, self._choice.reason

    def _one_target(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, Any, Any]:
        """Checked data in float64 without the rows of weight zero, their weights, and the precision to answer in."""
        design, target, (answer_type, _) = self._validated(X, y, sample_weight)
        target, counted = target[design.weight > 0], design.counted()
        return counted.X, target, None if sample_weight is None else counted.weight, answer_type

    def _problem(self, X: Any, y: np.ndarray, loss: Loss, sample_weight: Any) -> Problem:
        penalty = SquaredL2() if self.penalty is None else self.penalty
        if not isinstance(penalty, Penalty):
            got = f"the model {penalty!r}" if hasattr(penalty, "fit") else repr(penalty)
            if isinstance(penalty, type):
                got = f"the class {penalty.__name__}, without ()"
            raise ValueError(
                f"penalty must be a Penalty such as SquaredL2() or L1(), got {got}; take it from surefit.objective"
            )
        if switch("standardise", self.standardise) and np.ndim(self.lam) == 0 and self.lam != 0:
            penalty = self._in_units(penalty, column_spreads(Design.of(X, sample_weight)))
        problem = Problem(X, y, loss, penalty, self.lam, sample_weight, bool(self.fit_intercept))
        if loss.targets in ("real", "signs", "probabilities"):
            check_shapes(loss, problem.y)
        return problem

    def _in_units(self, penalty: Penalty, spreads: np.ndarray) -> Penalty:
        """``penalty`` of the coefficients times the spreads of their columns."""
        if not penalty.separable:
            raise ValueError(
                f"standardise=True needs a penalty that is a sum over the columns, and {penalty!r} is not; scale the "
                "columns beforehand, or use SquaredL2(), L1() or ElasticNet()"
            )
        return Rescaled(penalty, 1.0 / spreads)

    def _accept(self, solution: Solution, answer_type: Any) -> None:
        """Set ``coef_``, ``intercept_``, ``solution_`` and ``n_iter_``; warn if the tolerance was not reached."""
        self.solution_, self.n_iter_ = solution, max(solution.n_iter, 1)
        with np.errstate(over="ignore"):
            self.coef_ = solution.coef.astype(answer_type)
            self.intercept_ = float(np.asarray(solution.intercept).astype(answer_type))
        if solution.status in (Status.MAX_ITER, Status.ROUNDING, Status.DIVERGED):
            warnings.warn(f"{type(self).__name__}: {solution.ending}", ConvergenceWarning, stacklevel=4)


def column_names(model: Any) -> tuple[str, ...]:
    """The data frame's column names, or ``x0, x1, ...``."""
    names = getattr(model, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(model.n_features_in_)) if names is None else tuple(map(str, names))
