"""Layer estimators: a source that is read pass by pass, for one fit.

In: what `fit_blocks` was given.  Out: a `Reading`: the layout of the columns, a way to run a pass, and the rows held
out.  After the fit: a `BlocksRecord`, which the model keeps as ``blocks_``.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import reduce, wraps
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

from surefit.data.blocks.block import ROWS, Block, Codes, stacked
from surefit.data.blocks.columns import Columns
from surefit.data.blocks.counted import Count, Counted, Known, as_distinct
from surefit.data.blocks.counted import merge as merge_counted
from surefit.data.blocks.distinct import Distinct, Kept, TooManyDistinct, distinct, pays
from surefit.data.blocks.distinct import merge as merge_distinct
from surefit.data.blocks.hold_out import HoldOut
from surefit.data.blocks.layout import Label, Layout
from surefit.data.blocks.source import Source, source_of
from surefit.data.written import is_number, meant_as_number
from surefit.executors.checkpoint import Checkpoint
from surefit.executors.local import Serial, executor_of
from surefit.executors.reduce import one_pass
from surefit.guarantee.certifiable import Guaranteed
from surefit.guarantee.certify import certify
from surefit.guarantee.fit_record import FitRecord, Settings
from surefit.progress import Task
from surefit.solvers.blocks.factor import Factor
from surefit.solvers.blocks.landmarks import Drawn
from surefit.solvers.blocks.newton import Sums
from surefit.solvers.linear.refine import Gradient
from surefit.theory.certificates.certificate import Certificate
from surefit.warnings import UnreadableWarning

KNOWN_BLOCKS = 8
"""Blocks whose distinct rows are known before all rows are counted."""

RECORDS = (Factor, Sums, Gradient, Block, Codes, Columns, Distinct, Counted, Drawn)
"""What a checkpoint may hold."""


@dataclass(frozen=True)
class BlocksRecord:
    """What was read: files with sizes and hashes, rows, passes, seconds; and how columns became features.

    ``features`` name the columns of ``coef_``: a column of the table, and the level that an indicator stands for.
    ``references`` are the levels without an indicator.  ``certificate`` is that of the rows held out, if any were, and
    ``scores`` their sorted errors: distances of a number, one minus the probability of the true class,
    or 1 for each mistake.
    """

    files: tuple[Mapping[str, Any], ...]
    n: int
    held_out: int
    passes: int
    rows: int
    seconds: float
    columns: Columns
    features: tuple[Label, ...]
    references: tuple[str, ...]
    classes: tuple[str, ...] = ()
    certificate: Any = None
    scores: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def names(self) -> list[str]:
        """The features in words."""
        return [name if level is None else f"{name} = {level or 'missing'}" for name, level in self.features]


class OfBlocks:
    """What all models share that can be fitted to blocks: their certificate is that of the rows held out."""

    if not TYPE_CHECKING:  # for types the method of all guaranteed models stands

        @wraps(Guaranteed.certificate)
        def certificate(self, X_test: Any = None, y_test: Any = None, **asked: Any) -> Certificate:
            if "blocks_" not in self.__dict__:
                found: Certificate = super().certificate(X_test, y_test, **asked)
                return found
            kept: Certificate | None = self.__dict__["blocks_"].certificate
            if X_test is not None or y_test is not None:
                return certify(self, X_test, y_test, **asked)
            if kept is None or asked:
                raise ValueError("a fit to blocks keeps no rows to certify with; give X_test and y_test, never seen, "
                                 "or hold rows out: fit_blocks(..., certify=0.05)")  # fmt: skip
            return kept


@dataclass(frozen=True)
class _Divided:
    """``work`` of the rows to learn from; with ``keeps``, the rows held out beside it."""

    work: Callable[[Block], Any]
    hold_out: HoldOut
    keeps: bool

    def __call__(self, block: Block) -> Any:
        learn, held = self.hold_out.divided(block)
        return (self.work(learn), held) if self.keeps else self.work(learn)


@dataclass(frozen=True)
class _Beside:
    """``merge`` of states that have rows held out beside them."""

    merge: Callable[[Any, Any], Any]

    def __call__(self, left: Any, right: Any) -> Any:
        return self.merge(left[0], right[0]), stacked([left[1], right[1]])


@dataclass
class Reading:
    """A source, the layout of its columns, and the passes over it so far."""

    source: Source
    layout: Layout
    first: Block
    executor: Any
    hold_out: HoldOut
    checkpoint: Checkpoint | None
    begin: float
    held: Block | None = None
    passes: int = 0
    distinct: Distinct | None = None
    in_memory: int = 0

    def run(self, work: Callable[[Block], Any], merge: Callable[[Any, Any], Any], name: str) -> Any:
        """One pass; its state comes from the checkpoint where that has it.  Distinct rows in memory are no pass."""
        if self.distinct is not None:
            self.in_memory += 1
            return one_pass(Kept(self.source, self.distinct.block), work, merge, Serial(), name)
        keeps = self.hold_out.share > 0 and self.passes == 0
        if self.checkpoint is not None and self.passes < len(self.checkpoint.states):
            found = self.checkpoint.states[self.passes]
        else:
            divided = _Divided(work, self.hold_out, keeps) if self.hold_out.share > 0 else work
            found = one_pass(self.source, divided, _Beside(merge) if keeps else merge, self.executor, name)
            if self.checkpoint is not None:
                self.checkpoint.add(found)
        self.passes += 1
        if keeps:
            found, self.held = found
        return found

    def compress(self) -> None:
        """Keep the distinct rows in memory with their counts, by one pass, if the first block says that it pays."""
        done = [] if self.checkpoint is None else self.checkpoint.states
        if (done and not _has_distinct(done[0])) or not pays(self.first, self.source.n):
            return
        try:
            known = Known.of(self._some_distinct())
            if known is None:
                self.distinct = self.run(distinct, merge_distinct, "counting equal rows")
            else:
                self.distinct = as_distinct(self.run(Count(known), merge_counted, "counting equal rows"), known)
        except TooManyDistinct:  # the first block was not typical: go on without
            return

    def _some_distinct(self) -> Distinct:
        """The distinct rows of the first few blocks."""
        first = islice((block for part in self.source.parts(False) for block in part.blocks()), KNOWN_BLOCKS)
        return reduce(merge_distinct, map(distinct, first))

    def in_order(self, name: str) -> Iterator[Block]:
        """One pass that hands out the rows to learn from, a block after the other."""
        if self.source.once and self.passes:
            raise ValueError("this source can be read only once; give files, or a table")
        tell, rows, held = Task(f"{name}: rows", self.source.n), 0, []
        for part in self.source.parts(False):
            for block in part.blocks():
                learn, out = self.hold_out.divided(block)
                held += [] if out is None else [out]
                rows += len(block)
                yield learn
                tell(rows, np.nan)
        self.held = stacked(held) if held and self.passes == 0 else self.held
        self.passes += 1

    def some(self, rows: int) -> Block:
        """Rows of the first block to learn from, no more than so many."""
        return self.hold_out.divided(self.first)[0].cut(0, rows)

    def of_some(self, rows: int) -> Reading:
        """The same passes over no more than so many rows of the first block, in this thread."""
        few = Kept(self.source, self.some(rows))
        return replace(self, source=few, executor=Serial(), hold_out=HoldOut(), checkpoint=None)

    def matrix(self, block: Block) -> np.ndarray:
        """All rows of a block as features, in the units of the table."""
        found = np.empty((len(block), len(self.layout.labels)))
        for rows, A in self.layout.chunks(block, raw=True):
            found[rows] = A
        return found

    @property
    def label_type(self) -> type:
        """Of what kind classes are: words as the source has them, also where they look like numbers, or numbers."""
        return str if isinstance(self.first.target, Codes) else self.source.label_type

    def targets(self, model: Any, block: Block) -> np.ndarray:
        """The target of a block as a fit in memory would get it: words, classes as the source has them, or numbers."""
        if isinstance(block.target, Codes):
            return block.target.words()
        assert block.target is not None
        return block.target.astype(self.source.label_type if is_classifier(model) else float, copy=False)

    def finish(self, model: Any, n: int, classes: tuple[str, ...] = ()) -> None:
        """Publish what was read, and certify on the rows held out."""
        record = BlocksRecord(
            tuple(self.source.files), n, 0 if self.held is None else len(self.held), self.passes, self.source.rows,
            time.perf_counter() - self.begin, self.source.columns, self.layout.labels, self.layout.references, classes,
        )  # fmt: skip
        model.n_features_in_ = len(record.features)
        model.__dict__.pop("feature_names_in_", None)
        model._fit_record = FitRecord(settings=Settings.of(model), target_name=self.source.columns.target or "y")
        if self.held is not None and len(self.held):
            X, y = self.matrix(self.held), self.targets(model, self.held)
            scores = _scores(model, X, y)
            record = replace(record, scores=np.sort(scores), certificate=certify(model, X, y))
        if self.source.named:  # from here on rows come with names: those of the features, so that words are refused
            model.feature_names_in_ = np.array(record.names, dtype=object)
        model.blocks_ = record
        if self.checkpoint is not None:
            self.checkpoint.remove()


def _has_distinct(state: Any) -> bool:
    """Whether a first pass left distinct rows, with or without rows held out beside them."""
    return isinstance(state[0] if isinstance(state, tuple) else state, Distinct | Counted)


def _scores(model: Any, X: np.ndarray, y: Any) -> np.ndarray:
    """How strange the true target of each row is."""
    if is_classifier(model) and not hasattr(model, "predict_proba"):
        return (np.asarray(model.predict(X)) != np.asarray(y)).astype(float)
    if not hasattr(model, "predict_proba"):
        return np.abs(np.asarray(y, dtype=float) - model.predict(X))
    place = {label: k for k, label in enumerate(model.classes_.tolist())}
    codes = np.array([place[label] for label in np.asarray(y).tolist()])
    return 1.0 - model.predict_proba(X)[np.arange(len(codes)), codes]


@contextmanager
def reading(  # noqa: PLR0913 - what every fit_blocks takes
    model: Any,
    source: Any,
    target: str | None,
    *,
    y: Any = None,
    weight: Any = None,
    rows: int = ROWS,
    drop: Iterable[str] = (),
    executor: Any = None,
    certify: float | None = None,
    random_state: int = 0,
    checkpoint: Any = None,
) -> Iterator[Reading]:  # fmt: skip
    """A `Reading` for one fit; what ``fit_blocks`` of every model takes is here.

    ``y`` and ``weight``: arrays beside an array; ``weight`` may name a column of a table.  ``rows``: of a block.
    ``drop``: columns of a table to leave out.
    ``executor``: see `surefit.executors.local.executor_of`.  ``certify``: share of the rows to hold out, by a hash of
    each row with ``random_state``.  ``checkpoint``: a file that is written after each pass.
    """
    begin = time.perf_counter()
    found = source_of(source, target, y=y, weight=weight, rows=rows, drop=drop)
    if found.columns.target is None:
        raise ValueError("say what to predict: the name of a column as target, or y beside an array")
    hold_out = HoldOut(0.0 if certify is None else float(certify), random_state)
    first = found.first()
    layout = Layout.of(first, found.columns, bool(model.fit_intercept))
    for told in numbers_as_words(first, found.columns).values():
        warnings.warn(told, UnreadableWarning, stacklevel=4)  # behind the context manager and `fit_blocks`
    kept = None if checkpoint is None else Checkpoint(checkpoint, _key(model, found, hold_out), RECORDS)
    workers, ours = executor_of(executor)
    before = dict(vars(model))
    try:
        yield Reading(found, layout, first, workers, hold_out, kept, begin)
    except BaseException:  # nothing is half-fitted
        vars(model).clear()
        vars(model).update(before)
        raise
    finally:
        if ours and hasattr(workers, "close"):
            workers.close()


def numbers_as_words(first: Block, columns: Columns) -> dict[str, str]:
    """What to tell of columns that were meant as numbers and are words: nobody guesses how they are written."""
    told = {}
    for name, column in zip(columns.words, first.words, strict=True):
        if name in columns.categories:
            continue
        counts = np.bincount(column.codes, minlength=len(column.levels))
        odd = meant_as_number({text: int(n) for text, n in zip(column.levels, counts, strict=True) if n})
        if odd is not None:
            such = "that look like numbers" if is_number(odd) else "among numbers"
            told[name] = (
                f"column {name!r} holds words such as {odd!r} {such}; each word has a coefficient of its own, and new "
                "words are unknown; for one slope write plain numbers"
            )
    return told


def _key(model: Any, source: Source, hold_out: HoldOut) -> str:
    """What tells this fit apart from others: rows, model, settings."""
    settings = {name: repr(value) for name, value in sorted(model.get_params().items())}
    files = [dict(one) for one in source.files] or repr(source.n)
    told = [type(model).__name__, settings, files, source.rows, asdict(source.columns), asdict(hold_out)]
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()
