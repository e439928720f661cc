"""Layer objective: the loss of multinomial logistic regression, where a prediction is a row of ``k`` scores.

In: class numbers ``y`` (n,) and scores ``f`` (n, k).  Out: losses (n,), gradients (n, k), Hessian products (n, k).
Adding one number to all scores of a row changes nothing, and log-sum-exp is shifted so that no score overflows.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from surefit.objective.loss import EDGE, Loss


@final
class SoftmaxCrossEntropy(Loss):
    """``-log(p_y)`` with ``p = softmax(f)``, for class numbers ``y`` (n,) and scores ``f`` (n, k).  Catalogue L-11.

    Gradient ``p - e_y``, Hessian ``diag(p) - p p'`` in each row.  The gradient has norm at most ``sqrt(2)`` and is
    1/2-Lipschitz in the Euclidean norm.  With two classes it is ``LogLoss`` of ``f_1 - f_0``.  The largest value on
    ``|f| <= radius`` is ``log(1 + (k - 1) * exp(2 * radius))``; ``bound`` does not know ``k`` and says ``inf``.

    >>> loss = SoftmaxCrossEntropy()
    >>> loss.value([0, 2], np.zeros((2, 3))).round(9)
    array([1.09861229, 1.09861229])
    >>> loss.derivative([2], [[0.0, 0.0, 0.0]]).round(3)
    array([[ 0.333,  0.333, -0.667]])
    """

    convex = smooth = twice_differentiable = True
    smoothness = 0.5
    targets = "classes"

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        y, f = classes_and_scores(y, f)
        # scores relative to that of the true class: no difference of two large numbers is left
        return log_sum_exp(f - np.take_along_axis(f, y[..., None], axis=-1))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        y, f = classes_and_scores(y, f)
        return softmax(f) - indicators(y, f.shape[-1])

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        """Diagonal ``p * (1 - p)`` of the Hessian of each row; ``hessian_product`` has all of it."""
        p = softmax(classes_and_scores(y, f)[1])
        return p * (1 - p)

    def hessian_product(self, y: ArrayLike, f: ArrayLike, v: ArrayLike) -> np.ndarray:
        """``(diag(p) - p p') v`` for each row of scores ``f`` and direction ``v``, both (n, k), in ``O(n k)``.

        >>> SoftmaxCrossEntropy().hessian_product([0], [[0.0, 0.0]], [[1.0, 0.0]])
        array([[ 0.25, -0.25]])
        """
        p, v = softmax(classes_and_scores(y, f)[1]), np.asarray(v)
        return p * (v - np.sum(p * v, axis=-1, keepdims=True))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        """``sum_j q_j log(q_j)`` with ``q = u + e_y`` if ``q`` is a probability vector, else ``inf``; shape (n,)."""
        y, u = classes_and_scores(y, u)
        q = u + indicators(y, u.shape[-1])
        inside = (q >= -EDGE).all(axis=-1) & (np.abs(q.sum(axis=-1) - 1) <= EDGE * u.shape[-1])
        q = np.clip(q, 0.0, 1.0)
        return np.where(inside, xlogy(q, q).sum(axis=-1), np.inf)

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError("the conjugate of softmax lives on a simplex, not an interval; ask conjugate itself")

    def lipschitz(self, radius: float) -> float:
        return float(np.sqrt(2.0))

    def balanced(self, y: ArrayLike, u: ArrayLike, weights: ArrayLike) -> np.ndarray:
        """Near ``u`` with ``sum_i weights_i u_i == 0`` in each class and each ``u_i + e_{y_i}`` a probability vector.

        The least mixing ``(1 - m) q_i + m r`` with one probability vector ``r`` that makes the mean of the ``q_i``
        equal the class frequencies.
        """
        y, u = classes_and_scores(y, u)
        p = np.asarray(weights, dtype=float) / np.sum(weights)
        truth = indicators(y, u.shape[-1])
        q, frequency = u + truth, p @ truth
        mean = p @ q
        ratio = np.divide(frequency, mean, out=np.ones_like(mean), where=mean > 0)
        mixing = max(0.0, 1.0 - float(ratio.min()))
        if mixing == 0.0:
            return u
        target = np.maximum(frequency - (1 - mixing) * mean, 0.0) / mixing
        return (1 - mixing) * q + mixing * target - truth


def classes_and_scores(y: ArrayLike, f: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Class numbers as integers, scores as floats with the classes on the last axis, broadcast to one row each."""
    f = np.asarray(f)
    f = f if f.dtype.kind == "f" else f.astype(float)
    y = np.asarray(y).astype(int)
    rows = np.broadcast_shapes(y.shape, f.shape[:-1])
    return np.broadcast_to(y, rows), np.broadcast_to(f, rows + f.shape[-1:])


def log_sum_exp(f: np.ndarray) -> np.ndarray:
    """``log(sum_j exp(f_j))`` over the last axis, shifted by the largest score."""
    top = f.max(axis=-1, keepdims=True)
    return top[..., 0] + np.log(np.exp(f - top).sum(axis=-1))


def softmax(f: np.ndarray) -> np.ndarray:
    """``exp(f) / sum(exp(f))`` over the last axis, shifted by the largest score.

    >>> softmax(np.array([1e300, 0.0]))
    array([1., 0.])
    """
    weights = np.exp(f - f.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def indicators(y: np.ndarray, k: int) -> np.ndarray:
    """Rows ``e_y``: 1 in the column of the class, 0 elsewhere."""
    return (y[..., None] == np.arange(k)).astype(float)
