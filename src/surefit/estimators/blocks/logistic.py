"""Layer estimators: logistic regression of blocks, for two or more classes.

In: a `LogisticRegression` with its settings and a source.  Out: the model, fitted.  The search begins at the fit to the
first block, and every Newton step is one pass.  Where the first block says that most rows are copies, one pass counts
them, and the steps are taken on the distinct rows in memory.
"""

from __future__ import annotations

import warnings
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from surefit.data.blocks.layout import placed
from surefit.estimators.blocks.reading import OfBlocks, Reading, reading
from surefit.solvers.blocks.factor import ONE
from surefit.solvers.blocks.newton import Judged, NewClass, Sums, SumsAt, classes_of, judged, labels_of, merge
from surefit.solvers.solution import Solution, Status

MOST_PASSES = 50
"""Newton steps at the most; a handful is usual."""

TIGHT = 1e-8
"""Share of the objective that its gap should be below."""

MOST_ROWS = 20_000
"""Rows of the first block to which the start is fitted."""


class LogisticOfBlocks(OfBlocks):
    """What `LogisticRegression` gains."""

    def fit_blocks(self: Any, source: Any, target: str | None = None, *, classes: Any = None, **options: Any) -> Any:
        """Fit to rows that are read block by block, a pass for each Newton step; see ``docs/scale.md``.

        ``lam=None`` is chosen on rows of the first block, by the model's own criterion.  ``classes`` are those of the
        first block unless they are named.
        """
        self._check_choices()
        if float(self.l1_ratio) != 0.0 or self.standardise or self.class_weight is not None:
            raise ValueError("fit_blocks takes squared penalties in the units of the columns, without class weights")
        with reading(self, source, target, **options) as read:
            if read.source.once:
                raise ValueError("logistic regression reads its rows several times, and this source can be read once; "
                                 "give files, or a table")  # fmt: skip
            names = classes_of(read.first) if classes is None else tuple(map(str, classes))
            _solve(self, read, names)
        return self


def _solve(model: Any, read: Reading, classes: tuple[str, ...]) -> None:
    if len(classes) < 2:
        raise NewClass({"of any second kind"})
    start, model.lam_, model.selection_ = _start(model, read, classes)
    read.compress()
    labels = (ONE, *read.layout.labels)
    V, before, step, share, halvings = start, np.inf, np.zeros_like(start), 1.0, 0
    nearly = done = False
    for steps in range(1, MOST_PASSES + 1):
        sums: Sums = read.run(SumsAt(read.layout, classes, labels, V), merge, f"Newton step {steps}")
        if sums.labels != labels:  # levels that the first block lacks
            read.layout = read.layout.completed([one for one in sums.labels if one != ONE])
            wanted = (ONE, *read.layout.labels)
            V, step = (placed(one, labels, wanted) for one in (V, step))
            sums = merge(sums, _nothing(sums, wanted)) if sums.labels != wanted else sums
            sums = _ordered(sums, wanted)
            labels = wanted
        units = read.layout.units(read.layout.labels)
        square = np.append(0.0, model.lam_ / units**2)
        at = judged(sums, V, square, bool(model.fit_intercept))
        if at.objective > before + 1e-12 * abs(before) and halvings < 30:
            V, share, halvings = V - step * share / 2, share / 2, halvings + 1
            continue
        small = at.decrement <= float(model.tol) * at.objective
        done = small and (nearly or at.gap <= TIGHT * at.objective)  # at most one pass more to prove it
        nearly = small
        before, step, share = at.objective, at.step, 1.0
        V = V + step  # the last one, too: it doubles the digits; objective and gap are those before it, no smaller
        if done:
            break
    else:
        done = False
    _publish(model, read, classes, V, at, sums, done)


def _nothing(sums: Sums, labels: Any) -> Sums:
    width, p = sums.gradient.shape[1], len(labels)
    empty = (np.zeros((p, width)), np.zeros((width, p, width, p)), np.zeros(p), 0.0 * sums.counts)
    return Sums(tuple(labels), 0.0, *empty, 0.0, 0)


def _ordered(sums: Sums, labels: Any) -> Sums:
    """The same sums with the features in another order."""
    H = placed(placed(sums.hessian, sums.labels, labels, axis=1), sums.labels, labels, axis=3)
    return Sums(tuple(labels), sums.loss, placed(sums.gradient, sums.labels, labels), H,
                placed(sums.squares, sums.labels, labels), sums.counts, sums.weight, sums.n)  # fmt: skip


def _start(model: Any, read: Reading, classes: tuple[str, ...]) -> tuple[np.ndarray, float, Any]:
    """Where the search begins, in the units of the layout, and the ``lam`` with what chose it."""
    some = read.hold_out.divided(read.first)[0]
    some = some.cut(0, MOST_ROWS)
    X, y, w = read.matrix(some), labels_of(some).words(), some.weight
    width = 1 if len(classes) == 2 else len(classes)
    V = np.zeros((X.shape[1] + 1, width))
    if set(y) != set(classes):
        if model.lam is None:
            raise ValueError("lam is chosen on rows of the first block, which lack a class; give lam, or shuffle")
        return V, float(model.lam), None
    twin = clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin.fit(X, y, w)
    order = [twin.classes_.tolist().index(label) for label in classes]
    coef, intercept = np.atleast_2d(twin.coef_), np.atleast_1d(twin.intercept_)
    if width > 1:
        coef, intercept = coef[order], intercept[order]
    V[1:] = (coef * read.layout.units(read.layout.labels)).T
    V[0] = intercept + coef @ read.layout.origins(read.layout.labels)
    return V, float(twin.lam_), twin.selection_


def _publish(
    model: Any, read: Reading, classes: tuple[str, ...], V: np.ndarray, at: Judged, sums: Sums, done: bool
) -> None:
    coef = V[1:].T / read.layout.units(read.layout.labels)
    intercept = V[0] - coef @ read.layout.origins(read.layout.labels)
    n, steps, reason = sums.n, read.passes, "rows are read block by block"
    if read.distinct is not None:
        n, steps = read.distinct.n, read.in_memory
        reason = f"{n:,} rows are {len(read.distinct.block):,} distinct ones, which are kept with their counts"
    facts = MappingProxyType({"method": "newton over blocks", "reason": reason, "n": n})
    status = Status.CONVERGED if done else Status.MAX_ITER
    model.solution_ = Solution(coef.T, intercept, status, at.gap, at.objective, steps, facts=facts)
    model.coef_, model.intercept_, model.n_iter_ = coef, intercept, steps
    model.classes_ = np.array(classes)
    if all(_is_number(one) for one in classes):
        model.classes_ = np.array([float(one) for one in classes])
        order = np.argsort(model.classes_)
        if not np.array_equal(order, np.arange(len(order))):
            model.classes_ = model.classes_[order]
            model.coef_, model.intercept_ = (-coef, -intercept) if len(coef) == 1 else (coef[order], intercept[order])
    if not done:
        warnings.warn(f"LogisticRegression: {model.solution_.ending}", ConvergenceWarning, stacklevel=4)
    read.finish(model, n, classes)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
