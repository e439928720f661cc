"""Layer solvers: Newton's method for logistic regression whose sums are taken over blocks.

In: coefficients, and blocks.  Out: mean loss, gradient and Hessian of all rows, from which the next step follows; and
the duality gap.  Two classes have one column of scores, ``k`` classes ``k`` (catalogue A-29, A-30, T-81).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.layout import Label, Layout, placed, together
from surefit.data.scores import class_probabilities
from surefit.solvers.blocks.factor import ONE
from surefit.solvers.logistic.problem import losses_and_pulls
from surefit.solvers.normal_equations import solve_psd


@dataclass(frozen=True)
class Sums:
    """Over rows: losses, gradient (p, width), Hessian (width, p, width, p), squares of columns (p,), classes (k,)."""

    labels: tuple[Label, ...]
    loss: float
    gradient: np.ndarray
    hessian: np.ndarray
    squares: np.ndarray
    counts: np.ndarray
    weight: float
    n: int


def codes_of(block: Block, classes: tuple[str, ...]) -> np.ndarray:
    """The number of each row's class; numbers are called by their shortest text."""
    found = labels_of(block)
    place = {label: k for k, label in enumerate(classes)}
    places = np.array([place.get(level, -1) for level in found.levels], dtype=np.int64)
    codes = places[found.codes]
    if np.any(codes < 0):
        raise NewClass({found.levels[c] for c in found.codes[codes < 0]})
    return codes


def labels_of(block: Block) -> Codes:
    """The target as levels."""
    if isinstance(block.target, Codes):
        return block.target
    assert block.target is not None
    values, codes = np.unique(block.target, return_inverse=True)
    return Codes(codes.astype(np.int32), tuple(f"{value:g}" for value in values))


def classes_of(block: Block) -> tuple[str, ...]:
    """The classes that the rows have, sorted."""
    found = labels_of(block)
    there = np.bincount(found.codes, minlength=len(found.levels)) > 0
    return tuple(sorted(level for level, one in zip(found.levels, there, strict=True) if one))


class NewClass(SourceError):
    """A class that the first block lacks."""

    def __init__(self, found: set[str]):
        super().__init__(f"the classes {sorted(found)} are not in the first block; shuffle the rows, or name the "
                         "classes: classes=[...]")  # fmt: skip
        self.found = found

    def __reduce__(self) -> tuple[type, tuple[set[str]]]:
        return NewClass, (self.found,)


@dataclass(frozen=True)
class SumsAt:
    """The `Sums` of a block at ``V`` (p, width), whose rows are for ``labels``, the constant first."""

    layout: Layout
    classes: tuple[str, ...]
    labels: tuple[Label, ...]
    V: np.ndarray

    def __call__(self, block: Block) -> Sums:
        layout = self.layout.covering(block)
        labels = (ONE, *layout.labels)
        V, codes = placed(self.V, self.labels, labels), codes_of(block, self.classes)
        p, width = V.shape
        loss, gradient, squares = 0.0, np.zeros((p, width)), np.zeros(p)
        hessian = np.zeros((width, p, width, p))
        weight = np.ones(len(block)) if block.weight is None else block.weight
        for rows, A in layout.chunks(block, 1):
            A[:, 0] = 1.0
            w = weight[rows]
            scores = A @ V
            losses, pulls = losses_and_pulls(scores, codes[rows])
            q = class_probabilities(scores)
            loss += float(w @ losses)
            gradient += A.T @ (w[:, None] * pulls)
            squares += w @ np.square(A)
            for a in range(width):
                half = A * np.sqrt(w * q[:, a] * (1 - q[:, a]))[:, None]
                hessian[a, :, a] += half.T @ half
                for b in range(a):
                    cross = -((A * (w * q[:, a] * q[:, b])[:, None]).T @ A)
                    hessian[a, :, b] += cross
                    hessian[b, :, a] += cross
        counts = np.bincount(codes, weight, minlength=len(self.classes))
        return Sums(labels, loss, gradient, hessian, squares, counts, float(weight.sum()), len(block))


def merge(left: Sums, right: Sums) -> Sums:
    """The sums of both."""
    labels = together(left.labels, right.labels)

    def wide(one: Sums) -> tuple[np.ndarray, ...]:
        H = placed(placed(one.hessian, one.labels, labels, axis=1), one.labels, labels, axis=3)
        return placed(one.gradient, one.labels, labels), H, placed(one.squares, one.labels, labels)

    (ga, ha, sa), (gb, hb, sb) = wide(left), wide(right)
    return Sums(labels, left.loss + right.loss, ga + gb, ha + hb, sa + sb, left.counts + right.counts,
                left.weight + right.weight, left.n + right.n)  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """The objective and its gap at a point, and the Newton step from there with what it promises."""

    objective: float
    gap: float
    step: np.ndarray
    decrement: float


def judged(sums: Sums, V: np.ndarray, square: np.ndarray, fit_intercept: bool) -> Judged:
    """At ``V`` (p, width); ``square`` (p,) multiplies squares of coefficients, zero for the constant."""
    W, width = sums.weight, V.shape[1]
    risk, slope = sums.loss / W, sums.gradient / W
    H = sums.hessian.reshape(width * len(V), -1) / W
    H = H + np.diag(np.tile(2 * square, width))
    gradient = slope + 2 * square[:, None] * V
    objective = risk + float(square @ (V**2).sum(axis=1))
    if not fit_intercept:
        gradient[0] = 0.0
        for a in range(width):
            H[a * len(V)], H[:, a * len(V)] = 0.0, 0.0
            H[a * len(V), a * len(V)] = 1.0
    if width > 1:  # scores of all classes may move together: hold these directions still
        free = np.diag((square == 0).astype(float))
        H = H + np.kron(np.ones((width, width)), free)
    step = -solve_psd(H, gradient.T.ravel()).reshape(width, -1).T
    return Judged(
        objective, _gap(sums, V, square, slope, objective, fit_intercept), step, -float(np.sum(gradient * step))
    )


def _gap(
    sums: Sums, V: np.ndarray, square: np.ndarray, slope: np.ndarray, objective: float, fit_intercept: bool
) -> float:
    """As for rows in memory: the dual point is the residual, mixed with a constant until the intercept is balanced."""
    if not np.all(square[1:] > 0):
        return np.inf
    mixed, frequency = 0.0, sums.counts / sums.weight
    if fit_intercept:
        off = slope[0]
        imbalance = np.array([-off[0], off[0]]) if V.shape[1] == 1 else off
        mixed = float(max(0.0, 1.0 - np.min(frequency / np.maximum(frequency + imbalance, 1e-300))))
    pull = np.abs(slope[1:]) + (mixed * np.sqrt(2.0 * sums.squares[1:] / sums.weight))[:, None]
    entropy = sums.loss / sums.weight - float(np.sum(V * slope))
    bound = objective - (1 - mixed) * entropy + float(np.sum(pull**2 / (4 * square[1:, None])))
    return max(bound, 0.0) + 4 * np.finfo(float).eps * objective
