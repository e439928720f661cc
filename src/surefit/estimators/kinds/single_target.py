"""Layer estimators: what the linear models that minimise one loss for one target share."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit.data.centred import column_spreads
from surefit.data.design import Design
from surefit.estimators.kinds.one_target import OneTargetModel
from surefit.objective.loss import Loss, check_shapes
from surefit.objective.penalty import Penalty, SquaredL2
from surefit.objective.problem import Problem
from surefit.parameters import positive, switch, whole
from surefit.solvers.any_loss.standardise import Rescaled
from surefit.solvers.solution import Solution, Status


class SingleTarget(OneTargetModel):
    """A linear model for one target that is the minimiser of one `Problem`; subclasses choose loss and penalty."""

    fit_intercept: bool
    penalty: Penalty | None
    lam: float
    standardise: bool
    tol: float
    max_iter: int | None

    def _check_limits(self) -> None:
        """Refuse what is no tolerance, no limit or no answer to whether there is an intercept."""
        switch("fit_intercept", self.fit_intercept)
        positive("tol", self.tol, "it bounds the duality gap, 1e-8 is a good value")
        if self.max_iter is not None:
            whole("max_iter", self.max_iter, "leave it None for the solver's own limit")

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
        if solution.status in (Status.MAX_ITER, Status.DIVERGED):
            warnings.warn(f"{type(self).__name__}: {solution.ending}", ConvergenceWarning, stacklevel=4)
