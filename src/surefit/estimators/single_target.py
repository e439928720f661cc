"""Layer estimators: what the linear models that minimise one loss for one target share."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from surefit.data.design import Design
from surefit.estimators.linear_model import LinearModel
from surefit.objective.loss import Loss
from surefit.objective.penalty import Penalty, SquaredL2
from surefit.objective.problem import Problem
from surefit.solvers.solution import Solution, Status


class SingleTarget(LinearModel):
    """A linear model for one target that is the minimiser of one `Problem`; subclasses choose loss and penalty."""

    fit_intercept: bool
    penalty: Penalty | None
    lam: float

    def _one_target(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, Any, Any]:
        """Checked data in float64 without the rows of weight zero, their weights, and the precision to answer in."""
        sparse_kind = "csr" if get_tags(self).input_tags.sparse else False
        X, y = validate_data(self, X, y, accept_sparse=sparse_kind, dtype=[np.float64, np.float32], y_numeric=True)
        answer_type = X.dtype
        X, y = X.astype(np.float64, copy=False), np.asarray(y, dtype=np.float64)
        if sample_weight is not None:
            weight = Design.of(X, sample_weight).weight
            counted = weight > 0
            X, y, sample_weight = X[counted], y[counted], weight[counted]
        return X, y, sample_weight, answer_type

    def _problem(self, X: Any, y: np.ndarray, loss: Loss, sample_weight: Any) -> Problem:
        penalty = SquaredL2() if self.penalty is None else self.penalty
        if not isinstance(penalty, Penalty):
            raise ValueError(f"penalty must be a surefit Penalty such as SquaredL2() or L1(), got {penalty!r}")
        return Problem(X, y, loss, penalty, self.lam, sample_weight, bool(self.fit_intercept))

    def _accept(self, solution: Solution, answer_type: Any) -> None:
        """Set ``coef_``, ``intercept_``, ``solution_`` and ``n_iter_``; warn if the tolerance was not reached."""
        self.solution_, self.n_iter_ = solution, max(solution.n_iter, 1)
        with np.errstate(over="ignore"):
            self.coef_ = solution.coef.astype(answer_type)
            self.intercept_ = float(np.asarray(solution.intercept).astype(answer_type))
        if solution.status in (Status.MAX_ITER, Status.DIVERGED):
            warnings.warn(f"{type(self).__name__}: {solution.status.value}", ConvergenceWarning, stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
