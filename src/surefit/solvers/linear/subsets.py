"""Layer solvers: which columns to keep: every subset, or a nested sequence of them.

In: a `Design` and one target.  Out: `SubsetFit` records: columns, residual sum of squares and leave-one-out sum.
Every subset of up to 20 columns is visited by elimination shared among subsets: taking column ``j`` in is one step of
symmetric elimination on a matrix that all subsets with the same earlier columns share, so all ``2**d`` sums of squares
cost a few operations each.  Leave-one-out does not follow from them; it is searched over the same tree by branch and
bound, since no subset of a set can have a smaller sum of squares than the set, nor leave-one-out be below it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.data.scale import EPS, column_sizes, power_of_two
from surefit.progress import Task
from surefit.solvers.linear import limits
from surefit.solvers.linear.rank import dead_columns

DEPENDENT = 1e-10
"""Share of a column's squared length that must be left beside the columns in the set for it to add anything."""
TIE = 1e-12
"""Sums of squares closer than this share of them are equal; the subset with the earlier columns is preferred."""
ELIMINATION_LOSS = 1e-12
"""Share of the total sum of squares that elimination may lose: subsets this close are compared by QR."""
LEVERAGE_ONE = 1e-10
"""Closer to one than this, a leverage leaves nothing to predict the left-out row from."""


@dataclass(frozen=True)
class SubsetFit:
    """Least squares on some columns: ``sum w r**2`` and the same of leave-one-out residuals.  Catalogue A-46, T-76."""

    columns: tuple[int, ...]
    rss: float
    loo: float


class SubsetProblem:
    """Centred, weighted columns of unit length, the target beside them, and what their subsets are judged by."""

    def __init__(self, design: Design, y: np.ndarray, fit_intercept: bool):
        A = centre(design, fit_intercept, power_of_two(column_sizes(design)))
        self.columns = A.dense()
        lengths = np.linalg.norm(self.columns, axis=0)
        self.dead = dead_columns(A, lengths)
        self.columns[:, self.dead] = 0.0
        self.columns /= np.where(self.dead, 1.0, lengths)
        self.target = A.target(y)
        if np.linalg.norm(self.target) <= 8 * EPS * np.max(np.abs(y), initial=0.0) * np.sqrt(design.total_weight):
            self.target = np.zeros_like(self.target)
        self.total = float(self.target @ self.target)
        self.leverage = A.mean_leverage
        self.counted = design.weight > 0

    @property
    def d(self) -> int:
        return self.columns.shape[1]

    def slack(self, square: float) -> float:
        """By how much two sums of squares of about this size may differ and be equal.

        A residual carries a rounding error of the size of the target, its square twice the product of both.
        """
        return TIE * square + 64 * EPS * float(np.sqrt(square * self.total)) + self.nothing

    @property
    def nothing(self) -> float:
        """The sum of squares of a residual of rounding only."""
        return (8 * EPS) ** 2 * len(self.target) * self.total

    def judged(self, columns: tuple[int, ...]) -> SubsetFit:
        """Least squares on these columns, by an orthogonal factorisation."""
        if not columns:
            return self.record((), self.target, self.leverage)
        Q, R, _ = linalg.qr(self.columns[:, list(columns)], mode="economic", pivoting=True)
        Q = Q[:, np.abs(np.diag(R)) > np.sqrt(DEPENDENT) * max(abs(R[0, 0]), EPS)]
        residual = self.target - Q @ (Q.T @ self.target)
        return self.record(columns, residual - Q @ (Q.T @ residual), self.leverage + np.sum(Q**2, axis=1))

    def record(self, columns: tuple[int, ...], residual: np.ndarray, leverage: np.ndarray) -> SubsetFit:
        """The fit with this residual and these leverages; a residual of rounding only is none."""
        rss = float(residual @ residual)
        if rss <= self.nothing:
            return SubsetFit(columns, 0.0, 0.0 if np.isfinite(self.loo_sums(residual, leverage)) else np.inf)
        return SubsetFit(columns, rss, float(self.loo_sums(residual, leverage)))

    def loo_sums(self, residual: np.ndarray, leverage: np.ndarray) -> np.ndarray:
        """``sum (r_i / (1 - h_i))**2`` along the last axis; infinite where a leverage is one."""
        room = 1.0 - leverage
        undefined = (room < LEVERAGE_ONE) & self.counted
        sums = np.sum((residual / np.where(room < LEVERAGE_ONE, 1.0, room)) ** 2, axis=-1)
        return np.where(np.any(undefined, axis=-1), np.inf, sums)

    @property
    def subset_sums(self) -> np.ndarray:
        """Residual sums of squares of all ``2**d`` subsets; bit ``j`` of the position says that column ``j`` is in."""
        return self._subsets[0]

    @property
    def dependent(self) -> np.ndarray:
        """Which of all ``2**d`` subsets hold a column that adds nothing to those before it."""
        return self._subsets[1]

    @cached_property
    def _subsets(self) -> tuple[np.ndarray, np.ndarray]:
        return self._eliminated(self.target)

    def sums_beside(self, base: int) -> tuple[np.ndarray, float]:
        """The sums of the subsets that hold those of ``base``, and the sum that ``base`` itself leaves.

        Elimination starts from what ``base`` leaves of the target, and loses digits of that instead of the total.
        """
        if base not in self._beside:
            Q = linalg.qr(self.columns[:, list(_columns_of(base))], mode="economic")[0]
            left = self.target - Q @ (Q.T @ self.target)
            left -= Q @ (Q.T @ left)
            self._beside[base] = self._eliminated(left)[0], float(left @ left)
        return self._beside[base]

    @cached_property
    def _beside(self) -> dict[int, tuple[np.ndarray, float]]:
        return {0: (self.subset_sums, self.total)}

    def _eliminated(self, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        both = np.column_stack([self.columns, target])
        layer, dependent = (both.T @ both)[None], np.zeros(1, dtype=bool)
        for _ in range(self.d):
            pivot, row, rest = layer[:, 0, 0], layer[:, 0, 1:], layer[:, 1:, 1:]
            adds = pivot > DEPENDENT
            scaled = row * np.where(adds, 1.0 / np.where(adds, pivot, 1.0), 0.0)[:, None]
            layer = np.concatenate([rest, rest - scaled[:, :, None] * row[:, None, :]])
            dependent = np.concatenate([dependent, dependent | ~adds])
        return np.maximum(layer[:, 0, 0], 0.0), dependent


def best_of_each_size(problem: SubsetProblem, largest: int) -> list[SubsetFit]:
    """The subset of least residual sum of squares for each size from 0 to ``largest``, exactly.  Catalogue A-46.

    Elimination tells subsets apart up to its loss of digits, an orthogonal factorisation those that are closer.  A
    subset with a column that adds nothing is no better than the one without it, so none is looked at where there are
    others; beyond the number of independent columns, the first that are left are added to a subset that has it all.
    """
    sizes = np.bitwise_count(np.arange(1 << problem.d))
    found: list[SubsetFit] = []
    for size in range(largest + 1):
        masks = np.flatnonzero((sizes == size) & ~problem.dependent)
        if not len(masks):
            found.append(problem.judged(_with_one_more(found[-1].columns)))
            continue
        near = _nearest(problem, masks).tolist()
        first = problem.judged(min(map(_columns_of, near)))
        found.append(first if len(near) == 1 or first.rss == 0.0 else _best_by_qr(problem, near))
    return found


def _with_one_more(columns: tuple[int, ...]) -> tuple[int, ...]:
    """These columns and the first that is not among them."""
    return tuple(sorted({*columns, next(j for j in range(len(columns) + 1) if j not in columns)}))


def _nearest(problem: SubsetProblem, masks: np.ndarray) -> np.ndarray:
    """Those of these subsets that elimination cannot tell from the best, beside the columns that all of them share."""
    base = 0
    while True:
        sums, total = problem.sums_beside(base)
        masks = masks[sums[masks] <= sums[masks].min() + ELIMINATION_LOSS * total]
        shared = int(np.bitwise_and.reduce(masks))
        if len(masks) == 1 or shared == base or total <= problem.nothing:
            return masks
        base = shared


def _best_by_qr(problem: SubsetProblem, masks: list[int]) -> SubsetFit:
    """Of these subsets, all of one size, the one of least residual sum of squares; of equals the first."""
    sets = sorted(map(_columns_of, masks))
    both = np.column_stack([problem.columns, problem.target])
    rotated: np.ndarray = np.linalg.qr(both, mode="r")  # type: ignore[assignment]  # the stubs forget mode="r"
    squares = np.empty(len(sets))
    for start in range(0, len(sets), limits.QR_TOGETHER):
        chosen = np.array(sets[start : start + limits.QR_TOGETHER], dtype=np.intp)
        places = np.column_stack([chosen, np.full(len(chosen), problem.d)])
        squares[start : start + limits.QR_TOGETHER] = _left_of_the_last(np.moveaxis(rotated[:, places], 0, 1))
    for k in np.flatnonzero(np.isnan(squares)):
        squares[k] = problem.judged(sets[k]).rss
    best = float(squares.min())
    return problem.judged(sets[int(np.flatnonzero(squares <= best + problem.slack(best))[0])])


def _left_of_the_last(stack: np.ndarray) -> np.ndarray:
    """What the other columns leave of the last one, squared, for each matrix ``(rows, k)`` of a stack.

    The last pivot of a factorisation; nan where the other columns depend on each other.
    """
    k = stack.shape[2]
    if stack.shape[1] < k:
        return np.full(len(stack), np.nan)
    triangles: np.ndarray = np.linalg.qr(stack, mode="r")  # type: ignore[assignment]  # the stubs forget mode="r"
    pivots = np.abs(np.diagonal(triangles, axis1=1, axis2=2))
    dependent = np.any(pivots[:, :-1] <= np.sqrt(DEPENDENT), axis=1)
    return np.where(dependent, np.nan, pivots[:, -1] ** 2)


def best_leave_one_out(problem: SubsetProblem, largest: int) -> SubsetFit:
    """Of all subsets of up to ``largest`` columns the one of least leave-one-out error.  Catalogue A-46, S-04, S-11.

    Branch and bound: a branch whose columns all together leave more than the best leave-one-out sum so far is cut.
    Among ties the smaller subset wins.
    """
    search = _LeaveOneOutSearch(problem, largest)
    if search.settled:
        return search.best
    search.descend(0, problem.columns[:, search.order], problem.target, problem.leverage, 0)
    return search.best


class _LeaveOneOutSearch:
    def __init__(self, problem: SubsetProblem, largest: int):
        self.problem, self.largest = problem, largest
        self.sums = problem.subset_sums
        everything = len(self.sums) - 1
        # the columns that are missed most come first: leaving one of them out cuts the tree near its root
        missed = self.sums[[everything ^ (1 << j) for j in range(problem.d)]]
        self.order = np.argsort(-missed, kind="stable")
        self.bits = 1 << self.order
        self.batch_columns = max(4, int(np.log2(limits.BATCH_NUMBERS / len(problem.target))))
        self.visited, self.tell = 0, Task("subset search", len(self.sums))
        found = best_of_each_size(problem, largest)
        exact = next((fit for fit in found if fit.rss <= problem.nothing), None)
        # a fit without error: no smaller subset has it, and among equals the smallest wins
        self.settled = exact is not None and exact.loo <= problem.nothing
        self.best = exact if exact is not None and self.settled else min(found, key=lambda fit: fit.loo)

    def descend(self, depth: int, columns: np.ndarray, residual: np.ndarray, leverage: np.ndarray, mask: int) -> None:
        """Visit all subsets that agree with ``mask`` on the first ``depth`` columns of the order."""
        left = self.problem.d - depth
        reachable = self.sums[mask + int(self.bits[depth:].sum())]
        if int(mask).bit_count() > self.largest or reachable > self.best.loo + ELIMINATION_LOSS * self.problem.total:
            return
        if left <= self.batch_columns:
            self._visit(depth, columns, residual, leverage, mask)
            return
        first, rest = columns[:, 0], columns[:, 1:]
        length = float(first @ first)
        if length > DEPENDENT:
            unit = first / np.sqrt(length)
            self.descend(
                depth + 1,
                rest - np.outer(unit, unit @ rest),
                residual - unit * (unit @ residual),
                leverage + unit**2,
                mask | int(self.bits[depth]),
            )
        self.descend(depth + 1, rest, residual, leverage, mask)

    def _visit(self, depth: int, columns: np.ndarray, residual: np.ndarray, leverage: np.ndarray, mask: int) -> None:
        """All subsets of the columns left, as one array."""
        self.visited += 1 << (self.problem.d - depth)
        self.tell(self.visited, self.best.loo)
        layer = np.vstack([columns.T, residual])[None]
        leverages, masks = leverage[None], np.array([mask])
        for bit in self.bits[depth:]:
            first, rest = layer[:, 0], layer[:, 1:]
            length = np.einsum("bi,bi->b", first, first)
            unit = first * np.where(length > DEPENDENT, 1.0 / np.sqrt(np.maximum(length, DEPENDENT)), 0.0)[:, None]
            shadow = np.einsum("bki,bi->bk", rest, unit)
            layer = np.concatenate([rest, rest - shadow[:, :, None] * unit[:, None, :]])
            leverages = np.concatenate([leverages, leverages + unit**2])
            masks = np.concatenate([masks, masks | int(bit)])
        loo = self.problem.loo_sums(layer[:, 0], leverages)
        sizes = np.bitwise_count(masks)
        loo[sizes > self.largest] = np.inf
        near = np.flatnonzero(loo <= self.best.loo + self._slack())
        for k in near[np.argsort(sizes[near], kind="stable")]:  # of equals only the smaller can win
            if loo[k] < self.best.loo - self._slack() or sizes[k] <= len(self.best.columns):
                self._challenge(self.problem.judged(_columns_of(int(masks[k]))))

    def _slack(self) -> float:
        return self.problem.slack(self.best.loo) if np.isfinite(self.best.loo) else 0.0

    def _challenge(self, fit: SubsetFit) -> None:
        smaller = (len(fit.columns), fit.columns) < (len(self.best.columns), self.best.columns)
        if fit.loo < self.best.loo - self._slack() or (smaller and fit.loo <= self.best.loo + self._slack()):
            self.best = fit


def forward_sequence(problem: SubsetProblem, largest: int) -> list[SubsetFit]:
    """Start with no column; take in the one that lowers the residual sum of squares most, again and again.

    One subset for each size from 0 to ``largest``, or until no column adds anything.  Catalogue A-46.
    """
    columns, residual, leverage = problem.columns.copy(), problem.target, problem.leverage
    chosen: list[int] = []
    basis = np.empty((len(residual), 0))
    found = [problem.record((), residual, leverage)]
    while len(chosen) < largest:
        lengths = np.einsum("ij,ij->j", columns, columns)
        useful = lengths > DEPENDENT
        gains = np.where(useful, (residual @ columns) ** 2 / np.where(useful, lengths, 1.0), -1.0)
        j = (
            int(np.flatnonzero(gains >= gains.max(initial=0.0) - problem.slack(gains.max(initial=0.0)))[0])
            if useful.any()
            else -1
        )
        if j < 0 or not useful[j]:
            break
        unit = columns[:, j] - basis @ (basis.T @ columns[:, j])  # once more: what rounding left of earlier columns
        unit /= np.linalg.norm(unit)
        columns -= np.outer(unit, unit @ columns)
        columns[:, j] = 0.0
        residual, leverage = residual - unit * (unit @ residual), leverage + unit**2
        basis = np.column_stack([basis, unit])
        chosen.append(j)
        found.append(problem.record(tuple(sorted(chosen)), residual, leverage))
    return found


def backward_sequence(problem: SubsetProblem, largest: int) -> list[SubsetFit]:
    """Start with all independent columns; let go the one that is missed least, again and again.  Catalogue A-46.

    One subset for each size from 0 to ``largest``, or to the number of independent columns.
    """
    kept = _independent_columns(problem.columns)
    supports = [columns for columns in _backward_supports(problem, kept) if len(columns) <= largest]
    return [problem.judged(tuple(columns)) for columns in supports[::-1]]


def _independent_columns(columns: np.ndarray) -> list[int]:
    """Columns that are not combinations of those before them, from the left."""
    basis, kept = np.empty((len(columns), 0)), []
    for j, column in enumerate(columns.T):
        left = column - basis @ (basis.T @ column)
        left -= basis @ (basis.T @ left)
        length = np.linalg.norm(left)
        if length > np.sqrt(DEPENDENT):
            basis = np.column_stack([basis, left / length])
            kept.append(j)
    return kept


def _backward_supports(problem: SubsetProblem, kept: list[int]) -> Iterator[list[int]]:
    yield list(kept)
    if not kept:
        return
    Q, R = linalg.qr(problem.columns[:, kept], mode="economic")
    inverse = linalg.solve_triangular(R, np.eye(len(kept)))
    inverse = inverse @ inverse.T
    coef = linalg.solve_triangular(R, Q.T @ problem.target)
    while kept:
        losses = coef**2 / np.diag(inverse)  # what the residual sum of squares grows by
        k = int(np.flatnonzero(losses <= losses.min() + problem.slack(losses.min()))[-1])
        column = inverse[:, k] / inverse[k, k]
        coef = np.delete(coef - coef[k] * column, k)
        inverse = np.delete(np.delete(inverse - np.outer(column, inverse[k]), k, axis=0), k, axis=1)
        kept = [j for i, j in enumerate(kept) if i != k]
        yield list(kept)


def _columns_of(mask: int) -> tuple[int, ...]:
    return tuple(j for j in range(mask.bit_length()) if mask >> j & 1)
