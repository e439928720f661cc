"""Layer solvers: the logistic loss and its Gram matrix of bytes in plain NumPy; twins of the compiled loops."""

import numpy as np
from scipy.special import expit, logsumexp, softmax

FAST_BYTES = False
"""Whether `byte_gram` is faster than a Gram matrix in single precision: here it is not."""

STEPS, FAR = np.float32(127), np.float32(12)


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


def byte_gram(rows: np.ndarray, factor: np.ndarray, threads: int, gram: np.ndarray) -> None:
    """``A' A`` with ``A = [factor_i x_i, factor_i]`` into ``gram``, each column of ``A`` rounded to 127 steps.

    The steps reach the largest entry of the column, or twelve times its root mean square if that is less.

    >>> gram = np.empty((2, 2), dtype=np.float32)
    >>> byte_gram(np.array([[1.0], [-0.5]]), np.ones(2), 1, gram)
    >>> gram.astype(float).round(3).tolist()  # 64 of 127 steps instead of a half
    [[1.254, 0.496], [0.496, 2.0]]
    """
    factor = factor.astype(np.float32)
    A = np.column_stack([rows.astype(np.float32) * factor[:, None], factor])
    reach = np.minimum(np.abs(A).max(axis=0), FAR * np.sqrt(np.mean(np.square(A), axis=0)))
    inverse = np.divide(STEPS, reach, out=np.zeros_like(reach), where=reach > 0)
    steps = np.rint(np.clip(A * inverse, -STEPS, STEPS)).astype(float)
    size = np.divide(1.0, inverse, out=np.zeros_like(reach), where=inverse > 0)
    gram[:] = steps.T @ steps * size * size[:, None]
