"""Layer solvers: any smooth convex loss of one score over blocks, with a penalty of absolute values and squares.

In: coefficients, and blocks.  Out: the `Sums` of all rows, from which the next prox-Newton step follows, and the
duality gap (catalogue A-16, A-20).

The dual point of the gap is the slope ``u_i`` of each loss.  With an intercept it must satisfy ``sum(w u) = 0``, with
an L1 penalty the products of the columns with ``w u`` must not exceed its weights: ``u`` is mixed with a dual point
``v`` of the other sign, then with zero.  The conjugate is convex, so the mixture's is at most the mixture of their
conjugates, which are sums over rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.data.blocks.block import Block
from surefit.data.blocks.layout import Features, Label, placed
from surefit.objective.loss import Loss
from surefit.solvers.any_loss.curve import LossCurve
from surefit.solvers.any_loss.parts import Parts
from surefit.solvers.any_loss.prox_newton import minimise_model
from surefit.solvers.blocks.factor import ONE, Target, numbers_of
from surefit.solvers.blocks.newton import Judged, Sums, codes_of
from surefit.solvers.blocks.products import products, times
from surefit.solvers.normal_equations import FLOOR, solve_psd

AS_GIVEN = Target(0.0, 1.0)

ORTHOGONAL = 1e-11
"""Share of what is summed up in a product with a column up to which the product counts as zero."""


@dataclass(frozen=True)
class Risk:
    """A loss and the targets that it takes: numbers about an origin, or -1 and +1 for two ``classes``.

    ``low`` and ``high`` are slopes of the two signs that the loss has on most rows.
    """

    loss: Loss
    classes: tuple[str, ...] = ()
    target: Target = AS_GIVEN
    low: float = 0.0
    high: float = 0.0

    @staticmethod
    def of(loss: Loss, block: Block, classes: tuple[str, ...] = (), target: Target | None = None) -> Risk:
        """For a source that begins with this block; refuses targets that the loss does not take."""
        found = Risk(loss, classes, target or AS_GIVEN)
        y = found.targets(block)
        loss.check_targets(y)
        size = float(np.mean(np.abs(loss.derivative(y, np.full_like(y, np.median(y) if not classes else 0.0)))))
        size = size if np.isfinite(size) and size > 0 else 1.0
        lows, highs = loss.conjugate_domain(y)
        low, high = max(float(np.min(lows)), -size), min(float(np.max(highs)), size)
        return Risk(loss, classes, found.target, low, high)

    def targets(self, block: Block) -> np.ndarray:
        """The targets of a block."""
        if self.classes:
            return 2.0 * codes_of(block, self.classes) - 1.0
        return numbers_of(block) / self.target.scale - self.target.origin / self.target.scale

    @property
    def has_conjugate(self) -> bool:
        """Whether the conjugate is a formula; by bisection it would cost more than all the rest."""
        return type(self.loss).conjugate is not Loss.conjugate

    def duals(self, y: np.ndarray) -> np.ndarray:
        """Dual points (3, m): slopes as negative and as positive as they may be, and none."""
        low, high = self.loss.conjugate_domain(y)
        return np.stack([np.clip(level, low, high) for level in (self.low, self.high, 0.0)])


@dataclass(frozen=True)
class RiskAt:
    """The `Sums` of a block at ``V`` (p, 1), whose rows are for ``labels``, the constant first.

    ``mixture`` as in `surefit.solvers.damped_newton`; without ``curved`` the Hessian is left zero.
    """

    layout: Features
    risk: Risk
    labels: tuple[Label, ...]
    V: np.ndarray
    mixture: float = 0.0
    curved: bool = True

    def __call__(self, block: Block) -> Sums:
        layout, risk = self.layout.covering(block), self.risk
        labels = (ONE, *layout.labels)
        v, y = placed(self.V, self.labels, labels)[:, 0], risk.targets(block)
        p = len(v)
        total, sides, hessian = np.zeros(4), np.zeros((p, 3)), np.zeros((p, p))
        weight = np.ones(len(block)) if block.weight is None else block.weight
        for rows, table in layout.tables(block):
            w, curve, scores = weight[rows], LossCurve(risk.loss, y[rows]), times(table, v[:, None])[:, 0]
            duals = risk.duals(y[rows])
            slopes = (w * np.stack([curve.derivative(scores), *duals[:2]])).T
            bend = w * _bend(curve, scores, self.mixture) if self.curved else np.zeros(len(w))
            found = products(table, bend, slopes)
            sides, hessian = sides + found.cross, hessian + found.gram
            total[0] += float(w @ curve.value(scores))
            total[1:] += risk.loss.conjugate(y[rows], duals) @ w if risk.has_conjugate else np.inf
        return Sums(labels, float(total[0]), sides[:, :1], hessian[None, :, None], sides[:, 1:].T, total[1:],
                    float(weight.sum()), len(block))  # fmt: skip


def _bend(curve: LossCurve, scores: np.ndarray, mixture: float) -> np.ndarray:
    """The curvature of each loss, part of it replaced by one that never underestimates."""
    bend = curve.curvature(scores)
    return bend + max(mixture, FLOOR) * np.maximum(curve.upper_curvature(scores) - bend, 0.0)


def judged(sums: Sums, V: np.ndarray, parts: Parts, fit_intercept: bool) -> Judged:
    """At ``V`` (p, 1); ``parts`` has the weights of the penalty, (p - 1,) each."""
    W, v = sums.weight, V[:, 0]
    risk, slope, w = sums.loss / W, sums.gradient[:, 0] / W, v[1:]
    penalty = lambda coef: float(parts.absolute @ np.abs(coef) + parts.square @ coef**2)
    objective = risk + penalty(w)
    step = _step(sums.hessian[0, :, 0] / W, slope, w, parts, fit_intercept, objective)
    fallen = penalty(w) - penalty(w + step[1:])
    if parts.smooth:
        fallen = -2.0 * float((parts.square * w) @ step[1:])
    return Judged(objective, _gap(sums, v, slope, parts, fit_intercept, objective), step[:, None],
                  max(fallen - float(slope @ step), 0.0))  # fmt: skip


def _step(
    H: np.ndarray, slope: np.ndarray, w: np.ndarray, parts: Parts, fit_intercept: bool, objective: float
) -> np.ndarray:
    """To the minimiser of the second-order model of the loss plus the penalty itself, the intercept first."""
    total, shift = (float(H[0, 0]), float(slope[0])) if fit_intercept else (0.0, 0.0)
    centre = H[0, 1:] / total if total > 0 else np.zeros(len(w))
    gram, pull = H[1:, 1:] - total * np.multiply.outer(centre, centre), slope[1:] - shift * centre
    if parts.smooth:
        coef = solve_psd(gram + np.diag(2 * parts.square), -(pull + 2 * parts.square * w))
    else:
        coef = minimise_model(gram, pull, parts, w, (1e-16 * objective, objective)) - w
    return np.append((-shift / total if total > 0 else 0.0) - float(centre @ coef), coef)


def _gap(sums: Sums, v: np.ndarray, slope: np.ndarray, parts: Parts, fit_intercept: bool, objective: float) -> float:
    W, conjugates = sums.weight, sums.constants / sums.weight
    own = float(v @ slope) - sums.loss / W  # the conjugate at the slope of the loss itself
    pull = slope[1:]
    if fit_intercept and slope[0] != 0.0:
        side = int(slope[0] < 0)
        other = sums.columns[side] / W
        if not slope[0] * other[0] < 0:
            return np.inf
        share = slope[0] / (slope[0] - other[0])
        pull, own = (1 - share) * pull + share * other[1:], (1 - share) * own + share * conjugates[side]
    free = parts.square == 0
    with np.errstate(divide="ignore"):
        room = parts.absolute[free] / np.abs(pull[free])
    kept = min(1.0, float(np.min(room[pull[free] != 0], initial=1.0)))
    own, pull = kept * own + (1 - kept) * conjugates[2], kept * pull
    beyond = np.maximum(np.abs(pull[~free]) - parts.absolute[~free], 0.0)
    bound = objective + own + float(np.sum(beyond**2 / (4 * parts.square[~free])))
    return max(bound, 0.0) + 4 * np.finfo(float).eps * abs(objective) if np.isfinite(bound) else np.inf


@dataclass(frozen=True)
class ProofAt:
    """Without a penalty: the sums that bound how far ``V`` is from the minimum (catalogue A-20).

    The slopes along the Newton ``step`` from ``V``, taken as straight lines, are orthogonal to all columns, so they
    are a dual point.
    """

    layout: Features
    risk: Risk
    labels: tuple[Label, ...]
    V: np.ndarray
    step: np.ndarray
    mixture: float

    def __call__(self, block: Block) -> np.ndarray:
        """The sum of conjugates, then products with the columns (p,), then what was added up in these (p,)."""
        v, step, y = self.V[:, 0], self.step[:, 0], self.risk.targets(block)
        weight, found = np.ones(len(block)) if block.weight is None else block.weight, np.zeros(1 + 2 * len(v))
        for rows, A in self.layout.chunks(block, 1):
            A[:, 0] = 1.0
            curve, scores, w = LossCurve(self.risk.loss, y[rows]), A @ v, weight[rows]
            u = curve.derivative(scores) + _bend(curve, scores, self.mixture) * (A @ step)
            conjugate = w @ self.risk.loss.conjugate(y[rows], u)
            found += np.concatenate([[conjugate], A.T @ (w * u), np.abs(A).T @ (w * np.abs(u))])
        return found


def proven(found: np.ndarray, sums: Sums, fit_intercept: bool) -> float:
    """The duality gap at the point of a `ProofAt`, infinite where its dual point is not orthogonal after all."""
    p = len(found) // 2
    left, size = np.split(found[1:], [p])
    first = 0 if fit_intercept else 1
    if not np.all(np.abs(left[first:]) <= ORTHOGONAL * size[first:]):
        return np.inf
    bound = (sums.loss + float(found[0])) / sums.weight
    return max(bound, 0.0) + 4 * np.finfo(float).eps * abs(sums.loss) / sums.weight if np.isfinite(bound) else np.inf
