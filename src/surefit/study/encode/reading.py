"""Layer study: a table whose numbers are written in another way than those of the fit is read as it is written.

In: the kinds of the columns of a fit, and a table, whole or in blocks.  Out: the same table with numbers written as the
fit had them.  Every column says by its own texts whether it has a decimal point or a decimal comma.  Where all of them
could be either (``1,234``), the other columns and the kind of the file decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from surefit.study.encode.kinds import NUMBER, Kind
from surefit.study.encode.words import COMMA, EITHER, NEITHER, POINT, sign_of
from surefit.study.tables.table import Table, TableError, Words

TURNED = str.maketrans(",.", ".,")


class Reading:
    """Reads the blocks of one table in turn; what a block shows holds for the blocks after it.

    ``kinds`` are those of the fit by name, ``decimal_comma`` is what the file of the fit would have been taken for.
    """

    def __init__(self, kinds: Mapping[str, Kind], decimal_comma: bool | None = None):
        self._fitted = {name: kind.style.comma for name, kind in kinds.items() if kind.kind == NUMBER}
        self._decimal_comma = decimal_comma
        self._rows = {name: np.zeros(4, dtype=np.int64) for name in self._fitted}
        """Rows so far by the sign that they show."""
        self._used: dict[str, bool] = {}

    def __call__(self, table: Table) -> Table:
        """The next block, with numbers written as the fit had them; refused if it contradicts the blocks before it."""
        columns = {name: table[name] for name in self._fitted if name in table}
        texts = {name: column for name, column in columns.items() if isinstance(column, Words)}
        for name, column in texts.items():
            self._rows[name] += np.bincount(_signs(column)[column.codes[column.codes >= 0]], minlength=4)
        for name, column in texts.items():
            self._decide(name, column, table)
        turned = {name: _turned(column) for name, column in texts.items() if self._other_way(name)}
        own = tuple(turned.get(name, column) for name, column in zip(table.names, table.columns, strict=True))
        return replace(table, columns=own, decimal_comma=None)

    def _other_way(self, name: str) -> bool:
        return self._used.get(name, self._fitted[name]) != self._fitted[name]

    def _decide(self, name: str, column: Words, table: Table) -> None:
        rows = self._rows[name]
        if not np.any(rows[NEITHER + 1 :]):
            return
        if rows[POINT] != rows[COMMA]:
            comma = bool(rows[COMMA] > rows[POINT])
        elif name in self._used:
            return
        else:
            comma = self._by_others(name, column, table.decimal_comma)
        if self._used.setdefault(name, comma) != comma:
            signs = ("point", "comma")
            raise TableError(
                f"{table.source}: column {name!r} was read with a decimal {signs[not comma]}, and later rows have a "
                f"decimal {signs[comma]}; write all of its numbers in one way"
            )

    def _by_others(self, name: str, column: Words, preferred: bool | None) -> bool:
        """Whether a column that could be either has a decimal comma; ``preferred`` is what its file is taken for."""
        fitted = self._fitted[name]
        ways = {one: bool(rows[COMMA] > rows[POINT]) for one, rows in self._rows.items() if rows[COMMA] != rows[POINT]}
        if ways and all(way != fitted and way != self._fitted[one] for one, way in ways.items()):
            return not fitted  # the whole table is written in the other way
        if fitted in ways.values() or preferred is None or preferred in (fitted, self._decimal_comma):
            return fitted
        signs = _signs(column)
        return preferred and any("," in text and signs[code] == EITHER for code, text in enumerate(column.levels))


def _signs(column: Words) -> np.ndarray:
    signs: np.ndarray = column.about("signs", lambda levels: np.array([sign_of(one) for one in levels], dtype=np.int64))
    return signs


def _turned(column: Words) -> Words:
    """The same numbers with the other sign before decimals."""
    signs = _signs(column)
    written = [text.translate(TURNED) if sign else text for text, sign in zip(column.levels, signs, strict=True)]
    order = sorted(range(len(written)), key=written.__getitem__)
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order], place[-1] = np.arange(len(order)), -1
    return Words(tuple(written[code] for code in order), place[column.codes])
