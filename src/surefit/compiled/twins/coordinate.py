"""Layer compiled: the compiled elastic-net loops in plain Python, their specification and their stand-in.

Same results as native/coordinate.cpp and native/columns.cpp up to rounding; the factor of the support is formed afresh
here where the compiled loop appends to it and deletes from it.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular

from surefit.compiled.limits import SMALLEST_PIVOT

NOTHING = 1e-18
"""Share of a square below which an entry of a direction is rounding."""
JOINS = 2
"""Rounds in which only what joins the support moves by itself."""
CRAWLING = 20
"""Rounds after which variables join the support one at a time."""


def gram_descent(  # noqa: PLR0913  the signature is that of the compiled loop
    gram: np.ndarray,
    moment: np.ndarray,
    target_square: float,
    threshold: np.ndarray,
    ridge: np.ndarray,
    positive: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    corr: np.ndarray,
    factor: np.ndarray,
    order: np.ndarray,
    n_factor: int,
) -> tuple[float, int, int]:
    """Minimise ``||t - A w||**2 + sum_j (2 threshold_j |w_j| + ridge_j w_j**2)`` from ``gram = A'A``, ``moment = A't``.

    Newton steps on the support alternate with coordinate sweeps until the duality gap is at most ``stop[0]`` or
    ``stop[1]`` rounds are done.  Where columns hardly differ, sweeps crawl; after some rounds the steepest variable
    joins by itself instead, and the search ends where there is none.  ``coef`` and ``corr = A'(t - A w)`` are updated
    in place.  Returns the gap, the rounds and the size of the factor, which is left empty.  Catalogue A-22.
    """
    tol, max_iter = stop
    with np.errstate(over="ignore", invalid="ignore"):  # steps among columns that hardly differ: the caller judges
        descent = _Descent((gram, moment, target_square, threshold, ridge, positive), coef, corr)
        gap, rounds = descent.gap(), 0
        while gap > tol and rounds < max_iter:
            rounds += 1
            before, settled = gap, descent.newton()
            gap = descent.gap()
            if gap <= tol:
                break
            stuck = rounds > 1 and gap > 0.5 * before
            if rounds <= CRAWLING:
                descent.sweep(0.0 if stuck else 1e-4 * tol / len(coef), stuck or rounds > JOINS)
            elif not descent.step_by_step(settled):
                break
            gap = descent.gap()
    return gap, rounds, 0


class _Descent:
    """One problem and one point, which every step changes in place."""

    def __init__(
        self,
        problem: tuple[np.ndarray, np.ndarray, float, np.ndarray, np.ndarray, bool],
        coef: np.ndarray,
        corr: np.ndarray,
    ):
        self.gram, self.moment, self.target_square, self.threshold, self.ridge, self.positive = problem
        self.coef, self.corr = coef, corr
        self.curvature = np.diag(self.gram) + self.ridge
        self.inside = np.zeros(0, dtype=np.int64)

    def gap(self) -> float:
        """``(1 - s)**2 ||r||**2 + 2 sum_j (threshold_j |w_j| - s w_j u_j)`` at the dual point ``s r``, ``u = A'r``."""
        coef, threshold, u = self.coef, self.threshold, self._slope()
        size = u if self.positive else np.abs(u)
        over = (threshold > 0) & (size > threshold)
        scale = float(np.min(threshold[over] / size[over], initial=1.0))
        square = max(self.target_square - coef @ (self.moment + u), 0.0)
        free = (threshold == 0) & (self.curvature > 0)
        free &= (u > 0) | (coef > 0) if self.positive else True
        could_gain = np.sum(u[free] ** 2 / self.curvature[free]) + 2 * np.sum(np.abs(coef * u)[free])
        bound = threshold > 0
        slack = threshold @ np.abs(coef) - scale * (coef[bound] @ u[bound])
        return float((1 - scale) ** 2 * square + could_gain + 2 * slack)

    def sweep(self, worth: float, all_of_them: bool) -> None:
        """One pass of exact coordinate minimisation, over all coordinates or those that the factor does not hold."""
        held = set() if all_of_them else set(self.inside.tolist())
        for j in range(len(self.coef)):
            if abs(self.corr[j]) > self.threshold[j] if self.coef[j] == 0 else j not in held:
                self.minimise(j, worth)

    def minimise(self, j: int, worth: float) -> None:
        """``w_j <- S(c_j + G_jj w_j, threshold_j) / (G_jj + ridge_j)``, unless that gains no more than ``worth``."""
        curvature, w = self.curvature[j], self.coef[j]
        if not curvature > 0:
            return
        g = self.corr[j] + self.gram[j, j] * w
        target = np.sign(g) * max(abs(g) - self.threshold[j], 0.0)
        target = max(target, 0.0) if self.positive else target
        delta = target / curvature - w
        if delta != 0 and (w == 0 or delta**2 * curvature > worth):
            self.coef[j] = 0.0 if target == 0 else w + delta
            self.corr -= delta * self.gram[j]

    def step_by_step(self, settled: bool) -> bool:
        """What takes the place of a sweep where sweeps crawl: whether there was anything to do."""
        for j in self.beside.tolist():
            self.minimise(j, 0.0)
        return not settled or self.join_steepest() or len(self.beside) > 0

    def join_steepest(self) -> bool:
        """The variable outside the support that alone would gain most joins it: whether there is one."""
        excess = (self.corr if self.positive else np.abs(self.corr)) - self.threshold
        outside = np.flatnonzero((self.coef == 0) & (excess > 0) & (self.curvature > 0))
        if len(outside):
            self.minimise(int(outside[np.argmax(excess[outside] ** 2 / self.curvature[outside])]), 0.0)
        return len(outside) > 0

    def newton(self) -> bool:
        """Minimise over the independent columns of the support with signs held; a sign that would change stops at zero.

        Whether none did.
        """
        self.follow_support()
        for j in self.beside.tolist():
            if self.coef[j] != 0 and j in self.beside and self.slide(j):
                self.follow_support()
        support, threshold, ridge = self.inside, self.threshold[self.inside], self.ridge[self.inside]
        w = self.coef[support]
        step = self._solve(self._slope()[support] - threshold * np.sign(w))
        crosses = ((threshold > 0) | self.positive) & (np.sign(w) * np.sign(w + step) < 0)
        if not np.any(crosses):  # the correlations of the support are then known without a product
            self.coef[support] = w + step
            self.corr -= step @ self.gram[support]
            self.corr[support] = threshold * np.sign(w) + ridge * (w + step)
            return True
        stopped = np.where(crosses, -w, step)
        room = float(np.min(-w[crosses] / step[crosses], initial=1.0))
        short = np.where(np.abs(w + room * step) <= 1e-14 * np.abs(w), -w, room * step)
        for trial in (stopped, short):
            moved = trial @ self.gram[support]
            penalty = ridge * trial * (2 * w + trial) + 2 * threshold * (np.abs(w + trial) - np.abs(w))
            if np.sum(trial * (moved[support] - 2 * self.corr[support]) + penalty) < 0:
                self.coef[support] = np.where(trial == -w, 0.0, w + trial)
                self.corr -= moved
                return False
        return True

    def slide(self, j: int) -> bool:
        """Move variable ``j``, and the independent ones so that the fit stays, to the minimum or the first zero.

        Whether one is zero then.  Only penalised variables move: others have nowhere to stop.
        """
        step = self._solve(self.gram[self.inside, j])
        step[step**2 * self.curvature[self.inside] <= NOTHING * self.curvature[j]] = 0.0
        along = np.zeros(len(self.coef))
        along[self.inside], along[j] = -step, 1.0
        if np.any(self.threshold[along != 0] == 0):
            return False
        moved = along @ self.gram
        fall = float(along @ (self._slope() - self.threshold * np.sign(self.coef)))
        bend = float(along @ (moved + self.ridge * along))
        way = np.sign(fall) if fall != 0 else -np.sign(self.coef[j])
        length = abs(fall) / bend if fall != 0 and bend > 0 else np.inf
        shrinking = np.flatnonzero(self.coef * along * way < 0)
        until = -self.coef[shrinking] / (along[shrinking] * way)
        ends = len(until) > 0 and float(np.min(until)) <= length
        length = float(np.min(until)) if ends else length
        if np.isfinite(length):
            self.coef += way * length * along
            self.corr -= way * length * moved
        if ends:
            self.coef[shrinking[np.argmin(until)]] = 0.0
        return ends

    def follow_support(self) -> None:
        """Part the support: columns that do not depend on earlier ones, with the Cholesky factor, and those beside.

        Those that were there before come first, so that what joins does not drive them out."""
        stayed = self.inside[self.coef[self.inside] != 0]
        order = np.concatenate([stayed, np.setdiff1d(np.flatnonzero(self.coef), stayed)])
        self.inside, self.L = self._independent(order)
        self.beside = np.setdiff1d(order, self.inside)

    def _independent(self, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the variables in their order, those that do not depend on earlier ones, and their Cholesky factor."""
        matrix, square = self.gram[np.ix_(order, order)] + np.diag(self.ridge[order]), self.curvature[order]
        try:
            L = np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            L = np.zeros_like(matrix)
        if np.all(np.diag(L) ** 2 > SMALLEST_PIVOT * square):
            return order, L
        L = np.zeros_like(matrix)
        kept: list[int] = []
        for j in range(len(order)):
            k = len(kept)
            row = solve_triangular(L[:k, :k], matrix[j, kept], lower=True) if k else np.zeros(0)
            pivot = square[j] - row @ row
            if pivot > SMALLEST_PIVOT * square[j]:
                L[k, :k], L[k, k] = row, np.sqrt(pivot)
                kept.append(j)
        return order[kept], L[: len(kept), : len(kept)]

    def _slope(self) -> np.ndarray:
        return self.corr - self.ridge * self.coef

    def _solve(self, right: np.ndarray) -> np.ndarray:
        half = solve_triangular(self.L, right, lower=True) if len(right) else right
        return solve_triangular(self.L, half, lower=True, trans=1) if len(right) else right


def column_products(
    starts: np.ndarray, rows: np.ndarray, values: np.ndarray, residuals: np.ndarray, threads: int, out: np.ndarray
) -> None:
    """``out = X' R`` for a matrix by compressed columns and residuals ``R`` of shape ``(n, m)``."""
    X = sparse.csc_array((values, rows, starts), shape=(len(residuals), len(starts) - 1))
    out[:] = X.T @ residuals


def column_descent(  # noqa: PLR0913  the signature is that of the compiled loop
    starts: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    weighted: np.ndarray,
    shift: np.ndarray,
    square: np.ndarray,
    threshold: np.ndarray,
    ridge: np.ndarray,
    total_weight: float,
    positive: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    residual: np.ndarray,
    total: float,
) -> tuple[float, int]:
    """The objective of `gram_descent` on sparse columns ``a_j = sqrt(W) (x_j - shift_j)``, without a Gram matrix.

    ``residual = y - mean - X w`` and ``coef`` are updated in place; ``total`` is the weighted sum of the residual.
    Sweeps over all columns alternate with sweeps over the support until a whole one lowers the objective by at most
    ``stop[0]``.  Returns ``total`` and the number of sweeps.  Catalogue A-22.
    """

    def sweep(chosen: np.ndarray) -> float:
        nonlocal total
        fell = 0.0
        for j in chosen:
            curvature, entries = square[j] + ridge[j], slice(starts[j], starts[j + 1])
            if not curvature > 0:
                continue
            g = square[j] * coef[j] - shift[j] * total + weighted[entries] @ residual[rows[entries]]
            target = np.sign(g) * max(abs(g) - threshold[j], 0.0)
            delta = (max(target, 0.0) if positive else target) / curvature - coef[j]
            coef[j] += delta
            residual[rows[entries]] -= delta * values[entries]
            total -= delta * total_weight * shift[j]
            fell += delta**2 * curvature
        return fell

    sweeps = 0
    while sweeps < stop[1]:
        sweeps += 1
        if sweep(np.arange(len(coef))) <= stop[0]:
            break
        while sweeps < stop[1]:
            sweeps += 1
            if sweep(np.flatnonzero(coef)) <= 0.1 * stop[0]:
                break
    return float(total), sweeps
