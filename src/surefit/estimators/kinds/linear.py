"""Layer estimators: what every linear regressor shares: validation on the way in, attributes on the way out."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.tables import validate_data
from surefit.estimators.kinds.summarised import Summarised
from surefit.guarantee.certifiable import Guaranteed
from surefit.solvers.solution import Solution


class LinearModel(Summarised, Guaranteed, RegressorMixin, BaseEstimator):
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
        return np.asarray(X @ self.coef_.T) + self.intercept_

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


def column_names(model: Any) -> tuple[str, ...]:
    """The data frame's column names, or ``x0, x1, ...``."""
    names = getattr(model, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(model.n_features_in_)) if names is None else tuple(map(str, names))
