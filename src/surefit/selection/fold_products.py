"""Layer selection: Gram matrices for cross-validation, from one pass over the rows for all folds.

In: a design whose rows are dealt into folds.  Out: for each fold the products of all other rows: those of all rows less
those of the fold.  Ten folds then cost one Gram matrix, not ten.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.solvers.lasso.columns import Products, takes_full_gram
from surefit.solvers.linear.rank import dead_columns
from surefit.threads import map_in_order

FEWEST_ENTRIES = 100_000
"""Entries below which a Gram matrix for every fold costs next to nothing."""
LEAST_LEFT = 1e-3
"""Share of a column's square that must be left without the fold: of less, the difference of two sums tells little."""


@dataclass(frozen=True)
class FoldProducts:
    """``A'A`` and ``A't`` of each fold and of all rows, about the means of all rows."""

    design: Design
    y: np.ndarray
    centred: Centred
    folds: tuple[tuple[np.ndarray, np.ndarray], ...]
    total: tuple[np.ndarray, np.ndarray]

    @staticmethod
    def of(
        design: Design, y: np.ndarray, splits: Sequence[tuple[np.ndarray, np.ndarray]], fit_intercept: bool
    ) -> "FoldProducts | None":
        """None where paths would not use them, the data are few, or they would need more memory than the data."""
        if design.is_sparse or design.n * design.d < FEWEST_ENTRIES or len(splits) * design.d > design.n:
            return None
        if not (takes_full_gram(design) and _is_partition(splits, design.n)):
            return None
        design = design.begun_nearby() if fit_intercept else design
        A = centre(design, fit_intercept)
        if A.dwarfed:
            return None
        target = A.target(y)

        def of_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            block = A.rows(rows)
            return block.T @ block, block.T @ target[rows]

        folds = tuple(map_in_order(of_rows, [test for _, test in splits]))
        total = sum(gram for gram, _ in folds), sum(moment for _, moment in folds)
        return FoldProducts(design, y, A, folds, (np.asarray(total[0]), np.asarray(total[1])))

    def rest(self, test: np.ndarray) -> Design:
        """All rows but these: the same rows, of which these weigh nothing."""
        weight = self.design.weight.copy()
        weight[test] = 0.0
        return Design(self.design.X, weight, self.design.offset)

    def without(self, fold: int, A: Centred, size: float) -> Products | None:
        """Products of all rows but those of this fold, the rows of ``A``, with the target divided by ``size``.

        Columns of which the fold holds nearly all, as of rare categories, are multiplied anew; None if most are such.
        """
        gram, moment = self.total[0] - self.folds[fold][0], self.total[1] - self.folds[fold][1]
        step, weight = A.shift - self.centred.shift, A.design.total_weight
        gram -= weight * np.multiply.outer(step, step)
        lost = np.flatnonzero(~(np.diag(gram) >= LEAST_LEFT * np.diag(self.total[0])))
        if 2 * len(lost) > A.d:
            return None
        moment -= weight * float(A.target_mean(self.y) - self.centred.target_mean(self.y)) * step
        if len(lost):
            columns = A.root_weight[:, None] * (A.design.X[:, lost] - A.shift[lost])
            norms = np.zeros(A.d)
            norms[lost] = np.linalg.norm(columns, axis=0)
            columns[:, dead_columns(A, norms)[lost]] = 0.0
            gram[:, lost] = A.rmatvec(columns)
            gram[lost] = gram[:, lost].T
            moment[lost] = columns.T @ A.target(self.y)
        return Products(gram, moment / size)


def _is_partition(splits: Sequence[tuple[np.ndarray, np.ndarray]], n: int) -> bool:
    """Whether every row is held out once, and trained on whenever it is not held out."""
    tests = np.concatenate([test for _, test in splits])
    if not np.array_equal(np.sort(tests), np.arange(n)):
        return False
    return all(np.array_equal(np.sort(np.concatenate(split)), np.arange(n)) for split in splits)
