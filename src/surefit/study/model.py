"""Layer study: the model that a study leaves: an encoder, an estimator of ours, and the scores of the hold-out.

In: rows of a table, from a file or a frame.  Out: predictions, probabilities, intervals of any coverage with the
promise that the hold-out allows, sets of classes.  Everything in it is plain data or an estimator of ours, so that it
is stored without running anything.
"""

from __future__ import annotations

import sys
import warnings
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from surefit.study.contest.answers import spread
from surefit.study.declared import ORDINARY, Declared
from surefit.study.encode.encoder import Encoder
from surefit.study.encode.outside import Outside, Remarks, Unreadable, joined
from surefit.study.encode.reading import Reading
from surefit.study.encode.unreadable import no_numbers
from surefit.study.tables.read import read_table
from surefit.study.tables.table import Table, TableError
from surefit.study.target import Target
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing
from surefit.warnings import OutsideWarning, UnreadableWarning

if TYPE_CHECKING:
    from surefit.theory.intervals.class_sets import PredictionSets
    from surefit.theory.intervals.conformal import Covered, PredictionIntervals, Promise


@dataclass(frozen=True, eq=False)
class TableModel:
    """Predicts the target from rows of a table like the one it was fitted to."""

    encoder: Encoder
    """Turns rows into numbers."""
    estimator: Any
    """A fitted estimator of surefit; of classes it knows the names."""
    target: Target
    """What is predicted."""
    certificate: Certificate
    """What it does on future rows, from the hold-out."""
    scores: np.ndarray
    """Of the hold-out, sorted: absolute errors, or how strange the true class is to the model."""
    family: str
    """What the study calls it: ``ridge``."""
    threshold: float = float("nan")
    """Probability of the last class from which a row is called that class, where a promise asked for one."""
    declared: Declared = ORDINARY
    """What groups or times of the hold-out leave of its promises."""

    def __repr__(self) -> str:
        kind = "classes" if self.target.is_classification else "numbers"
        return f"TableModel: {self.family} for {self.target.name!r} ({kind}) from {len(self.encoder.parts)} columns"

    def reading(self) -> Reading:
        """What reads a table, whole or block by block, whose numbers may be written otherwise than in the fit."""
        kinds = {part.name: part.kind for part in self.encoder.parts}
        return Reading({**kinds, self.target.name: self.target.kind}, self.encoder.decimal_comma)

    @property
    def separator(self) -> str:
        """What separates the fields of a file that does not show it, as one with a single column: as in the fit."""
        return ";" if self.encoder.decimal_comma else ","

    def rows(self, table: Any, encoding: str | None = None) -> Table:
        """What `predict` takes, read as it is written; refused if it is empty."""
        found = self.reading()(read_table(table, encoding=encoding, otherwise=self.separator))
        if found.n_rows == 0:
            raise TableError("the table has no rows; give at least one row below the names of its columns")
        return found

    def features(self, table: Any) -> np.ndarray:
        """Rows as the numbers that the estimator takes, with a warning where cells or rows are unlike those of the fit.

        `UnreadableWarning` is about cells that are no numbers or dates, or could be another number, `OutsideWarning`
        about rows with a level that the fit did not have, without a value where it had one, or far outside its range:
        nothing is promised for them.
        """
        rows = self.rows(table)
        X = self.encoder.encode(rows)
        remarks = self.remarks(rows)
        _warn(remarks.of_cells(), UnreadableWarning)
        _warn(remarks.of_rows(), OutsideWarning)
        return X

    def remarks(self, rows: Table, so_far: Remarks | None = None) -> Remarks:
        """What there is to say of rows that were read, and of those before them."""
        found = Remarks() if so_far is None else so_far
        used = {part.name for part in self.encoder.parts}
        doubts = {name: doubt for name, doubt in (rows.doubts or {}).items() if name in used}
        found.add(self.encoder.unreadable(rows), self.encoder.outside(rows), doubts)
        return found

    def predict(self, table: Any) -> np.ndarray:
        """The target of every row: numbers, or the names of classes, which are texts such as ``'true'`` and ``'1'``."""
        X = self.features(table)
        if not self.target.is_classification:
            return np.asarray(self.estimator.predict(X), dtype=np.float64)
        if np.isfinite(self.threshold):
            return self._called(X)
        return np.asarray(self.estimator.predict(X), dtype=object)

    def predict_proba(self, table: Any) -> np.ndarray:
        """The probability of every class, in the order of ``target.classes``."""
        if not self.target.is_classification:
            raise TableError(f"{self.target.name!r} is a number, which has no classes; use predict or predict_interval")
        return spread(self.estimator, self.features(table), self.target.classes)

    def predict_interval(
        self, table: Any, coverage: float = 0.9, method: str = "pac", *, delta: float = 0.05
    ) -> PredictionIntervals:
        """Intervals around predictions, as wide as the hold-out asks for.

        ``method="pac"``: for all but a share ``delta`` of hold-outs at least ``coverage`` of new targets; ``"split"``:
        probability at least ``coverage``, on average over hold-outs.  After a study with ``group`` both are about new
        groups, each one draw; after one with ``time`` there are none where errors changed with time.
        """
        if self.target.is_classification:
            raise TableError(f"{self.target.name!r} has classes, which have no intervals; use predict_set")
        from surefit.theory.intervals.conformal import INTERVALS, widened  # slow to import

        radius, promise = self.promised(coverage, method, delta, INTERVALS)
        centre = self.predict(table)
        return promise.intervals(*widened(centre, centre, np.full(len(centre), radius)))

    def predict_set(
        self, table: Any, coverage: float = 0.9, method: str = "pac", *, delta: float = 0.05
    ) -> PredictionSets:
        """Sets of classes that hold the true one, as large as the hold-out asks for; ``method`` as for intervals."""
        if not self.target.is_classification:
            raise TableError(f"{self.target.name!r} is a number, which has no classes; use predict_interval")
        from surefit.theory.intervals.class_sets import label_scores, members, sets_of  # slow to import
        from surefit.theory.intervals.conformal import SETS

        quantile, promise = self.promised(coverage, method, delta, SETS)
        strange = label_scores(self.predict_proba(table), "lac")
        return sets_of(promise, members(strange, np.full((len(strange), 1), quantile)), np.array(self.target.classes))

    def promised(self, coverage: float, method: str, delta: float, kind: Covered) -> tuple[float, Promise]:
        """The score that so many new rows stay below, and what is promised of it."""
        if method not in ("pac", "split"):
            raise ValueError(f"method must be 'pac' or 'split', got {method!r}")
        n = len(self.scores)
        found, promise = self.declared.promised(self.scores, (coverage, method, delta), kind)
        if np.isinf(found):
            raise TableError(
                f"{int(np.sum(np.isinf(self.scores)))} of {n} rows of the hold-out equal training rows, too many for "
                f"{coverage!r} coverage if they are copies; fit with a hold-out of rows that are new"
            )
        return found, promise

    def certify(
        self, table: Any, *, delta: float = 0.05, encoding: str | None = None, equal_rows_are_draws: bool = False
    ) -> Certificate:
        """The certificate of this model on other rows with their targets; rows of its fit are refused.

        Rows of a class that the fit did not have count as errors; rows without a target are left out, which the
        certificate says.  After a study with ``group`` or ``time`` the rows need that column, and are counted by it.
        ``equal_rows_are_draws`` is your word that rows repeat by nature and none is a copy.
        """
        rows = self.rows(table, encoding)
        column = rows[self.target.name]
        _warn(self._of_targets(rows), UnreadableWarning)
        y = self.target.values(column)
        known = np.isfinite(y)
        if not np.any(known):
            raise TableError(f"no row has a target in {self.target.name!r} that the model knows; give some")
        used = known | self.target.foreign(column)
        told = {**self.declared.of_rows(rows.take(used)), "equal_rows_are_draws": equal_rows_are_draws}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OutsideWarning)  # the new certificate is about rows like these
            X = self.features(rows.take(used))
        model = self.estimator
        if self.target.is_classification:
            y = self.target.named(column)
        if np.isfinite(self.threshold):  # these rows had no say in it, so what predict answers can be judged
            model = copy(model)
            model.predict = self._called
        found: Certificate = model.certificate(X, np.array(y[used].tolist()), delta=delta, **told)
        return replace(found, assumptions=(*found.assumptions, *_left_out(used)))

    def _of_targets(self, rows: Table) -> list[str]:
        """What there is to say of targets that are no numbers, or could be another number."""
        name, kind = self.target.name, replace(self.target.kind, stray=())
        cells = Unreadable() if self.target.is_classification else no_numbers(rows[name], kind)
        told = [cells.sentence(name)] if cells.count and not cells.all else []
        return told + [doubt for one, doubt in (rows.doubts or {}).items() if one == name]

    def _called(self, X: np.ndarray) -> np.ndarray:
        """The classes of encoded rows by the threshold."""
        called = spread(self.estimator, X, self.target.classes)[:, -1] >= self.threshold
        return self.target.labels(called.astype(int))

    def explained(self) -> dict[str, Any]:
        """What this model is, as texts and numbers."""
        facts: dict[str, Any] = {
            "model": f"{self.family} ({type(self.estimator).__name__})",
            "target": f"{self.target.name}, {self.target.task}",
            "columns": ", ".join(part.name for part in self.encoder.parts),
            "certificate": self.certificate.statement,
            "status": self.certificate.status.value,
        }
        coef = getattr(self.estimator, "coef_", None)
        if coef is None or np.ndim(coef) != 1:
            return facts
        order = np.argsort(-np.abs(coef), kind="stable")
        names = self.encoder.features
        facts["coefficients, per unit of the column"] = {
            names[j]: float(coef[j] / self.encoder.units[j]) for j in order if coef[j] != 0
        }
        return facts

    def unreadable(self, table: Any) -> dict[str, Unreadable]:
        """By column of numbers or dates, the cells with a text that is none; ``table`` as for `predict`."""
        return self.encoder.unreadable(self.reading()(read_table(table)))

    def strange(self, table: Any) -> dict[str, dict[str, int]]:
        """By column, levels that the training rows lacked or had too rarely, and how many rows have them."""
        return self.encoder.strange(self.reading()(read_table(table)))

    def outside(self, table: Any) -> dict[str, tuple[Outside, ...]]:
        """By column, rows that no promise covers: new levels and gaps, values far, or too often, outside the range."""
        found = self.encoder.outside(self.reading()(read_table(table)))
        unusual = {name: tuple(one for one in ways if one.unusual) for name, ways in found.items()}
        return {name: ways for name, ways in unusual.items() if ways}


def _left_out(used: np.ndarray) -> tuple[Assumption, ...]:
    """What a certificate stands on where rows have no target."""
    count = int(np.count_nonzero(~used))
    if not count:
        return ()
    what = "rows left out, whose target is missing or no number, are like the others"
    return (Assumption(what, Standing.UNVERIFIABLE, f"{count:,} of the {len(used):,} rows"),)


def _warn(sentences: list[str], kind: type[Warning]) -> None:
    """One warning with these sentences, at the line that called the model."""
    if not sentences:
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame, level = frame.f_back, level + 1
    warnings.warn(joined(sentences), kind, stacklevel=level)
