"""Layer solvers: penalised logistic regression as numbers: objective, gradient and duality gap in one pass.

In: a design (dense or CSR), class numbers, sample shares, penalty coefficients.  Out: an `Evaluation` at a point.  Two
classes need one column of scores, ``k`` classes ``k`` columns.  A point is one array ``V`` of shape ``(d + 1, width)``:
coefficients, and the intercepts in its last row.  Rows are taken in blocks of fixed size by threads of our own and
summed in order, so the answer does not depend on the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlog1py, xlogy

from surefit.compiled.door import logistic_pass
from surefit.data.scores import class_probabilities
from surefit.objective.margin import Logistic
from surefit.objective.penalty import SquaredL2
from surefit.objective.problem import Problem
from surefit.objective.softmax import SoftmaxCrossEntropy
from surefit.solvers.any_loss.parts import WeightedNet
from surefit.solvers.logistic import limits
from surefit.threads import cores, map_in_order

ROUNDING = 4 * np.finfo(float).eps


@dataclass(frozen=True)
class Evaluation:
    """The smooth part of the objective at a point: mean loss plus squares, and their gradient ``(d + 1, width)``."""

    risk: float
    value: float
    slope: np.ndarray
    """Gradient of the mean loss alone."""
    gradient: np.ndarray


@dataclass(frozen=True, eq=False)
class LogisticProblem:
    """Minimise ``sum_i share_i loss(class_i, x_i W + b) + sum_j (absolute_j |W_j| + square_j W_j**2)``.

    ``loss`` is the softmax cross-entropy; with ``width == 1`` the second class is scored against the first, otherwise
    every class has its own column.  ``absolute`` and ``square`` (d,) already contain ``lam``.  The intercepts are not
    penalised.  Catalogue A-29, A-30, L-10, L-11.

    >>> problem = LogisticProblem.of(np.array([[0.0], [1.0]]), np.array([0, 1]), lam=0.5)
    >>> round(problem.evaluate(np.zeros((2, 1))).value, 9)
    0.693147181
    """

    X: Any
    codes: np.ndarray
    n_classes: int
    width: int
    share: np.ndarray
    absolute: np.ndarray
    square: np.ndarray
    fit_intercept: bool = True

    @staticmethod
    def of(
        X: Any,
        codes: np.ndarray,
        lam: float = 0.0,
        l1_ratio: float = 0.0,
        weight: np.ndarray | None = None,
        fit_intercept: bool = True,
    ) -> LogisticProblem:
        """The problem in the user's units; ``lam * (l1_ratio ||W||_1 + (1 - l1_ratio) ||W||**2)`` is the penalty."""
        n, d = X.shape
        k = int(codes.max()) + 1
        share = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
        one = np.ones(d)
        return LogisticProblem(
            X, codes, k, 1 if k == 2 else k, share, lam * l1_ratio * one, lam * (1 - l1_ratio) * one, fit_intercept
        )

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    @property
    def penalised(self) -> bool:
        return bool(np.any(self.absolute) or np.any(self.square))

    @cached_property
    def frequency(self) -> np.ndarray:
        """Share of each class."""
        return np.bincount(self.codes, self.share, minlength=self.n_classes)

    def with_penalty(self, absolute: np.ndarray, square: np.ndarray) -> LogisticProblem:
        """The same data under another penalty; what was computed about the data is kept."""
        other = replace(self, absolute=absolute, square=square)
        about_data = ("frequency", "mean_square", "by_columns")
        other.__dict__.update({name: self.__dict__[name] for name in about_data if name in self.__dict__})
        return other

    def as_problem(self) -> Problem:
        """The same as a `Problem` of one score for two classes, of a score for each of several."""
        codes, loss = (self.codes, SoftmaxCrossEntropy()) if self.width > 1 else (2.0 * self.codes - 1.0, Logistic())
        penalty = WeightedNet(self.absolute, self.square) if self.penalised else SquaredL2()
        lam = 1.0 if self.penalised else 0.0
        return Problem(self.X, codes, loss, penalty, lam, self.share, self.fit_intercept)

    def null_point(self) -> np.ndarray:
        """The best point without coefficients: the log-odds of the classes."""
        V = np.zeros((self.d + 1, self.width))
        if self.fit_intercept:
            log = np.log(self.frequency)
            V[-1] = log[1] - log[0] if self.width == 1 else log - log.mean()
        return V

    def null_value(self) -> float:
        """The objective there."""
        if not self.fit_intercept:
            return float(np.log(self.n_classes))
        counted = self.frequency[self.frequency > 0]
        return -float(counted @ np.log(counted))

    def scores(self, V: np.ndarray) -> np.ndarray:
        """``X W + b``, shape ``(n, width)``."""
        if self.is_sparse:
            return _product(self.X, V[:-1]) + V[-1]
        return np.concatenate(self._over_rows(lambda rows: _product(self.X[rows], V[:-1]) + V[-1]))

    def probabilities(self, V: np.ndarray) -> np.ndarray:
        """Probability of each scored class, shape ``(n, width)``."""
        return class_probabilities(self.scores(V))

    def risk_of(self, scores: np.ndarray) -> float:
        """Mean loss of given scores."""
        return float(self.share @ losses(scores, self.codes))

    def penalty(self, V: np.ndarray) -> float:
        W = V[:-1]
        return float(self.absolute @ np.abs(W).sum(axis=1) + self.square @ (W**2).sum(axis=1))

    def objective(self, V: np.ndarray) -> float:
        return self.risk_of(self.scores(V)) + self.penalty(V)

    def evaluate(self, V: np.ndarray) -> Evaluation:
        """Value and gradient in one pass."""

        with np.errstate(over="ignore", invalid="ignore"):
            risk, slope = self._fused(V) if self.row_by_row else self._blockwise(V)
            if not self.fit_intercept:
                slope[-1] = 0.0
            return self.penalised_by_squares(V, risk, slope)

    def penalised_by_squares(self, V: np.ndarray, risk: float, slope: np.ndarray) -> Evaluation:
        """Mean loss and its gradient at ``V``, with the squares that the penalty adds to them."""
        gradient = slope.copy()
        gradient[:-1] += 2 * self.square[:, None] * V[:-1]
        return Evaluation(risk, risk + float(self.square @ (V[:-1] ** 2).sum(axis=1)), slope, gradient)

    @property
    def row_by_row(self) -> bool:
        """Whether the rows lie one after the other, so that the compiled pass can read them."""
        return not self.is_sparse and bool(self.X.flags.c_contiguous) and self.X.dtype in (np.float64, np.float32)

    def _fused(self, V: np.ndarray) -> tuple[float, np.ndarray]:
        slope = np.empty_like(V, dtype=float, order="C")
        threads = cores() if self.X.size >= limits.WORTH_A_THREAD else 1
        V = np.ascontiguousarray(V, dtype=float)
        return logistic_pass(self.X, self.codes, self.share, V, threads, slope), slope

    def _blockwise(self, V: np.ndarray) -> tuple[float, np.ndarray]:
        def block(rows: slice) -> tuple[float, np.ndarray, np.ndarray]:
            X = self.X if self.is_sparse else self.X[rows]
            loss, pull = losses_and_pulls(_product(X, V[:-1]) + V[-1], self.codes[rows])
            pull *= self.share[rows, None]
            return float(self.share[rows] @ loss), _product(X.T, pull), pull.sum(axis=0)

        parts = self._over_rows(block)
        slope = np.vstack([sum(part[1] for part in parts), sum(part[2] for part in parts)])
        return sum(part[0] for part in parts), slope

    def gap(self, V: np.ndarray, at: Evaluation, scores: np.ndarray | None = None) -> float:
        """How far the objective at ``V`` can be above its minimum; from the gradient alone unless there is an L1 part.

        The dual point is the residual ``q - e_y``, mixed with a constant so that an unpenalised intercept finds it
        balanced, and shrunk until the L1 part accepts it; by concavity its entropy loses no more than is mixed in.
        ``inf`` without a penalty, where this dual point says nothing.  ``scores`` at ``V`` save a product if they are
        known.  Catalogue P-08.
        """
        if not np.all(self.absolute + self.square > 0) or not np.isfinite(at.value):
            return np.inf
        mixed = self._mixing(at.slope[-1])
        pull = np.abs(at.slope[:-1])
        if mixed > 0:
            pull += (mixed * np.sqrt(2.0 * self.mean_square))[:, None]
        shrink = self._shrink(pull)
        if shrink == 1.0:
            entropy = at.risk - float(np.sum(V * at.slope))
        else:
            entropy = self._entropy(self.scores(V) if scores is None else scores, shrink)
        excess = np.maximum(shrink * pull - self.absolute[:, None], 0.0)
        square = np.where(self.square > 0, self.square, 1.0)[:, None]
        primal = at.risk + self.penalty(V)
        return max(primal - (1 - mixed) * entropy + float(np.sum(excess**2 / (4 * square))), 0.0) + ROUNDING * primal

    def _mixing(self, imbalance: np.ndarray) -> float:
        """Share of a constant that makes the mean probabilities equal the class frequencies."""
        if not self.fit_intercept:
            return 0.0
        imbalance = np.array([-imbalance[0], imbalance[0]]) if self.width == 1 else imbalance
        return float(max(0.0, 1.0 - np.min(self.frequency / np.maximum(self.frequency + imbalance, 1e-300))))

    def _shrink(self, pull: np.ndarray) -> float:
        hard = self.square == 0
        if not np.any(hard):
            return 1.0
        allowed, pulled = np.broadcast_to(self.absolute[hard, None], pull[hard].shape), pull[hard]
        room = np.divide(allowed, pulled, out=np.ones(pulled.shape), where=pulled > allowed)
        return float(room.min())

    def _entropy(self, scores: np.ndarray, shrink: float) -> float:
        """Mean entropy of ``e_y + shrink (q - e_y)``."""
        if self.width == 1:
            wrong = shrink * class_probabilities(np.where(self.codes == 1, -scores[:, 0], scores[:, 0])[:, None])[:, 0]
            return -float(self.share @ (xlogy(wrong, wrong) + xlog1py(1 - wrong, -wrong)))
        q = class_probabilities(scores)
        q *= shrink
        q[np.arange(self.n), self.codes] += 1 - shrink
        return -float(self.share @ np.sum(q * np.log(np.maximum(q, 1e-300)), axis=1))

    @cached_property
    def by_columns(self) -> Any:
        """The design in an order that gives columns fast."""
        return self.X.tocsc() if self.is_sparse else self.X

    @cached_property
    def mean_square(self) -> np.ndarray:
        """Weighted mean square of each column, shape ``(d,)``."""
        if self.is_sparse:
            return np.asarray(self.X.multiply(self.X).T @ self.share)

        def squares(rows: slice) -> np.ndarray:
            with np.errstate(over="ignore"):
                return self.share[rows] @ np.square(self.X[rows])

        return np.asarray(sum(self._over_rows(squares)))

    def _over_rows(self, function: Callable[[slice], Any]) -> list[Any]:
        """``function`` of each block of rows; sparse designs and small ones are one block."""
        size = self.n if self.is_sparse else max(limits.BLOCK_ENTRIES // max(self.d, 1), 16)
        return list(map_in_order(function, [slice(s, min(s + size, self.n)) for s in range(0, self.n, size)]))


def _product(X: Any, W: np.ndarray) -> np.ndarray:
    """``X @ W``: a vector product for one column; for several dense ones column by column in memory.

    With few columns the product is faster that way round, and so are sums and maxima over the classes.
    """
    if W.shape[1] == 1:
        return np.asarray(X @ W[:, 0])[:, None]
    return np.asarray(X @ W) if sparse.issparse(X) else (W.T @ X.T).T


def losses(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """``-log`` of the probability of the true class, shape ``(n,)``.  Catalogue L-10, L-11.

    >>> losses(np.array([[np.log(4.0)]]), np.array([1])).round(9)
    array([0.22314355])
    """
    return losses_and_pulls(scores, codes)[0]


def losses_and_pulls(scores: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Loss of each row and its derivative in the scores, ``q - e_y``, without overflow.  Catalogue T-78, T-81."""
    if scores.shape[1] == 1:
        sign = np.where(codes == 1, 1.0, -1.0)
        margin = sign * scores[:, 0]
        e = np.exp(-np.abs(margin))
        wrong = np.where(margin > 0, e, 1.0) / (1.0 + e)
        return np.maximum(-margin, 0.0) + np.log1p(e), (-sign * wrong)[:, None]
    rows = np.arange(len(codes))
    shifted = scores - scores.max(axis=1, keepdims=True)
    own = shifted[rows, codes]
    q = np.exp(shifted, out=shifted)
    total = q.sum(axis=1)
    q /= total[:, None]
    q[rows, codes] -= 1.0
    return np.log(total) - own, q
