"""Layer solvers: the whole lasso path at once, exactly, and least-angle regression.

In: a `Design` and one target.  Out: a `HomotopyPath`, piecewise linear between its knots.  With ``A`` the centred
design (rows weighted so that squares sum to the weighted mean) and ``level = lam / 2``, the coefficients on the support
solve ``A_P' (t - A_P w) = level * signs``, so they move along ``(A_P' A_P)^{-1} signs`` as ``lam`` falls, until a
correlation outside reaches the level or a coefficient reaches zero.

Ties are no special case: at a knot the direction solves the small quadratic programme ``min 1/2 d' G d - signs' d``
with ``signs_j d_j >= 0`` for every column that is at the level without being in the support; it has one answer in the
fit, columns are tried in the order of their gain (the lower index first), and a column that depends on those in
already has no gain, so of exactly collinear columns only one is in at a time.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.parameters import non_negative, switch, whole
from surefit.progress import Task, working
from surefit.solvers.lasso.exact.active_columns import ActiveColumns, MeanDesign
from surefit.solvers.lasso.exact.homotopy_check import Held, knots_met, lasso_holds, least_angle_holds
from surefit.solvers.solution import ReadablePath, ScaledTarget, Status

TIE = 1e-11
"""Events closer than this, relative to the ``lam`` at which they happen, happen at one knot."""
GAIN = 1e-9
"""A column at the level enters if its relative gain is more than this."""
FLOOR = 256
"""Multiple of one rounding error below which a correlation says nothing: no column comes in or leaves there."""
EXCHANGES = 10
"""How often each column at a knot may come in, on average; then the walk goes on with those that are in."""
MAX_KNOTS = 100_000
"""Knots after which a path ends, unless another number is asked for."""


@dataclass(frozen=True, repr=False)
class HomotopyPath(ReadablePath):
    """Coefficients that are linear in ``lam`` between decreasing ``knots``.  Catalogue A-25.

    ``coefs`` has shape ``(m, d)`` and ``intercepts`` ``(m,)``: the solution at each of the ``m`` knots.  Above the
    first knot all coefficients are zero; below the last nothing was computed.  ``cut`` says whether the last is where
    it is because there were as many as allowed.  ``status`` is `Status.EXACT` if the conditions of optimality hold at
    every knot up to rounding, `Status.ROUNDING` if they do only down to ``lam = proven``: columns that nearly depend on
    each other can be more than the walk can tell apart.
    """

    knots: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    cut: bool = False
    status: Status = Status.EXACT
    proven: float = 0.0

    def _lams(self) -> np.ndarray:
        return self.knots

    def at(self, lam: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The exact solution ``(coef, intercept)`` at ``lam``: shapes ``(d,)`` and ``()``, or ``(L, d)`` and ``(L,)``.

        >>> path = lasso_homotopy(Design.of([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]))
        >>> coef, intercept = path.at(0.5)
        >>> coef.round(12), float(intercept.round(12))
        (array([0.9]), 1.4)
        """
        lam = np.asarray(lam, dtype=float)
        if not np.all(lam >= 0):
            raise ValueError(f"lam must be >= 0, got {lam.min():g}; at lam = 0 the path ends in least squares")
        if not np.all(lam >= self.knots[-1]):
            raise ValueError(
                f"the path was computed down to lam = {self.knots[-1]:g}, got {lam.min():g}; "
                + ("max_knots cut it off there: raise it" if self.cut else "compute it with a smaller lam_min")
            )
        below = np.clip(np.searchsorted(-self.knots, -lam, side="left"), 0, len(self.knots) - 1)
        above = np.maximum(below - 1, 0)
        width = self.knots[above] - self.knots[below]
        # measured from the lower knot, which may be decades below the upper one
        share = np.where(width > 0, (lam - self.knots[below]) / np.where(width > 0, width, 1.0), 0.0)
        coef = share[..., None] * self.coefs[above] + (1 - share)[..., None] * self.coefs[below]
        return coef, share * self.intercepts[above] + (1 - share) * self.intercepts[below]

    @property
    def l1_norms(self) -> np.ndarray:
        """``||w||_1`` at every knot; linear in between, since no sign changes there on a lasso path."""
        return np.abs(self.coefs).sum(axis=1)


@dataclass
class _Trail:
    """Where the walk stands: level, support with signs, and the columns at the level that were let stand outside."""

    design: MeanDesign
    target: np.ndarray
    signed: bool
    level: float
    active: ActiveColumns
    signs: np.ndarray
    coef: np.ndarray = field(default_factory=lambda: np.empty(0))
    candidates: list[int] = field(default_factory=list)
    step: np.ndarray | None = None  # the direction of the columns that are in, as long as none leaves

    @cached_property
    def rounding(self) -> np.ndarray:
        """What one rounding can do to the correlation of each column with a residual, in the column's own units."""
        return EPS * self.design.lengths * np.linalg.norm(self.target)

    def active_signs(self) -> np.ndarray:
        return self.signs[self.active.indices]


Direction = Callable[[_Trail], np.ndarray]
Shrinking = Callable[[_Trail, np.ndarray], np.ndarray]


def lasso_homotopy(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    positive: bool = False,
    lam_min: float = 0.0,
    max_knots: int = MAX_KNOTS,
    sample_weight: Any = None,
) -> HomotopyPath:
    """Every minimiser of ``mean((y - X w - b)**2) + lam * ||w||_1`` from ``lam_max`` down to ``lam_min``, exactly.

    At ``lam = 0`` it ends in least squares (with more columns than rows: in an interpolant of least ``||w||_1``).
    ``X`` (n, d) is dense or sparse, ``y`` (n,); a row of weight ``k`` counts as ``k`` rows.
    Where the minimiser is not unique (collinear columns) the one with independent columns that the rule of this module
    selects is returned.  A path of more than ``max_knots`` knots ends there.  Catalogue A-25, A-22, T-84.

    >>> X = [[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]]
    >>> path = lasso_homotopy(X, [3.0, 2, 1, 4, 7, 6])
    >>> path.knots.round(6)
    array([3.166667, 2.066667, 1.457143, 0.      ])
    >>> path.at(1.0)[0].round(6)
    array([0.251969, 0.503937, 1.204724])
    """
    start = _start(Design.pair(X, y, sample_weight), fit_intercept, switch("positive", positive))
    with working("lasso homotopy"):
        path = _walk(start, _LASSO, lam_min, max_knots)
    return _told("lasso_homotopy", path)


def quiet_lasso_homotopy(design: Design, y: np.ndarray, fit_intercept: bool) -> HomotopyPath:
    """The whole path as `lasso_homotopy` finds it, without a warning: for those who judge what they take from it."""
    return _walk(_start((design, y), fit_intercept, False), _LASSO, 0.0, MAX_KNOTS)


def least_angle_path(
    X: Any, y: Any, *, fit_intercept: bool = True, lam_min: float = 0.0, sample_weight: Any = None
) -> HomotopyPath:
    """Least-angle regression: as the lasso path, but a column that came in never leaves.  Catalogue A-25.

    All columns that are in keep the same absolute correlation ``lam / 2`` with the residual.  Equal to the lasso path
    until a coefficient first changes its sign; at most ``rank`` steps.
    """
    start = _start(Design.pair(X, y, sample_weight), fit_intercept, False)
    with working("least-angle path"):
        path = _walk(start, _LEAST_ANGLE, lam_min, MAX_KNOTS)
    return _told("least_angle_path", path)


def _told(name: str, path: HomotopyPath) -> HomotopyPath:
    """The path; with a warning where not all of it is what it should be."""
    if path.status is not Status.EXACT:
        warnings.warn(
            f"{name}: below lam = {path.proven:g} the conditions of optimality fail by more than rounding, since "
            "columns nearly depend on each other; drop or combine them, or use lasso_path, whose gaps bound its errors",
            RuntimeWarning,
            stacklevel=3,
        )
    return path


@dataclass(frozen=True)
class _Start:
    """The walk before its first step, with the target divided by ``size``, a power of two, and its mean."""

    trail: _Trail
    mean: np.ndarray
    size: float


def _start(pair: tuple[Design, np.ndarray], fit_intercept: bool, positive: bool) -> _Start:
    design, y = pair
    scaled = ScaledTarget.of(y)
    mean_design = MeanDesign(design, switch("fit_intercept", fit_intercept))
    target = mean_design.target(scaled.values)
    corr = mean_design.rmatvec(target)
    level = max(float(np.max(corr if positive else np.abs(corr), initial=0.0)), 0.0)
    signs = np.ones(design.d) if positive else np.where(corr < 0, -1.0, 1.0)
    trail = _Trail(mean_design, target, not positive, level, ActiveColumns(mean_design), signs)
    trail.candidates = _at_level(trail, corr, level)
    return _Start(trail, mean_design.centred.target_mean(scaled.values), scaled.size)


def _walk(start: _Start, rule: "_Rule", lam_min: float, max_knots: int) -> HomotopyPath:
    trail = start.trail
    lam_min = non_negative("lam_min", lam_min, "use 0 for the whole path")
    max_knots = whole("max_knots", max_knots, "it bounds the length of the path")
    d, stop = trail.design.centred.d, lam_min / start.size / 2
    knots, coefs = [2 * trail.level], [np.zeros(d)]
    residual, tell = trail.target, Task("lasso homotopy", max_knots)
    for step in range(max_knots):
        tell(step, 2 * trail.level)
        if _ended(trail, stop):
            break
        before = trail.level
        residual = _advance(trail, residual, rule.direction(trail), rule.shrinking, stop)
        coef = np.zeros(d)
        coef[trail.active.indices] = trail.coef
        if before - trail.level <= TIE * before:  # the same knot, seen more closely
            knots.pop()
            coefs.pop()
        knots.append(2 * trail.level)
        coefs.append(coef)
    stacked, halves = np.stack(coefs), np.array(knots) / 2
    met = knots_met(trail.design, trail.target, halves, stacked, rule.held, signed=trail.signed, tie=TIE)
    _, intercepts = trail.design.centred.restore(stacked.T, start.mean)
    levels, coefficients, offsets = (_in_units(part, start.size) for part in (np.array(knots), stacked, intercepts))
    status = Status.EXACT if met == len(levels) else Status.ROUNDING
    proven = float(levels[met - 1]) if met else np.inf
    return HomotopyPath(levels, coefficients, offsets, not _ended(trail, stop), status, proven)


def _ended(trail: _Trail, stop: float) -> bool:
    """Whether the walk is where it was to end, or no column is left to move."""
    return trail.level <= stop or not (trail.candidates or len(trail.active))


def _in_units(values: np.ndarray, size: float) -> np.ndarray:
    """``values * size``, refused where the largest of them is beyond the range of floating point numbers."""
    with np.errstate(over="ignore"):
        scaled = values * size
    before, after = float(np.max(np.abs(values), initial=0.0)), float(np.max(np.abs(scaled), initial=0.0))
    if not np.isfinite(after) or (before > 0 and after < np.finfo(float).tiny):
        raise ValueError(
            f"y reaches {size:.0e}, so the path in its units leaves the range of floating point numbers; rescale y, or "
            "the columns of X"
        )
    return scaled


def _advance(trail: _Trail, residual: np.ndarray, step: np.ndarray, shrinking: Shrinking, stop: float) -> np.ndarray:
    """Move to the next knot; the residual there.

    Levels of events are computed from where the step would end at ``lam = 0``, not as differences from the level now:
    beside a timestamp one step may fall ten decades.
    """
    active, level, inside = trail.active, trail.level, np.array(trail.active.indices, dtype=np.intp)
    coef = np.concatenate([trail.coef, np.zeros(len(active) - len(trail.coef))])
    trail.coef = coef
    move = active.columns @ step
    corr, growth = trail.design.rmatvec(residual - level * move), trail.design.rmatvec(move)
    lowest = np.maximum(stop, FLOOR * trail.rounding)  # below, a column's correlation is rounding: no event
    joins, drops = _join_levels(trail, corr, growth), shrinking(trail, step)
    joins[joins <= lowest] = -np.inf
    drops[drops <= lowest[inside]] = -np.inf
    trail.level = max(joins.max(initial=-np.inf), drops.max(initial=-np.inf), stop)
    tied = trail.level - _slack(trail, trail.level)
    leaving = inside[drops >= tied[inside]].tolist()
    moved = np.delete(coef + (level - trail.level) * step, [active.indices.index(j) for j in leaving])
    for j in leaving:
        active.remove(j)
    trail.step = None if leaving else step
    trail.coef, residual = active.fit(trail.target, trail.level * trail.active_signs(), moved)
    predicted = corr + trail.level * growth
    rejected = [j for j in trail.candidates if j not in active.indices]
    outside = _outside(trail)
    fresh = [j for j in np.flatnonzero(joins >= tied).tolist() if outside[j]]
    trail.signs[fresh] = np.where(predicted[fresh] < 0, -1.0, 1.0) if trail.signed else 1.0
    still = [j for j in rejected if trail.signs[j] * predicted[j] >= tied[j]]
    trail.candidates = sorted({*fresh, *still, *leaving})
    return residual


def _outside(trail: _Trail) -> np.ndarray:
    outside = ~trail.design.dead
    outside[trail.active.indices] = False
    return outside


def _slack(trail: _Trail, level: float) -> np.ndarray:
    """How far below the level rounding can put a correlation that is on it."""
    return TIE * level + 16 * trail.rounding


def _at_level(trail: _Trail, corr: np.ndarray, level: float) -> list[int]:
    size = np.abs(corr) if trail.signed else corr
    return np.flatnonzero(_outside(trail) & (size >= level - _slack(trail, level)) & (level > 0)).tolist()


def _join_levels(trail: _Trail, corr: np.ndarray, growth: np.ndarray) -> np.ndarray:
    """The level at which each column outside meets it from inside; ``-inf`` for never.

    ``corr + level * growth`` is the correlation of a column at any level further down.
    """
    outside = _outside(trail)
    rejected = np.zeros(len(corr), dtype=bool)
    rejected[[j for j in trail.candidates if outside[j]]] = True
    levels = np.full(len(corr), -np.inf)
    for sign in (1.0, -1.0) if trail.signed else (1.0,):
        closing = 1.0 - sign * growth
        # a column that stands at the level and was let stand there does not come in from that side
        open_side = outside & (closing > GAIN) & ~(rejected & (trail.signs == sign))
        levels[open_side] = np.maximum(levels[open_side], sign * corr[open_side] / closing[open_side])
    return np.minimum(levels, trail.level)


def _drop_levels(trail: _Trail, step: np.ndarray) -> np.ndarray:
    """The level at which each coefficient reaches zero; ``-inf`` for never."""
    falling = trail.active_signs() * step < 0
    levels = np.full(len(step), -np.inf)
    levels[falling] = trail.coef[falling] / step[falling] + trail.level
    return np.minimum(levels, trail.level)


def _never(trail: _Trail, step: np.ndarray) -> np.ndarray:
    return np.full(len(step), -np.inf)


def _least_angle_direction(trail: _Trail) -> np.ndarray:
    """All columns at the level come in."""
    for j in trail.candidates:
        trail.active.append(j)
    return trail.active.solve_normal(trail.active_signs())


def _lasso_direction(trail: _Trail) -> np.ndarray:
    """The direction of the lasso path, by active sets on its quadratic programme; takes in the columns it needs.

    Each exchange of columns gains, so that none would come twice; where rounding decides, they could go round for ever.
    """
    active, kept = trail.active, len(trail.active)
    waiting = list(trail.candidates)
    step = active.solve_normal(trail.active_signs()) if trail.step is None else trail.step
    for _ in range(EXCHANGES * len(waiting)):
        if not waiting:
            break
        fitted = active.columns @ step
        gains = [1.0 - trail.signs[j] * (trail.design.column(j) @ fitted) for j in waiting]
        best = int(np.argmax(gains))
        if gains[best] <= GAIN:
            break
        entering = waiting.pop(best)
        if active.append(entering):
            step = _feasible(trail, np.append(step, 0.0), kept, waiting, entering)
    return step


def _feasible(trail: _Trail, step: np.ndarray, kept: int, waiting: list[int], entering: int) -> np.ndarray:
    """Move ``step`` to the unconstrained direction, letting go of newcomers whose sign would turn out wrong."""
    active = trail.active
    while True:
        wanted = active.solve_normal(trail.active_signs())
        signs = trail.active_signs()[kept:]
        wrong = np.flatnonzero(signs * wanted[kept:] <= 0) + kept
        if not len(wrong):
            return wanted
        share = step[wrong] / np.where(step[wrong] == wanted[wrong], np.inf, step[wrong] - wanted[wrong])
        step = step + float(np.clip(share.min(), 0.0, 1.0)) * (wanted - step)
        for k in wrong[share <= share.min() + TIE][::-1]:
            gone = active.indices[k]
            active.remove(gone)
            step = np.delete(step, k)
            if gone != entering:
                waiting.append(gone)


@dataclass(frozen=True)
class _Rule:
    """What tells one walk from another: where it goes, who leaves, and what its correlations keep to."""

    direction: Direction
    shrinking: Shrinking
    held: Held


_LASSO = _Rule(_lasso_direction, _drop_levels, lasso_holds)
_LEAST_ANGLE = _Rule(_least_angle_direction, _never, least_angle_holds)
