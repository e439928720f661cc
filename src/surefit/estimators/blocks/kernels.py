"""Layer estimators: kernel models of blocks, on landmarks drawn from all rows.

In: a kernel model with its settings and a source.  Out: the model, fitted.  The first pass draws the landmarks, whose
features are then as many columns of a linear model: kernel ridge takes one pass for the products of all rows, one for
exact leave-one-out if ``lam`` is to be chosen, and one that corrects the answer; other losses take one for each Newton
step.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning

from surefit.estimators.blocks.linear import by_loo
from surefit.estimators.blocks.reading import OfBlocks, Reading, reading
from surefit.estimators.blocks.search import Found, searched
from surefit.kernels.bandwidth import dominant_column
from surefit.kernels.kernel import Kernel
from surefit.kernels.low_rank import LowRankMap, nystroem_map
from surefit.objective.loss import Loss
from surefit.objective.margin import Logistic
from surefit.objective.regression import Squared
from surefit.parameters import as_number, non_negative, positive
from surefit.selection.grids import kernel_ridge_lams
from surefit.selection.record import Selection
from surefit.selection.settle import settled
from surefit.solvers.any_loss.parts import Parts
from surefit.solvers.blocks import landmarks, newton
from surefit.solvers.blocks.factor import ONE, Target, numbers_of
from surefit.solvers.blocks.landmarks import Draw, Drawn, Landmarks, small_of_products
from surefit.solvers.blocks.newton import (
    Judged,
    NewClass,
    Sums,
    SumsAt,
    classes_of,
    labels_of,
    shown_classes,
    sorted_classes,
)
from surefit.solvers.blocks.risk import Risk, RiskAt, judged
from surefit.solvers.cost import memory_limit
from surefit.solvers.kernel.plan import low_rank
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.solution import Solution, Status
from surefit.warnings import ChoiceWarning

MOST_ROWS = 20_000
"""Rows of the first block on which the search for a loss other than squares begins."""

CHOOSING_ROWS = 5_000
"""Rows of the first block on which ``lam`` of such a loss is chosen."""

STATES = 8
"""Matrices of landmarks by landmarks that a fit holds at a time: those under way, and a few levels of the tree."""

TOL = 1e-12
"""Share of the objective that the last Newton step may promise."""


class KernelRidgeOfBlocks(OfBlocks):
    """What `KernelRidge` gains."""

    selection_: Selection | None

    def fit_blocks(self: Any, source: Any, target: str | None = None, **options: Any) -> Any:
        """Fit to rows that are read block by block, on ``n_landmarks`` rows drawn from all; see ``docs/scale.md``.

        With ``lam=None`` a pass takes the exact leave-one-out errors of the grid; equal rows are left out one by one.
        """
        self._check_settings()
        if self.criterion != "loo" or isinstance(self.kernel, list | tuple):
            raise ValueError(
                "fit_blocks takes one kernel and criterion='loo'; choose among kernels on some of the rows"
            )
        if self.lam is not None:
            positive("lam", self.lam, "landmarks that nearly depend on each other need a penalty over blocks")
        with reading(self, source, target, **options) as read:
            on, n = _landmarks(self, read)
            scale, offset = Target.of(read.first, bool(self.fit_intercept)), bool(self.fit_intercept)
            risk = Risk.of(Squared(), read.first, target=scale)
            labels, zero = (ONE, *on.labels), np.zeros((on.features.rank + 1, 1))
            sums: Sums = read.run(RiskAt(on, risk, labels, zero), newton.merge, "products")
            part = small_of_products(sums, offset, scale.scale, scale.origin)
            self.selection_ = None
            if self.lam is None:
                self.selection_ = by_loo(self, read, on, part, scale, kernel_ridge_lams)
            self.lam_ = as_number(self.lam) if self.selection_ is None else self.selection_.chosen
            coef = ridge(part.design, part.targets, self.lam_, False).solution.coef[:, 0]
            V = np.append((part.intercept(coef) - scale.origin) / scale.scale, coef / scale.scale)[:, None]
            again: Sums = read.run(RiskAt(on, risk, labels, V, curved=False), newton.merge, "correcting")
            again = replace(again, hessian=sums.hessian)
            at = judged(again, V, _penalty(self.lam_, on), offset)
            found = Found(V + at.step, V, labels, again, at, 0.0, True)
            _publish(self, read, on, found, scale)
            read.finish(self, n)
        return self

    def _left_out_rows(self) -> Any:
        if "blocks_" in self.__dict__:
            raise ValueError("intervals need the training rows, and a fit to blocks keeps none; hold rows out: "
                             "fit_blocks(..., certify=0.05), then surefit.calibrate")  # fmt: skip
        return super()._left_out_rows()  # type: ignore[misc]


class KernelRiskOfBlocks(OfBlocks):
    """What `KernelLogistic` and `KernelERM` gain."""

    def fit_blocks(self: Any, source: Any, target: str | None = None, *, classes: Any = None, **options: Any) -> Any:
        """Fit to rows that are read block by block, on ``n_landmarks`` rows drawn from all; see ``docs/scale.md``.

        ``lam=None`` is chosen on rows of the first block, by the model's own criterion.  ``classes`` are those of the
        first block unless they are named.
        """
        if self.lam is not None:
            positive("lam", self.lam, "without a penalty no function is singled out")
        if getattr(self, "class_weight", None) is not None:
            raise ValueError("fit_blocks takes no class_weight; let the weight column of the source count the classes")
        loss: Loss = self._loss() if hasattr(self, "_loss") else Logistic()
        with reading(self, source, target, **options) as read:
            names: tuple[str, ...] = ()
            if loss.targets in ("signs", "classes"):
                names = classes_of(read.first) if classes is None else sorted_classes(classes)
                if len(names) < 2:
                    raise NewClass({"of any second kind"})
            on, n = _landmarks(self, read, 1 if len(names) <= 2 and loss.targets != "classes" else len(names))
            self.lam_, self.selection_ = _chosen(self, read)
            found = _searched(self, read, on, loss, names)
            _publish(self, read, on, found, Target(0.0, 1.0), names)
            read.finish(self, n, names)
        return self


def _landmarks(model: Any, read: Reading, width: int = 1) -> tuple[Landmarks, int]:
    """The features of rows drawn by a first pass, and how many rows there are; settles the kernel on these."""
    if read.source.once:
        raise ValueError(f"{type(model).__name__} reads its rows several times, and this source can be read once; give "
                         "files, or a table")  # fmt: skip
    wanted = int(model.n_landmarks)
    needed, limit = 8.0 * STATES * (wanted * width) ** 2, memory_limit(model.memory)
    if needed > limit:
        raise ValueError(f"{wanted:,} landmarks take {needed / 1e9:.1f} GB, and memory allows {limit / 1e9:.1f}; use "
                         f"n_landmarks={int(np.sqrt(limit / 8.0 / STATES) / width)}")  # fmt: skip
    seed = 0 if model.random_state is None else model.random_state
    drawn: Drawn = read.run(Draw(read.layout, wanted, seed), landmarks.merge, "drawing landmarks")
    read.layout = read.layout.completed(drawn.labels)
    rows = read.matrix(drawn.block)
    model.kernel_ = _settled(model, read, rows)
    features: LowRankMap = nystroem_map(model.kernel_, rows, len(rows))
    model.plan_ = clone(model).set_params(solver="nystroem").plan(drawn.n, rows.shape[1])
    return Landmarks(read.layout, features), drawn.n


def _settled(model: Any, read: Reading, rows: np.ndarray) -> Kernel:
    """The kernel with its parameters from the landmarks; a warning names the column that decides alone, if one does."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = settled(model._candidates(), rows, np.ones(len(rows)), model)[0]
    for one in told:
        column = dominant_column(rows) if issubclass(one.category, ChoiceWarning) else None
        text = str(one.message)
        if column is not None:
            name, _ = read.layout.labels[column[0]]
            text = (f"column {name!r} makes up nearly all squared distances, so the others do not count; scale the "
                    "columns in the source, or drop it")  # fmt: skip
        warnings.warn(text, one.category, stacklevel=4)
    return found


def _penalty(lam: float, on: Landmarks) -> Parts:
    """``lam`` times the squared norm of the function."""
    rank = on.features.rank
    return Parts(np.zeros(rank), np.full(rank, non_negative("lam", lam, "it weighs the norm of the function")))


def _chosen(model: Any, read: Reading) -> tuple[float, Any]:
    """``lam`` as given, or by the model's own criterion on rows of the first block."""
    if model.lam is not None:
        return as_number(model.lam), None
    some, twin = read.some(CHOOSING_ROWS), clone(model).set_params(solver="nystroem")
    y = labels_of(some).words() if is_classifier(model) else numbers_of(some)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin.fit(read.matrix(some), y, some.weight)
    return float(twin.lam_), twin.selection_


def _searched(model: Any, read: Reading, on: Landmarks, loss: Loss, classes: tuple[str, ...]) -> Found:
    """From zero on rows of the first block, then from there on all rows."""
    offset, penalty, labels = bool(model.fit_intercept), _penalty(model.lam_, on), (ONE, *on.labels)
    at: Callable[..., Any]
    judge: Callable[[Sums, np.ndarray], Judged]
    if loss.targets == "classes" or len(classes) > 2:
        square = np.append(0.0, penalty.square)
        width = 1 if len(classes) == 2 else len(classes)
        at = lambda labels, V, mixture: SumsAt(on, classes, labels, V)
        judge = lambda sums, V: newton.judged(sums, V, square, offset)
    else:
        risk, width = Risk.of(loss, read.first, classes), 1
        at = lambda labels, V, mixture: RiskAt(on, risk, labels, V, mixture)
        judge = lambda sums, V: judged(sums, V, penalty, offset)
    start = np.zeros((len(labels), width))
    near = searched(read.of_some(MOST_ROWS), labels, start, at, judge, TOL)
    return searched(read, labels, near.V, at, judge, TOL)


def _publish(
    model: Any, read: Reading, on: Landmarks, found: Found, scale: Target, classes: tuple[str, ...] = ()
) -> None:
    """The function in the units of the target."""
    coef, intercept = found.V[1:] * scale.scale, found.V[0] * scale.scale + scale.origin
    if not model.fit_intercept:
        intercept = np.zeros_like(intercept)
    size, one = scale.scale**2, found.V.shape[1] == 1
    weights = on.features.landmark_weights(coef)
    coef, offset = (weights[:, 0], float(intercept[0])) if one else (weights, intercept)
    facts = MappingProxyType({"method": "nystroem over blocks", "reason": "rows are read block by block, and the "
                              "function is one of landmarks drawn from all of them", "n": found.sums.n})  # fmt: skip
    status = Status.CONVERGED if found.done else Status.MAX_ITER
    solved = Solution(coef, offset, status, found.at.gap * size, found.at.objective * size, read.passes, facts=facts)
    model.solution_, model.n_iter_ = low_rank(solved, rank=on.features.rank), read.passes
    model.points_, model.dual_coef_, model.intercept_ = on.features.landmarks, coef, offset
    if classes:
        model.classes_ = shown_classes(classes, read.label_type)
    if not found.done:
        warnings.warn(f"{type(model).__name__}: {model.solution_.ending}", ConvergenceWarning, stacklevel=4)
