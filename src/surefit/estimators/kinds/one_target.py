"""Layer estimators: linear regressors for one target column."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from surefit.data.design import Design
from surefit.data.tables import validate_data
from surefit.estimators.kinds.linear import LinearModel


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
