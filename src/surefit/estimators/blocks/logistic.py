"""Layer estimators: logistic regression of blocks, for two or more classes.

In: a `LogisticRegression` with its settings and a source.  Out: the model, fitted.  The search begins at the fit to the
first block, and every Newton step is one pass.  Where the first block says that most rows are copies, one pass counts
them, and the distinct rows are fitted in memory.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from surefit.data.blocks.distinct import Distinct
from surefit.estimators.blocks.reading import OfBlocks, Reading, reading
from surefit.estimators.blocks.search import Found, searched
from surefit.objective.margin import Logistic
from surefit.objective.softmax import SoftmaxCrossEntropy
from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.blocks.factor import ONE
from surefit.solvers.blocks.newton import (
    Judged,
    NewClass,
    Sums,
    SumsAt,
    classes_of,
    codes_of,
    judged,
    shown_classes,
    sorted_classes,
)
from surefit.solvers.blocks.offset import rise, rounded_offset
from surefit.solvers.solution import Solution, Status
from surefit.threads import one_blas_thread

MOST_ROWS = 20_000
"""Rows of the first block to which the start is fitted."""


class LogisticOfBlocks(OfBlocks):
    """What `LogisticRegression` gains."""

    def fit_blocks(self: Any, source: Any, target: str | None = None, *, classes: Any = None, **options: Any) -> Any:
        """Fit to rows that are read block by block, a pass for each Newton step; see ``docs/scale.md``.

        ``lam=None`` is chosen on rows of the first block, by the model's own criterion; where most rows are copies, on
        all distinct rows with their counts.  ``classes`` are those of the first block unless they are named.
        """
        self._check_choices()
        if float(self.l1_ratio) != 0.0 or self.standardise or self.class_weight is not None:
            raise ValueError("fit_blocks takes squared penalties in the units of the columns, without class weights")
        with reading(self, source, target, **options) as read:
            if read.source.once:
                raise ValueError("logistic regression reads its rows several times, and this source can be read once; "
                                 "give files, or a table")  # fmt: skip
            names = classes_of(read.first) if classes is None else sorted_classes(classes)
            _solve(self, read, names)
        return self


def _solve(model: Any, read: Reading, classes: tuple[str, ...]) -> None:
    if len(classes) < 2:
        raise NewClass({"of any second kind"})
    read.compress()
    if read.distinct is not None:
        _fit_distinct(model, read, read.distinct, classes)
        return
    start, model.lam_, model.selection_ = _start(model, read, classes)

    def judge(sums: Sums, V: np.ndarray) -> Judged:
        units = read.layout.units(sums.labels[1:])
        return judged(sums, V, np.append(0.0, model.lam_ / units**2), bool(model.fit_intercept))

    at = lambda labels, V, mixture: SumsAt(read.layout, classes, labels, V)
    _publish(model, read, classes, searched(read, (ONE, *read.layout.labels), start, at, judge, float(model.tol)))


def _fit_distinct(model: Any, read: Reading, found: Distinct, classes: tuple[str, ...]) -> None:
    """Distinct rows are fitted in memory, weighted by how often they came."""
    read.layout = read.layout.completed(read.layout.covering(found.block).labels)
    twin = clone(model)
    with one_blas_thread():
        twin.fit(read.matrix(found.block), codes_of(found.block, classes), found.block.weight)
    if len(twin.classes_) < len(classes):
        raise NewClass({name for k, name in enumerate(classes) if k not in twin.classes_})
    reason = f"{found.n:,} rows are {len(found.block):,} distinct ones, which are kept with their counts"
    facts = MappingProxyType({**twin.solution_.facts, "reason": reason, "n": found.n})
    model.solution_, model.n_iter_ = replace(twin.solution_, facts=facts), twin.n_iter_
    model.coef_, model.intercept_ = twin.coef_, twin.intercept_
    model.lam_, model.selection_, model.separation_ = twin.lam_, twin.selection_, twin.separation_
    _remember(model, read, classes)
    read.finish(model, found.n, classes)


def _remember(model: Any, read: Reading, classes: tuple[str, ...]) -> None:
    """What `explain` and `summary` ask for."""
    facts = model.solution_.facts
    model.classes_, model.gap_ = shown_classes(classes, read.label_type), model.solution_.gap
    model._settings = (bool(model.fit_intercept), False, model.lam is None, None)
    model._choice = SolverChoice(str(facts["method"]), str(facts["reason"]))


def _start(model: Any, read: Reading, classes: tuple[str, ...]) -> tuple[np.ndarray, float, Any]:
    """Where the search begins, in the units of the layout, and the ``lam`` with what chose it."""
    some = read.some(MOST_ROWS)
    X, y, w = read.matrix(some), codes_of(some, classes), some.weight
    V = np.zeros((X.shape[1] + 1, 1 if len(classes) == 2 else len(classes)))
    if len(np.unique(y)) < len(classes):
        if model.lam is None:
            raise ValueError("lam is chosen on rows of the first block, which lack a class; give lam, or shuffle")
        return V, float(model.lam), None
    twin = clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin.fit(X, y, w)
    coef, intercept = np.atleast_2d(twin.coef_), np.atleast_1d(twin.intercept_)
    V[1:] = (coef * read.layout.units(read.layout.labels)).T
    V[0] = intercept + coef @ read.layout.origins(read.layout.labels)
    return V, float(twin.lam_), twin.selection_


def _publish(model: Any, read: Reading, classes: tuple[str, ...], found: Found) -> None:
    V, at = found.V, found.at
    coef = V[1:].T / read.layout.units(read.layout.labels)
    intercept, raised = np.zeros(len(coef)), 0.0
    if model.fit_intercept:
        origins = read.layout.origins(read.layout.labels)
        pairs = [rounded_offset([level], row, origins) for level, row in zip(V[0], coef, strict=True)]
        intercept = np.array([level for level, _ in pairs])
        smoothness = (Logistic if len(pairs) == 1 else SoftmaxCrossEntropy).smoothness
        raised = rise(at.gap, np.array([missed for _, missed in pairs]), smoothness) if np.isfinite(at.gap) else 0.0
    gap, objective = at.gap + raised, at.objective + raised
    n, steps = found.sums.n, read.passes
    facts = MappingProxyType({"method": "newton over blocks", "reason": "rows are read block by block", "n": n})
    status = Status.CONVERGED if found.done else Status.MAX_ITER
    if found.done and raised > float(model.tol) * at.objective:
        status = Status.ROUNDING
    model.solution_ = Solution(coef.T, intercept, status, gap, objective, steps, facts=facts)
    model.coef_, model.intercept_, model.n_iter_ = coef, intercept, steps
    model.separation_ = None
    _remember(model, read, classes)
    if status is not Status.CONVERGED:
        warnings.warn(f"LogisticRegression: {model.solution_.ending}", ConvergenceWarning, stacklevel=4)
    read.finish(model, n, classes)
