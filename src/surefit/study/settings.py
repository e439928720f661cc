"""Layer study: what a user may ask of a study, as keywords or as a TOML file.

In: keywords, or the text of a TOML file as `toml_of` writes it.  Out: `Settings`, checked.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from typing import Any

from surefit.study.checks.finding import TITLES
from surefit.study.contest.clock import seconds_of
from surefit.study.encode.dates import DAY_OR_MONTH
from surefit.study.encode.kinds import KINDS
from surefit.study.tables.table import TableError
from surefit.study.target import TASKS

CODES = tuple(TITLES)
"""Codes of the checks, all of which may be ignored."""


@dataclass(frozen=True)
class Settings:
    """What is asked of a study."""

    target: str
    """Name of the column to predict."""
    task: str | None = None
    """``regression`` or ``classification``; None: inferred and said."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Kinds of columns that are not to be inferred: ``number``, ``category``, ``date`` or ``left out``."""
    drop: tuple[str, ...] = ()
    """Columns to leave out; the same as the kind ``left out``."""
    group: str | None = None
    """Column whose groups stay together in the hold-out and in folds."""
    time: str | None = None
    """Column that orders the rows: the last ones are the hold-out."""
    weights: str | None = None
    """Column of sample weights."""
    holdout: float = 0.2
    """Share of the rows that is set aside for the certificate."""
    metric: str | None = None
    """``rmse``, ``mae``, ``log-loss`` or ``error-rate``; None: the first of the task."""
    budget: str | float | None = "2m"
    """How long everything may take; None: as long as it takes."""
    delta: float = 0.05
    """Probability with which the certificate may fail."""
    coverage: float = 0.9
    """Share of new rows that certificate and intervals of a regression are about."""
    recall: float | None = None
    """Share of the rows of ``event`` that a threshold is to find with a promise."""
    event: str | None = None
    """Class that calibration and a threshold are about where there are two; None: the last by number or alphabet."""
    ignore: tuple[str, ...] = ()
    """Codes of checks that shall be silent."""
    seed: int = 0
    """Number from which everything random is drawn."""
    encoding: str | None = None
    """Encoding of text files; None: found out."""
    separator: str | None = None
    """What separates the fields of text files; None: found out."""
    dates: str | None = None
    """``dmy`` or ``mdy``: the order of day and month where both are possible; None: found out, or said to be open."""
    equal_rows_are_draws: bool = False
    """Your word that rows repeat by nature and none is a copy; with copies, what the certificate promises is false."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", (self.drop,) if isinstance(self.drop, str) else tuple(self.drop))
        _check(self)

    @property
    def seconds(self) -> float:
        return seconds_of(self.budget)


def _check(asked: Settings) -> None:
    if not isinstance(asked.target, str) or not asked.target.strip():
        raise TableError("a study needs the name of the target column; say target")
    if asked.task is not None and asked.task not in TASKS:
        raise TableError(f"task must be regression or classification, got {asked.task!r}")
    if asked.dates is not None and asked.dates not in DAY_OR_MONTH:
        raise TableError(f"dates must be dmy or mdy, the order of day, month and year, got {asked.dates!r}")
    if not isinstance(asked.equal_rows_are_draws, bool):
        raise TableError(f"equal_rows_are_draws must be true or false, got {asked.equal_rows_are_draws!r}")
    if isinstance(asked.seed, bool) or not (isinstance(asked.seed, Integral) and asked.seed >= 0):
        raise TableError(f"seed must be a whole number >= 0, got {asked.seed!r}")
    if asked.group and asked.time:
        raise TableError("name a column of groups or one of times, not both; the hold-out is by one of them")
    for name in ("holdout", "delta", "coverage", "recall"):
        value = getattr(asked, name)
        if value is not None and not (isinstance(value, int | float) and 0 < value < 1):
            raise TableError(f"{name} must lie between 0 and 1, got {value!r}")
    for column, kind in asked.types.items():
        if kind not in KINDS:
            raise TableError(f"column {column!r} cannot be {kind!r}; a column is one of {', '.join(KINDS)}")
    needed = {asked.target, asked.group, asked.time, asked.weights}.intersection(asked.drop)
    if needed:
        raise TableError(f"{sorted(map(str, needed))[0]!r} cannot be left out: the study needs it; take it from drop")
    for code in asked.ignore:
        if code not in CODES:
            raise TableError(f"{code!r} is no code of a check; they are {CODES[0]} to {CODES[-1]}")
    try:
        asked.seconds  # noqa: B018 - an error if it is none
    except ValueError as error:
        raise TableError(str(error)) from None


def settings_of(text: str, **beside: Any) -> Settings:
    """The settings of a TOML file; keywords that are not None win.

    >>> settings_of('target = "price"\\n[columns]\\nzip = "category"').types
    {'zip': 'category'}
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TableError(
            f"the settings are no valid TOML ({error}); surefit init writes a file to begin with"
        ) from None
    types = found.pop("columns", {})
    known = {one.name for one in fields(Settings)} - {"types"}
    for name in found:
        if name not in known:
            raise TableError(f"the settings have no entry {name!r}; they are {', '.join(sorted(known))} and [columns]")
    given = {name: value for name, value in found.items() if value != ""}
    given |= {name: value for name, value in beside.items() if value is not None and value != ()}
    target = given.pop("target", "")
    if "ignore" in given:
        given["ignore"] = tuple(given["ignore"])
    kept = {name: kind for name, kind in types.items() if kind != "target"}
    try:
        return Settings(target, types={**kept, **given.pop("types", {})}, **given)
    except TypeError as error:
        raise TableError(f"an entry of the settings has the wrong type ({error})") from None


def toml_of(settings: Settings, kinds: Mapping[str, str] | None = None, notes: Mapping[str, str] | None = None) -> str:
    """Settings as TOML; ``kinds`` of columns, each with a note behind it, instead of the ones that were asked for.

    >>> print(toml_of(Settings("price", budget=None), {"zip": "category"}, {"zip": "words"}))
    target = "price"
    holdout = 0.2
    delta = 0.05
    coverage = 0.9
    seed = 0
    <BLANKLINE>
    [columns]
    zip = "category"  # words
    """
    lines = []
    for one in fields(settings):
        value = getattr(settings, one.name)
        if one.name == "types" or value is None or value is False or value == ():
            continue
        lines.append(f"{one.name} = {_written(value)}")
    notes = notes or {}
    columns = settings.types if kinds is None else kinds
    if columns:
        lines += ["", "[columns]"]
        for name, kind in columns.items():
            note = f"  # {notes[name]}" if name in notes else ""
            lines.append(f"{_key(name)} = {_written(kind)}{note}")
    return "\n".join(lines)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return _text(str(value))


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _text(name)


def _text(value: str) -> str:
    """A text in quotes: JSON's escapes are TOML's, but for characters that TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def changed(settings: Settings, **more: Any) -> Settings:
    """The same with other values."""
    return replace(settings, **more)
