"""Layer study: the target column: which task it asks for, and its values as the models take them.

In: the table and the name of the target.  Out: `Target`, a record of plain data, and one number per row: the value
itself, or the number of its class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from surefit.data.whole_numbers import EXACT
from surefit.data.written import is_null
from surefit.page import listed
from surefit.study.encode.beside import Beside
from surefit.study.encode.kinds import DATE, NUMBER, PLAINLY, Kind, as_numbers, as_words, kind_of, refuse_merged_texts
from surefit.study.encode.words import known_as, style_of
from surefit.study.tables.table import Column, Dates, Numbers, Table, TableError, Words

REGRESSION, CLASSIFICATION = "regression", "classification"
TASKS = (REGRESSION, CLASSIFICATION)

FEW_VALUES = 10
"""Different whole numbers up to which they are taken for the names of classes."""

MOST_CLASSES = 100
"""Classes beyond which a target is no label."""

LARGEST, SMALLEST = 1e100, 1e-100
"""Numbers beyond which, and a spread below which, squares of errors leave the range of float64."""

FEWEST_ROWS = 20
"""Rows with a target without which there is nothing to fit, compare and certify."""

FEWEST_OF_CLASS = 3
"""Rows of a class without which it is left out."""


@dataclass(frozen=True)
class Target:
    """The name of the target, the task, and its classes in order (none for regression)."""

    name: str
    task: str
    reason: str
    kind: Kind
    classes: tuple[str, ...] = ()

    @property
    def is_classification(self) -> bool:
        return self.task == CLASSIFICATION

    def values(self, column: Column) -> np.ndarray:
        """One number per row: the target, or the number of its class; nan where it is missing or of no known class."""
        if not self.is_classification:
            return as_numbers(column, self.kind)
        words = as_words(column)
        place = {label: float(number) for number, label in enumerate(self.classes)}
        return np.array([*(place.get(label, np.nan) for label in known_as(words.levels, place)), np.nan])[words.codes]

    def named(self, column: Column) -> np.ndarray:
        """The class of every row by its name, also one that is not among ``classes``; None where it is missing."""
        words = as_words(column)
        return np.array([*known_as(words.levels, self.classes), None], dtype=object)[words.codes]

    def foreign(self, column: Column) -> np.ndarray:
        """Which rows have a class that is not among ``classes``: no answer to them can be right."""
        if not self.is_classification:
            return np.zeros(len(column.missing), dtype=bool)
        words = as_words(column)
        strange = [label not in self.classes for label in known_as(words.levels, self.classes)]
        return np.array([*strange, False])[words.codes]

    def labels(self, codes: np.ndarray) -> np.ndarray:
        """The names of classes by their numbers."""
        return np.array(self.classes, dtype=object)[np.asarray(codes, dtype=np.intp)]


def target_of(table: Table, name: str, task: str | None = None) -> Target:
    """The target of a table, and the task that it asks for unless one is given."""
    if task is not None and task not in TASKS:
        raise TableError(f"task must be regression or classification, got {task!r}")
    column, comma, beside = table[name], bool(table.decimal_comma), Beside(table)
    kind = kind_of(column, None, comma, beside)
    n_values = _different(column)
    if n_values == 0:
        raise TableError(f"the target {name!r} has no values; name another column")
    if n_values == 1:
        (only,) = _used(as_words(column))
        raise _nothing_to_learn(f"the target {name!r} is {only!r}", abs(_number_first(only)[1]))
    if (kind.kind == DATE or isinstance(column, Dates)) and task != CLASSIFICATION:
        raise TableError(
            f"the target {name!r} holds dates, which have no unit to predict in; turn it into a number, such as the "
            "days since a date, or say task classification if they are classes"
        )
    numeric = not isinstance(column, Words) or beside.style(_used(column), comma)[0] is not None
    if task is None:
        task, reason = _inferred(column, kind, numeric, n_values)
    else:
        reason = "as you say"
    if task == REGRESSION:
        return Target(name, task, reason, _number_kind(column, kind, name, comma, beside))
    if n_values > MOST_CLASSES:
        raise TableError(
            f"the target {name!r} has {n_values:,} different values, which are too many to be classes; name "
            "another column, join classes, or say task regression if they are numbers"
        )
    classes = sorted(_used(as_words(column)), key=_number_first)
    return Target(name, task, reason, Kind("category", "the target"), tuple(classes))


def about(target: Target, event: str | None) -> Target:
    """The same with the class ``event`` last, which is the place of the one that a threshold is about."""
    if event is None:
        return target
    if not target.is_classification:
        raise TableError(f"{target.name!r} is a number and has no class {event!r}; leave event out, or say its task")
    if event not in target.classes:
        raise TableError(f"{target.name!r} has no class {event!r}; its classes are {listed(target.classes, 5)}")
    others = tuple(label for label in target.classes if label != event)
    return replace(target, classes=(*others, event))


def usable(target: Target, values: np.ndarray) -> np.ndarray:
    """Which rows have a target that can be used; an error if they are too few or, by class, too rare."""
    known = np.isfinite(values)
    if np.count_nonzero(known) < FEWEST_ROWS:
        raise TableError(
            f"{np.count_nonzero(known)} rows have a target, and at least {FEWEST_ROWS} are needed; add rows"
        )
    if target.is_classification:
        counts = np.bincount(values[known].astype(int), minlength=len(target.classes))
        rare = [label for label, count in zip(target.classes, counts, strict=True) if 0 < count < FEWEST_OF_CLASS]
        if rare and len(target.classes) - len(rare) < 2:
            raise TableError(f"the class {rare[0]!r} has fewer than {FEWEST_OF_CLASS} rows; add rows of it")
        for label in rare:
            known &= values != target.classes.index(label)
    elif np.ptp(values[known]) == 0:
        raise _nothing_to_learn(f"the target {target.name!r} is the same", float(np.max(np.abs(values[known]))))
    else:
        largest, spread = float(np.max(np.abs(values[known]))), float(np.ptp(values[known]))
        if largest > LARGEST or spread < SMALLEST:
            size = f"numbers as large as {largest:.2g}" if largest > LARGEST else f"a spread of {spread:.2g}"
            raise TableError(
                f"the target {target.name!r} has {size}, whose squares float64 cannot hold; rescale it, for example by "
                f"dividing it by {(largest if largest > LARGEST else spread):.0e}"
            )
    return known


def _inferred(column: Column, kind: Kind, numeric: bool, n_values: int) -> tuple[str, str]:
    if not numeric and kind.kind != NUMBER:
        return CLASSIFICATION, f"its {n_values} values are words"
    if n_values == 2:
        return CLASSIFICATION, "it has two values"
    values = as_numbers(column, kind)
    known = values[np.isfinite(values)]
    if n_values <= FEW_VALUES and np.all(known == np.round(known)) and len(known) >= 10 * n_values:
        return CLASSIFICATION, f"it has {n_values} whole numbers as values; say task regression if they are quantities"
    told = (isinstance(column, Numbers) and column.unit) or "numbers"
    return REGRESSION, f"its {len(np.unique(known)):,} values are {told}"


def _number_kind(column: Column, kind: Kind, name: str, decimal_comma: bool, beside: Beside) -> Kind:
    if isinstance(column, Words):
        refuse_merged_texts(_used(column), f"the target {name!r}")
        style, doubt = beside.style(_used(column), decimal_comma)
        if style is None and kind.kind != NUMBER:
            known = [text for text in _used(column) if not is_null(text, among_numbers=True)]
            word = next((text for text in known if style_of([text]) is None), known[0])
            raise TableError(f"the target {name!r} has words such as {word!r}, and regression needs numbers")
        doubt = doubt or kind.doubt
        return Kind(NUMBER, "the target", style or kind.style, stray=kind.stray, doubt=doubt, threes=kind.threes)
    return Kind(NUMBER, "the target", PLAINLY)


def _nothing_to_learn(said: str, size: float) -> TableError:
    """The error for a target of one value, which may be rounding where it is large."""
    if size < EXACT:
        return TableError(f"{said} in every row; there is nothing to learn")
    return TableError(
        f"{said} in every row, as far as floating point numbers tell; if its values differ subtract one of them from "
        "all first"
    )


def _different(column: Column) -> int:
    """How many different values it has, missing ones aside."""
    if isinstance(column, Numbers):
        return len(np.unique(column.values[~column.missing]))
    return len(_used(as_words(column)))


def _used(column: Words) -> list[str]:
    return [text for text, count in zip(column.levels, column.counts(), strict=True) if count]


def _number_first(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
