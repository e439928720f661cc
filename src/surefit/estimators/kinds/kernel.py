"""Layer estimators: what every kernel estimator shares: rows in, a settled kernel, predictions in tiles out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from surefit.data.tables import validate_data
from surefit.estimators.kinds.planned import Planned
from surefit.guarantee.certifiable import Guaranteed
from surefit.guarantee.theorems.training_rows import KernelFunction
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Gaussian, kernel_named
from surefit.progress import working


class KernelModel(Planned, Guaranteed, BaseEstimator):
    """A model ``f(x) = sum_j dual_coef_j k(x, points_j) + intercept``; subclasses fit, this evaluates."""

    kernel: Kernel | str | None
    kernel_: Kernel
    points_: Any
    dual_coef_: np.ndarray
    intercept_: Any
    fit_intercept: bool

    def _largest_product(self, n: int, d: int) -> float:
        return float(n) ** 3

    def _scores(self, X: Any) -> np.ndarray:
        """``f`` at the rows of ``X``, shape (n,) or (n, k), in the precision of ``X``; no matrix n x m is held."""
        check_is_fitted(self, "intercept_")
        X = self._checked_rows(X)
        with working(f"predicting with {type(self).__name__}"):
            return self._values_at(X).astype(X.dtype, copy=False)

    def _values_at(self, X: Any) -> np.ndarray:
        """``f`` at rows that are checked already, and have left their column names behind, in float64."""
        return self._expansion(X) + self.intercept_

    def _expansion(self, X: Any) -> np.ndarray:
        """``sum_j dual_coef_j k(x, points_j)`` at checked rows, in float64."""
        return self.kernel_.times(X, self.points_, self.dual_coef_)

    def _checked_rows(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, **self._accepted())

    def _accepted(self) -> dict[str, Any]:
        """What `validate_data` is told of the rows that this model takes."""
        return {
            "accept_sparse": "csr" if get_tags(self).input_tags.sparse else False,
            "dtype": [np.float64, np.float32],
        }

    def _function(self) -> KernelFunction:
        """The fitted function of one target, with its norm."""
        offset = bool(self.fit_intercept)
        return KernelFunction.of(self.kernel_, self.points_, self.dual_coef_, self.intercept_, offset)

    def _kernel(self) -> Kernel:
        return kernel_or_default(self.kernel)

    def _keep(self, points: Any, dual_coef: np.ndarray, intercept: Any) -> None:
        """Set ``points_``, ``dual_coef_`` and ``intercept_`` without the points that have no weight."""
        used = np.flatnonzero(dual_coef if dual_coef.ndim == 1 else np.any(dual_coef != 0, axis=1))
        if len(used) == 0:
            used = np.arange(min(1, len(dual_coef)))  # the zero function still needs a point to be evaluated
        self.points_, self.dual_coef_, self.intercept_ = points[used], dual_coef[used], intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = all(kernel.takes_sparse for kernel in self._candidates())
        return tags

    def _candidates(self) -> list[Kernel]:
        """The kernels in question: one, unless a subclass can choose."""
        return [self._kernel()]


def kernel_or_default(kernel: Any) -> Kernel:
    """``kernel``, or the one that a word stands for, or ``Gaussian("median")`` in place of None.

    >>> kernel_or_default("linear"), kernel_or_default(None)
    (Linear(), Gaussian(bandwidth='median'))
    """
    return Gaussian("median") if kernel is None else kernel_named(kernel)
