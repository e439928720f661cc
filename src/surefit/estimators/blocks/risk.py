"""Layer estimators: robust regression and other smooth losses of blocks, with squared, L1 or mixed penalties.

In: a `RobustRegression` or an `ERM` with its settings and a source.  Out: the model, fitted.  The search begins at the
fit to the first block, and every prox-Newton step is one pass.
"""

from __future__ import annotations

import operator
import warnings
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from surefit.data.scale import EPS
from surefit.estimators.blocks.reading import OfBlocks, Reading, reading
from surefit.estimators.blocks.search import Found, searched
from surefit.objective.loss import Loss
from surefit.solvers.any_loss.parts import Parts, parts_of
from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.blocks.factor import ONE, numbers_of
from surefit.solvers.blocks.newton import merge
from surefit.solvers.blocks.offset import rise, rounded_offset
from surefit.solvers.blocks.risk import ProofAt, Risk, RiskAt, judged, proven
from surefit.solvers.solution import Solution, Status

MOST_ROWS = 20_000
"""Rows of the first block to which the start is fitted."""


SETTLED = 1e-13
"""Share of the objective that the last step may promise: coefficients keep ten digits then."""


class RiskOfBlocks(OfBlocks):
    """What `RobustRegression` and `ERM` gain."""

    def fit_blocks(self: Any, source: Any, target: str | None = None, **options: Any) -> Any:
        """Fit to rows that are read block by block, a pass for each prox-Newton step; see ``docs/scale.md``.

        Smooth convex losses (Huber, squared, the quadratic tube, powers above 1, those of a margin) with `SquaredL2`,
        `L1` or `ElasticNet`.  A Huber threshold that is not given is estimated on rows of the first block.
        """
        self._check_limits()
        if self.standardise or getattr(self, "features", None) is not None:
            raise ValueError("fit_blocks takes the columns as they are; leave standardise False and features None")
        _check(self._planned_loss())
        _parts(self, np.ones(1), self._planned_loss())
        with reading(self, source, target, **options) as read:
            if read.source.once:
                raise ValueError(f"{type(self).__name__} reads its rows several times, and this source can be read "
                                 "once; give files, or a table")  # fmt: skip
            twin, start = _start(self, read)
            loss = getattr(twin, "loss_", None) or twin._loss()
            _check(loss)  # a table whose rows lie on a plane gets the absolute loss
            risk = Risk.of(loss, read.first)
            read.compress()
            found = _found(self, read, risk, start)
            for name in ("loss_", "features_", "activation_"):
                if hasattr(twin, name):
                    setattr(self, name, getattr(twin, name))
            _publish(self, read, found, risk, twin)
        return self


def _check(loss: Loss) -> None:
    if loss.targets == "classes":
        raise ValueError("a loss of several classes needs a score for each; use LogisticRegression")
    if not (loss.convex and loss.smooth):
        raise ValueError(f"{loss!r} has kinks or is not convex, which Newton steps over blocks cannot take; use "
                         "Huber(threshold) with a small threshold in place of the absolute loss")  # fmt: skip


def _start(model: Any, read: Reading) -> tuple[Any, np.ndarray]:
    """The fit to rows of the first block, and its coefficients in the units of the layout."""
    some, twin = read.some(MOST_ROWS), clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin.fit(read.matrix(some), numbers_of(some), some.weight)
    labels = read.layout.labels
    inside = twin.coef_ * read.layout.units(labels)
    return twin, np.append(twin.intercept_ + twin.coef_ @ read.layout.origins(labels), inside)[:, None]


def _found(model: Any, read: Reading, risk: Risk, start: np.ndarray) -> Found:
    parts = lambda labels: _parts(model, read.layout.units(labels), risk.loss)
    judge = lambda sums, V: judged(sums, V, parts(sums.labels[1:]), bool(model.fit_intercept))
    at = lambda labels, V, mixture: RiskAt(read.layout, risk, labels, V, mixture)
    found = searched(
        read, (ONE, *read.layout.labels), start, at, judge, min(float(model.tol), SETTLED), float(model.tol)
    )
    if model.lam == 0 and risk.has_conjugate:
        proof = ProofAt(read.layout, risk, found.labels, found.before, found.at.step, found.mixture)
        gap = proven(read.run(proof, operator.add, "proving"), found.sums, bool(model.fit_intercept))
        found = replace(found, at=replace(found.at, gap=gap))
    return found


def _parts(model: Any, units: np.ndarray, loss: Loss) -> Parts:
    """The penalty of coefficients in the units of the layout."""
    given = parts_of(model._problem(np.zeros((1, len(units))), np.ones(1), loss, None))
    if given is None:
        raise ValueError(f"fit_blocks takes SquaredL2(), L1() and ElasticNet() as penalties, got {model.penalty!r}")
    return Parts(given.absolute / units, given.square / units**2)


def _publish(model: Any, read: Reading, found: Found, risk: Risk, twin: Any) -> None:
    units, origins = read.layout.units(found.labels[1:]), read.layout.origins(found.labels[1:])
    coef, intercept, raised = found.V[1:, 0] / units, 0.0, 0.0
    if model.fit_intercept:
        intercept, missed = rounded_offset([found.V[0, 0]], coef, origins)
        raised = _raised(model, read, found, risk, missed)
    gap, objective = found.at.gap + raised, found.at.objective + raised
    n, reason = found.sums.n, "rows are read block by block, each step is a pass"
    if read.distinct is not None:
        n = read.distinct.n
        reason = f"{n:,} rows are {len(read.distinct.block):,} distinct ones, which are kept with their counts"
    null = max(float(twin.solution_.facts.get("null_objective", 0.0)), found.at.objective)
    enough = float(model.tol) * null
    kept = found.done and (gap <= enough or not np.isfinite(found.at.gap))
    status = Status.CONVERGED if kept else Status.ROUNDING if found.done and found.at.gap <= enough else Status.MAX_ITER
    facts = MappingProxyType({"method": "prox-newton over blocks", "reason": reason, "n": n, "null_objective": null})
    steps = read.in_memory if read.distinct is not None else read.passes
    model.solution_ = Solution(coef, intercept, status, gap, objective, steps, facts=facts)
    model.coef_, model.intercept_, model.n_iter_ = coef.copy(), intercept, steps
    model._choice = SolverChoice("prox-newton over blocks", reason)
    if not kept:
        warnings.warn(f"{type(model).__name__}: {model.solution_.ending}", ConvergenceWarning, stacklevel=4)
    read.finish(model, n)


def _raised(model: Any, read: Reading, found: Found, risk: Risk, missed: float) -> float:
    """What rounding the intercept adds to the objective; by one more pass where the loss bends without bound."""
    if not np.isfinite(found.at.gap):
        return 0.0
    if np.isfinite(risk.loss.smoothness):
        return rise(found.at.gap, missed, risk.loss.smoothness)
    if abs(missed) <= EPS * abs(float(found.V[0, 0])):  # no more than the search itself rounds
        return 0.0
    V = found.V.copy()
    V[0] -= missed
    there = read.run(RiskAt(read.layout, risk, found.labels, V, curved=False), merge, "rounding")
    parts, w = _parts(model, read.layout.units(found.labels[1:]), risk.loss), V[1:, 0]
    objective = there.loss / there.weight + float(parts.absolute @ np.abs(w) + parts.square @ w**2)
    return max(objective - found.at.objective, 0.0)
