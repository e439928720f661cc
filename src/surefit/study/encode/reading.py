"""Layer study: a table whose numbers are written in another way than those of the fit is read as it is written.

In: the kinds of the columns of a fit, and a table, whole or in blocks.  Out: the same table with numbers written as the
fit had them, and what is in doubt.  A column is read as in the fit wherever it can be: with a decimal comma or a
decimal point.  It is read in the other way if some of its cells can only be read so, and none only as in the fit.
Where all of them could be either (``1,234``), the other columns and the kind of the file decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from surefit.study.encode.kinds import NUMBER, Kind
from surefit.study.encode.words import COMMA, EITHER, NEITHER, POINT, Style, number, sign_of
from surefit.study.tables.table import Table, TableError, Words

TURNED = str.maketrans(",.", ".,")
THREE = re.compile(r"[.,](\d{3})")
"""A sign with the three digits behind it."""
SIGNS = (".", ",")
"""What stands before decimals without a decimal comma, and with one."""


class Reading:
    """Reads the blocks of one table in turn; what a block shows holds for the blocks after it.

    ``kinds`` are those of the fit by name, ``decimal_comma`` is what the file of the fit would have been taken for.
    """

    def __init__(self, kinds: Mapping[str, Kind], decimal_comma: bool | None = None):
        self._fitted = {name: kind.style.comma for name, kind in kinds.items() if kind.kind == NUMBER}
        self._settled = {name for name, kind in kinds.items() if kind.threes}
        self._decimal_comma = decimal_comma
        self._rows = {name: np.zeros(4, dtype=np.int64) for name in self._fitted}
        """Rows so far by the sign that they show."""
        self._used: dict[str, bool] = {}

    def __call__(self, table: Table) -> Table:
        """The next block, with numbers written as the fit had them; refused if it contradicts the blocks before it."""
        if table.doubts is not None:
            return table
        columns = {name: table[name] for name in self._fitted if name in table}
        texts = {name: column for name, column in columns.items() if isinstance(column, Words)}
        for name, column in texts.items():
            self._rows[name] += np.bincount(_signs(column)[column.codes[column.codes >= 0]], minlength=4)
        for name, column in texts.items():
            self._decide(name, column, table)
        doubts = {name: self._doubt(name, column) for name, column in texts.items() if name in self._used}
        turned = {name: _turned(column) for name, column in texts.items() if self._other_way(name)}
        own = tuple(turned.get(name, column) for name, column in zip(table.names, table.columns, strict=True))
        doubts = {name: doubt for name, doubt in doubts.items() if doubt}
        return replace(table, columns=own, decimal_comma=None, doubts=doubts)

    def _other_way(self, name: str) -> bool:
        return self._used.get(name, self._fitted[name]) != self._fitted[name]

    def _decide(self, name: str, column: Words, table: Table) -> None:
        rows, fitted = self._rows[name], self._fitted[name]
        own, other = rows[[COMMA, POINT] if fitted else [POINT, COMMA]]
        if not np.any(rows[NEITHER + 1 :]) or (name in self._used and not own and not other):
            return
        if own or other:
            late = self._other_way(name) and own <= other  # slips among blocks that were read in the other way
            comma = fitted != (late or not own)
        else:
            comma = self._by_others(name, column, table.decimal_comma)
        if self._used.setdefault(name, comma) != comma:
            signs = ("point", "comma")
            raise TableError(
                f"{table.source}: column {name!r} was read with a decimal {signs[not comma]}, and later rows have a "
                f"decimal {signs[comma]}; write all of its numbers in one way"
            )

    @property
    def _ways(self) -> dict[str, bool]:
        """Whether columns have decimal commas, where their texts show it."""
        shown = {name: rows[[POINT, COMMA]] > 0 for name, rows in self._rows.items()}
        return {name: bool(comma) for name, (point, comma) in shown.items() if point != comma}

    def _by_others(self, name: str, column: Words, preferred: bool | None) -> bool:
        """Whether a column that could be either has a decimal comma; ``preferred`` is what its file is taken for."""
        fitted, ways = self._fitted[name], self._ways
        if ways and all(way != fitted and way != self._fitted[one] for one, way in ways.items()):
            return not fitted  # the whole table is written in the other way
        if fitted in ways.values() or preferred is None or preferred in (fitted, self._decimal_comma):
            return fitted
        signs = _signs(column)
        return preferred and any("," in text and signs[code] == EITHER for code, text in enumerate(column.levels))

    def _doubt(self, name: str, column: Words) -> str:
        """A sentence on a cell that could be another number, where no cell shows how it is meant; else empty.

        A sign is not doubted where it stands before decimals as in the fit, nor where it does so as in other cells.
        """
        comma, signs, other_way = self._used[name], _signs(column), self._other_way(name)
        shown = bool(np.any(self._rows[name][[POINT, COMMA]])) or comma in self._ways.values()
        if (shown or name in self._settled) and not other_way:
            return ""
        texts = [(column.levels[code], signs[code]) for code in np.flatnonzero(column.counts())]
        thousands = SIGNS[not comma]
        if any(thousands in text and sign == (COMMA if comma else POINT) for text, sign in texts):
            return ""
        doubted = [text for text, sign in texts if sign == EITHER and (thousands in text or (other_way and not shown))]
        return _in_doubt(name, doubted[0], comma) if doubted else ""


def _signs(column: Words) -> np.ndarray:
    signs: np.ndarray = column.about("signs", lambda levels: np.array([sign_of(one) for one in levels], dtype=np.int64))
    return signs


def _in_doubt(name: str, text: str, comma: bool) -> str:
    """How a text was read, how else it could be, and how to write either without doubt.

    >>> _in_doubt("a", "1.234", True)
    "column 'a': '1.234' was read as 1234, and could be 1.234; write 1234 or 1,2340, which leave no doubt"
    """
    taken, other = (number(text, Style(comma=one)) for one in (comma, not comma))
    whole, decimal = THREE.sub(r"\1", text), THREE.sub(rf"{SIGNS[comma]}\g<1>0", text)
    return (
        f"column {name!r}: {text!r} was read as {taken:.15g}, and could be {other:.15g}; write {whole} or {decimal}, "
        "which leave no doubt"
    )


def _turned(column: Words) -> Words:
    """The same numbers with the other sign before decimals."""
    signs = _signs(column)
    written = [text.translate(TURNED) if sign else text for text, sign in zip(column.levels, signs, strict=True)]
    order = sorted(range(len(written)), key=written.__getitem__)
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order], place[-1] = np.arange(len(order)), -1
    return Words(tuple(written[code] for code in order), place[column.codes])
