"""Layer estimators: what every kernel estimator shares: rows in, a settled kernel, predictions in tiles out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from surefit.features.kernel import Kernel
from surefit.features.kernels import Gaussian


class KernelModel(BaseEstimator):
    """A model ``f(x) = sum_j dual_coef_j k(x, points_j) + intercept``; subclasses fit, this evaluates."""

    kernel: Kernel | None
    kernel_: Kernel
    points_: Any
    dual_coef_: np.ndarray
    intercept_: Any

    def _scores(self, X: Any) -> np.ndarray:
        """``f`` at the rows of ``X``, shape (n,) or (n, k), in the precision of ``X``; no matrix n x m is held."""
        check_is_fitted(self, "dual_coef_")
        X = self._checked_rows(X)
        return (self.kernel_.times(X, self.points_, self.dual_coef_) + self.intercept_).astype(X.dtype)

    def _checked_rows(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, **self._accepted())

    def _accepted(self) -> dict[str, Any]:
        """What `validate_data` is told of the rows that this model takes."""
        return {
            "accept_sparse": "csr" if get_tags(self).input_tags.sparse else False,
            "dtype": [np.float64, np.float32],
        }

    def _kernel(self) -> Kernel:
        kernel = Gaussian("median") if self.kernel is None else self.kernel
        if not isinstance(kernel, Kernel):
            raise ValueError(f"kernel must be a surefit Kernel such as Gaussian(1.0), got {kernel!r}")
        return kernel

    def _keep(self, points: Any, dual_coef: np.ndarray, intercept: Any) -> None:
        """Set ``points_``, ``dual_coef_`` and ``intercept_`` without the points that have no weight."""
        used = np.flatnonzero(dual_coef if dual_coef.ndim == 1 else np.any(dual_coef != 0, axis=1))
        if len(used) == 0:
            used = np.arange(1)
        self.points_, self.dual_coef_, self.intercept_ = points[used], dual_coef[used], intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel is not None and getattr(self.kernel, "takes_sparse", False)
        return tags


def settled(kernel: Kernel, X: Any) -> Kernel:
    """``kernel`` with what depends on data settled from the different rows of ``X``: how often a row stands is moot.

    >>> settled(Gaussian("median"), np.array([[0.0], [2.0], [2.0], [0.0]]))
    Gaussian(bandwidth=2.0)
    """
    different = X if sparse.issparse(X) else np.unique(X, axis=0)
    try:
        return kernel.for_data(different)
    except ValueError as error:
        if different.shape[0] > 1:
            raise
        raise ValueError(
            f"{kernel!r} is settled from distances between different rows, and there is one sample only "
            "(or all are equal); give the bandwidth as a number"
        ) from error
