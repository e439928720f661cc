"""Layer estimators: `Memoriser`, which knows the training data by heart and nothing else."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.tables import validate_data
from surefit.estimators.kinds.labels import encode_labels
from surefit.guarantee.certifiable import Guaranteed, certifiable


class Memoriser(Guaranteed, ClassifierMixin, BaseEstimator):
    """The label of the training row that equals ``x``, or ``default`` if there is none.  Catalogue A-41, X-10.

    The extreme of overfitting: no mistake on training rows without contradictions, and on a continuous law as good as a
    constant.  Rows that contradict each other get their (weighted) majority, the first class in a tie.

    Parameters
    ----------
    default : the label for rows never seen; ``None``: the first class.

    Attributes
    ----------
    classes_ : the labels.  rows_ : (m, d) distinct training rows, sorted.  row_classes_ : (m,) index of their label.

    >>> model = Memoriser().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    >>> model.predict([[1.0], [2.0], [1.5]])
    array([1, 1, 0])
    """

    def __init__(self, default: Any = None):
        self.default = default

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "Memoriser":
        """Memorise ``X`` (n, d) and classes ``y`` (n,)."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        weight = Design.of(X, sample_weight).weight
        self.classes_, codes = encode_labels(y, weight)
        self._default_code()
        counted = weight > 0
        self.rows_, place = np.unique(X[counted].astype(np.float64) + 0.0, axis=0, return_inverse=True)  # -0.0 is 0.0
        votes = np.zeros((len(self.rows_), len(self.classes_)))
        np.add.at(votes, (place.ravel(), codes[counted]), weight[counted])
        self.row_classes_ = np.argmax(votes, axis=1)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, shape (n,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False).astype(np.float64) + 0.0
        known = {row.tobytes(): code for row, code in zip(self.rows_, self.row_classes_, strict=True)}
        otherwise = self._default_code()
        return self.classes_[[known.get(row.tobytes(), otherwise) for row in X]]

    def _default_code(self) -> int:
        """The index of the label for rows never seen."""
        classes = self.classes_.tolist()
        if self.default is not None and self.default not in classes:
            raise ValueError(f"default must be one of the classes {classes}, got {self.default!r}; None is the first")
        return 0 if self.default is None else classes.index(self.default)
