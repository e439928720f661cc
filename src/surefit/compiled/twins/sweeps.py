"""Layer compiled: coordinate sweeps for the logistic loss on sparse columns in plain NumPy, as native/sweeps.cpp."""

from __future__ import annotations

import numpy as np
from scipy import sparse

NEAR = 0.97
"""Columns at zero whose slope reaches this share of the threshold stay in the sweeps."""

ALMOST = 5.0
"""Times the tolerance: from here on sweeps visit all working columns."""

LEAST_BEND, LEAST_RIGHT = 2.5e-11, 1e-6
"""Keep far rows in the model, and its step exact."""

NOISE, CONSTANT, PARALLEL = 1e-14, 1e-13, 1e-10
FARTHEST = 5.0
"""Steps to go on: more would only enlarge their rounding."""

HALVINGS, MOST_SWEEPS = 40, 4


def logistic_sweeps(  # noqa: PLR0913  the signature is that of the compiled loop
    starts: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    working: np.ndarray,
    codes: np.ndarray,
    share: np.ndarray,
    threshold: np.ndarray,
    ridge: np.ndarray,
    fit_intercept: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    scores: np.ndarray,
    intercept: float,
) -> tuple[float, float, float, int]:
    """Minimise ``sum_i share_i loss(class_i, score_i) + sum_j (threshold_j |w_j| + ridge_j w_j**2 / 2)``.

    Only the coefficients of the ``working`` columns move, all others are zero.  Each second-order model is swept a few
    times, then minimised over the plane of this step and the one before; the step is halved until the objective does
    not rise.  Ends when a sweep over all working columns estimates the duality gap at no more than ``stop[0]``, or
    after ``stop[1]`` sweeps; ``coef`` and ``scores`` are updated in place.  Returns the objective, the intercept, the
    estimate and the number of sweeps.  Catalogue A-31.

    >>> X = sparse.csc_array(np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]))
    >>> coef, scores, penalty, codes = np.zeros(2), np.zeros(3), np.full(2, 0.1), np.array([0, 1, 1])
    >>> value, _, _, _ = logistic_sweeps(
    ...     X.indptr, X.indices, X.data, np.arange(2), codes, np.full(3, 1 / 3), penalty, np.zeros(2), False,
    ...     (1e-12, 100), coef, scores, 0.0,
    ... )
    >>> round(value, 6), coef.round(6)
    (0.464101, array([-0.022253,  1.443685]))
    """
    X = sparse.csc_array((values, rows, starts), shape=(len(scores), len(coef)))[:, working]
    run = _Sweeps(X.tocsc(), codes, share, (threshold[working], ridge[working]), fit_intercept)
    run.coef, run.scores, run.intercept = coef[working], scores.copy(), float(intercept)
    value, gap, sweeps = run.solve(*stop)
    coef[working], scores[:] = run.coef, run.scores
    return value, run.intercept, gap, sweeps


class _Sweeps:
    """A point and the second-order model at an earlier one."""

    coef: np.ndarray
    scores: np.ndarray
    intercept: float

    def __init__(
        self,
        X: sparse.csc_array,
        codes: np.ndarray,
        share: np.ndarray,
        penalty: tuple[np.ndarray, np.ndarray],
        fit_intercept: bool,
    ) -> None:
        self.X, self.share, self.fit_intercept = X, share, fit_intercept
        self.sign = np.where(codes == 1, 1.0, -1.0)
        self.threshold, self.ridge = penalty
        d = X.shape[1]
        self.square, self.centre, self.active = np.zeros(d), np.zeros(d), np.ones(d, dtype=bool)

    def solve(self, tol: float, max_sweeps: int) -> tuple[float, float, int]:
        each = min(max(len(self.scores) // (self.X.nnz + 1), 1), MOST_SWEEPS)
        value, gap, sweeps, whole = self.renew(), 0.0, 0, True
        trail = None
        while sweeps < max_sweeps:
            before = (self.coef.copy(), self.scores.copy(), self.intercept)
            last = gap = self.sweep(whole, first=True)
            sweeps += 1
            for _ in range(each - 1):
                if sweeps >= max_sweeps or last <= tol or last <= 0.1 * gap:
                    break
                last = self.sweep(False, first=False)
                sweeps += 1
            step = self.take()
            if trail is not None:
                self.lean((self.coef - before[0], *step), trail)
            limit = value * (1 + NOISE)
            value = self.renew()
            if not value <= limit:
                value = self.halved(before, limit)
                if not value <= limit:
                    break
            if whole and gap <= tol:
                break
            whole = last <= ALMOST * tol
            trail = (self.coef - before[0], self.scores - before[1], self.intercept - before[2])
        return value, gap, sweeps

    def renew(self) -> float:
        """The second-order model at the current scores; gives the objective."""
        margin = self.sign * self.scores
        e = np.exp(-np.abs(margin))
        wrong, right = np.where(margin > 0, e, 1.0) / (1 + e), np.where(margin > 0, 1.0, e) / (1 + e)
        self.slope = -self.sign * wrong * self.share
        self.now = self.slope.copy()
        self.weight = self.share * np.maximum(wrong * np.maximum(right, LEAST_RIGHT), LEAST_BEND)
        self.total, self.total_weight = float(self.slope.sum()), float(self.weight.sum())
        risk = float(self.share @ (np.maximum(-margin, 0.0) + np.log1p(e)))
        return risk + float(self.threshold @ np.abs(self.coef) + 0.5 * self.ridge @ self.coef**2)

    def pending(self) -> float:
        """The move of the intercept that is best for the model."""
        return -self.total / self.total_weight if self.fit_intercept else 0.0

    def sweep(self, whole: bool, first: bool) -> float:
        """Minimise the model in one coefficient after the other; an estimate of the gap from what was missed."""
        chosen = np.arange(len(self.coef)) if whole else np.flatnonzero(self.active)
        missed = np.array([self.move(j, whole, first) for j in chosen.tolist()])
        size, t, ridge = np.abs(self.coef[chosen]), self.threshold[chosen], self.ridge[chosen]
        soft, bound = ridge > 0, (ridge == 0) & (t > 0)
        worst = np.max(missed[bound] / t[bound], initial=0.0)
        missed_squares = np.sum(missed[soft] ** 2 / (2 * ridge[soft]))
        return float(missed_squares + missed[~soft] @ size[~soft] + worst * (t[~soft] @ size[~soft]))

    def move(self, j: int, whole: bool, first: bool) -> float:
        """Minimise in one coefficient; by how much its optimality condition was missed."""
        entries = slice(self.X.indptr[j], self.X.indptr[j + 1])
        rows, x = self.X.indices[entries], self.X.data[entries]
        if first:
            h, m = float(x**2 @ self.weight[rows]), float(x @ self.weight[rows])
            self.centre[j] = m if self.fit_intercept else 0.0
            left = h - m**2 / self.total_weight if self.fit_intercept else h
            self.square[j] = left if left > CONSTANT * h else 0.0
        w, h, t = self.coef[j], self.square[j] + self.ridge[j], self.threshold[j]
        g = float(x @ self.now[rows]) + self.pending() * self.centre[j] + self.ridge[j] * w
        if whole:
            self.active[j] = w != 0 or abs(g) > NEAR * t
        if not h > 0:
            return 0.0
        u = h * w - g
        target = np.sign(u) * max(abs(u) - t, 0.0)
        delta = target / h - w
        self.coef[j] = 0.0 if target == 0 else w + delta
        self.now[rows] += delta * x * self.weight[rows]
        self.total += delta * self.centre[j]
        return abs(delta) * h

    def take(self) -> tuple[np.ndarray, float]:
        """Go to the point that the sweeps have reached; the step of the scores and of the intercept."""
        move = self.pending()
        moved = np.divide(self.now - self.slope, self.weight, out=np.zeros_like(self.now), where=self.share > 0)
        self.scores += moved + move
        self.intercept += move
        return moved + move, move

    def lean(self, step: tuple[np.ndarray, np.ndarray, float], trail: tuple[np.ndarray, np.ndarray, float]) -> None:
        """Go on to the minimum of the model over the plane of two steps, as conjugate gradients would.

        The signs of the coefficients are held: who would change sign stays at zero.
        """
        free = self.coef != 0
        slope = self.now + self.weight * step[2]
        coefs = np.column_stack([np.where(free, one[0], 0.0) for one in (step, trail)])
        rows = np.column_stack([one[1] - self.X @ np.where(free, 0.0, one[0]) for one in (step, trail)])
        bend = rows.T @ (self.weight[:, None] * rows) + coefs.T @ (self.ridge[:, None] * coefs)
        pull = slope @ rows + (self.ridge * self.coef + self.threshold * np.sign(self.coef)) @ coefs
        how_far = _best_in_plane(bend, pull)
        if not np.max(np.abs(how_far)) <= FARTHEST:
            return
        moved = coefs @ how_far
        kept = np.where((self.threshold > 0) & (self.coef * (self.coef + moved) < 0), -self.coef, moved)
        along = rows @ how_far + self.X @ (kept - moved)
        change = along @ (slope + 0.5 * self.weight * along)
        change += self.threshold @ (np.abs(self.coef + kept) - np.abs(self.coef))
        change += self.ridge @ (kept * (self.coef + 0.5 * kept))
        if change < 0:
            self.coef = np.where(kept == -self.coef, 0.0, self.coef + kept)
            self.scores = self.scores + along
            self.intercept += float(how_far @ (step[2], trail[2]))

    def halved(self, before: tuple[np.ndarray, np.ndarray, float], limit: float) -> float:
        """The farthest of the points 1/2, 1/4, ... of the way whose objective is within the limit, or the start."""
        end = (self.coef, self.scores, self.intercept)
        for share in [*0.5 ** np.arange(1, HALVINGS), 0.0]:
            self.coef, self.scores = (a + share * (b - a) for a, b in zip(before[:2], end[:2], strict=True))
            self.intercept = before[2] + share * (end[2] - before[2])
            value = self.renew()
            if value <= limit:
                break
        return value


def _best_in_plane(bend: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """How far to go along two steps to the minimum of a quadratic; along the first alone if they are parallel."""
    determinant = bend[0, 0] * bend[1, 1] - bend[0, 1] ** 2
    if determinant > PARALLEL * bend[0, 0] * bend[1, 1]:
        return -np.array([pull[0] * bend[1, 1] - pull[1] * bend[0, 1], pull[1] * bend[0, 0] - pull[0] * bend[0, 1]]) / (
            determinant
        )
    return np.array([-pull[0] / bend[0, 0] if bend[0, 0] > 0 else 0.0, 0.0])
