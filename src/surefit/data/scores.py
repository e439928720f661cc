"""Layer data: the answers of a linear model: scores, probabilities, labels.

In: rows and coefficients.  Out: numbers.  NumPy is all that this needs, so that a stored model answers soon after the
start of a program.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def linear_scores(X: Any, coef: np.ndarray, intercept: Any) -> np.ndarray:
    """``X @ coef.T + intercept``: shape ``(n,)`` for one row of coefficients ``(d,)``, ``(n, k)`` for ``(k, d)``."""
    return np.asarray(X @ coef.T) + intercept


def class_probabilities(scores: np.ndarray) -> np.ndarray:
    """Softmax of each row; the logistic function of a single column."""
    if scores.shape[1] == 1:
        e = np.exp(-np.abs(scores))
        return np.where(scores > 0, 1.0, e) / (1.0 + e)
    q = np.exp(scores - scores.max(axis=1, keepdims=True))
    return q / q.sum(axis=1, keepdims=True)


def all_probabilities(scores: np.ndarray) -> np.ndarray:
    """A column for each class; a single column of scores is the log-odds of the second of two."""
    if scores.shape[1] > 1:
        return class_probabilities(scores)
    return np.hstack([class_probabilities(-scores), class_probabilities(scores)])


def labels_of_scores(classes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The label of every row: by the sign of one score, 0 going to the first class, or by the largest of ``k``.

    >>> labels_of_scores(np.array(["no", "yes"]), np.array([-1.0, 0.0, 2.0]))
    array(['no', 'no', 'yes'], dtype='<U3')
    """
    return classes[(scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]
