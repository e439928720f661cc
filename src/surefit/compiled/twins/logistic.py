"""Layer compiled: the logistic loss in plain NumPy; the twin of the compiled loop."""

import numpy as np
from scipy.special import expit, logsumexp, softmax


def logistic_pass(
    X: np.ndarray, codes: np.ndarray, share: np.ndarray, V: np.ndarray, threads: int, slope: np.ndarray
) -> float:
    """Mean loss ``sum_i share_i loss(class_i, x_i W + b)`` at ``V = [W; b]``; its gradient goes into ``slope``.

    ``V`` is (d + 1, width): one column scores class 1 against class 0, several columns score a class each.  Catalogue
    L-10, L-11, T-78, T-81.

    >>> slope = np.zeros((2, 1))
    >>> X, codes = np.array([[0.0], [1.0]]), np.array([0, 1])
    >>> float(logistic_pass(X, codes, np.full(2, 0.5), np.zeros((2, 1)), 1, slope)), slope.ravel()
    (0.6931471805599453, array([-0.25,  0.  ]))
    """
    scores = X @ V[:-1].astype(X.dtype) + V[-1].astype(X.dtype)
    rows = np.arange(len(X))
    if V.shape[1] == 1:
        loss = np.logaddexp(0.0, np.where(codes == 1, -1, 1) * scores[:, 0])
        pull = expit(scores) - (codes == 1)[:, None]
    else:
        loss = logsumexp(scores, axis=1) - scores[rows, codes]
        pull = softmax(scores, axis=1)
        pull[rows, codes] -= 1
    pull = share[:, None] * pull
    slope[:-1], slope[-1] = X.T @ pull, pull.sum(axis=0)
    return float(share @ loss)
