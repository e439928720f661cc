"""Layer solvers: Newton's method for logistic regression whose sums are taken over blocks.

In: coefficients, and blocks.  Out: mean loss, gradient and Hessian of all rows, from which the next step follows; and
the duality gap.  Two classes have one column of scores, ``k`` classes ``k`` (catalogue A-29, A-30, T-81).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.layout import Features, Label, placed, together
from surefit.data.scores import class_probabilities
from surefit.solvers.blocks.factor import ONE
from surefit.solvers.blocks.products import products, times
from surefit.solvers.logistic.problem import losses_and_pulls
from surefit.solvers.normal_equations import solve_psd


@dataclass(frozen=True)
class Sums:
    """Over rows: losses, gradient (p, width), Hessian (width, p, width, p), and what the duality gap needs besides.

    For classes that is the squares of the columns (1, p) and the weight of each class (k,); for other losses the pulls
    of two dual points (2, p) and three sums of conjugates, see `surefit.solvers.blocks.risk`.
    """

    labels: tuple[Label, ...]
    loss: float
    gradient: np.ndarray
    hessian: np.ndarray
    columns: np.ndarray
    constants: np.ndarray
    weight: float
    n: int

    def placed(self, labels: tuple[Label, ...]) -> Sums:
        """The same sums with an entry for each of ``labels``, zero where there was none."""
        H = placed(placed(self.hessian, self.labels, labels, axis=1), self.labels, labels, axis=3)
        gradient, columns = placed(self.gradient, self.labels, labels), placed(self.columns, self.labels, labels, 1)
        return replace(self, labels=labels, gradient=gradient, hessian=H, columns=columns)


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
    return Codes(codes.astype(np.int32), tuple(map(text_of, values)))


def text_of(label: float) -> str:
    """A number as the shortest text that stands for no other.

    >>> text_of(1.0), text_of(1000001.0), text_of(0.1)
    ('1', '1000001', '0.1')
    """
    return np.format_float_positional(label, trim="-")


def classes_of(block: Block) -> tuple[str, ...]:
    """The classes that the rows have, sorted."""
    found = labels_of(block)
    there = np.bincount(found.codes, minlength=len(found.levels)) > 0
    return sorted_classes(level for level, one in zip(found.levels, there, strict=True) if one)


def sorted_classes(names: Iterable[object]) -> tuple[str, ...]:
    """Classes as texts, sorted as numbers if all are, so that a model shows them in the order of a fit in memory.

    >>> sorted_classes(["10", "9"]), sorted_classes([1.0, 0.5]), sorted_classes(["b", "10"])
    (('9', '10'), ('0.5', '1'), ('10', 'b'))
    """
    found = {one if isinstance(one, str) else text_of(float(one)) if _is_number(one) else str(one) for one in names}  # type: ignore[arg-type]
    return tuple(sorted(found, key=float if all(map(_is_number, found)) else str))


def shown_classes(names: tuple[str, ...], kind: type = float) -> np.ndarray:
    """The same as ``classes_`` has them: words, or numbers where all are, of that kind where it holds them.

    >>> shown_classes(("0", "1"), int), shown_classes(("0", "1"), bool), shown_classes(("0", "0.5"), int)
    (array([0, 1]), array([False,  True]), array([0. , 0.5]))
    """
    if kind is str or not all(map(_is_number, names)):
        return np.array(names)
    found = np.array([float(one) for one in names])
    return found.astype(kind) if np.array_equal(found.astype(kind), found) else found


def _is_number(one: object) -> bool:
    try:
        float(one)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


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

    layout: Features
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
        for rows, table in layout.tables(block):
            w, scores = weight[rows], times(table, V)
            losses, pulls = losses_and_pulls(scores, codes[rows])
            q = class_probabilities(scores)
            loss += float(w @ losses)
            sides = np.column_stack([w[:, None] * pulls, w])
            for a in range(width):
                found = products(table, w * q[:, a] * (1 - q[:, a]), sides)
                hessian[a, :, a] += found.gram
                for b in range(a):
                    cross = products(table, -w * q[:, a] * q[:, b]).gram
                    hessian[a, :, b] += cross
                    hessian[b, :, a] += cross
            gradient += found.cross[:, :-1]
            squares += found.squares
        counts = np.bincount(codes, weight, minlength=len(self.classes))
        return Sums(labels, loss, gradient, hessian, squares[None], counts, float(weight.sum()), len(block))


def merge(left: Sums, right: Sums) -> Sums:
    """The sums of both."""
    labels = together(left.labels, right.labels)
    a, b = left.placed(labels), right.placed(labels)
    return Sums(labels, a.loss + b.loss, a.gradient + b.gradient, a.hessian + b.hessian, a.columns + b.columns,
                a.constants + b.constants, a.weight + b.weight, a.n + b.n)  # fmt: skip


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
    mixed, frequency = 0.0, sums.constants / sums.weight
    if fit_intercept:
        off = slope[0]
        imbalance = np.array([-off[0], off[0]]) if V.shape[1] == 1 else off
        mixed = float(max(0.0, 1.0 - np.min(frequency / np.maximum(frequency + imbalance, 1e-300))))
    pull = np.abs(slope[1:]) + (mixed * np.sqrt(2.0 * sums.columns[0, 1:] / sums.weight))[:, None]
    entropy = sums.loss / sums.weight - float(np.sum(V * slope))
    bound = objective - (1 - mixed) * entropy + float(np.sum(pull**2 / (4 * square[1:, None])))
    return max(bound, 0.0) + 4 * np.finfo(float).eps * objective
