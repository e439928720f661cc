"""Layer study: how numbers and dates are written where a column alone does not say: what the columns beside it show.

In: a table, and the order of day and month if the user says one.  Out: for the texts of a column, the way in which its
numbers or dates are written, and a sentence of doubt where two ways remain.  Columns beside it are looked at only if
one is in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from surefit.study.encode.dates import DAY_OR_MONTH, date_format, dates, favoured, is_doubtful, separator_of
from surefit.study.encode.words import COMMA, POINT, Style, in_threes, sign_of, style_of
from surefit.study.tables.table import Table, Words

LOOKED_AT = 2000
"""Different texts of a column beside by which it is judged."""

ENOUGH = 3
"""Different texts with three digits behind the point, beside whole numbers below 1,000, from which there is doubt."""


class Beside:
    """The columns of one table as evidence for each other."""

    def __init__(self, table: Table | None = None, order: str | None = None):
        self._columns = [one for one in (() if table is None else table.columns) if isinstance(one, Words)]
        self._order = order

    @cached_property
    def comma(self) -> bool | None:
        """Whether columns have decimal commas; None if none shows its sign, or if they contradict each other."""
        signs: set[int] = set()
        for column in self._columns:
            texts = _some(column)
            if style_of(texts) is not None:
                signs.update(map(sign_of, texts))
        return COMMA in signs if (COMMA in signs) != (POINT in signs) else None

    @cached_property
    def orders(self) -> dict[str, set[str]]:
        """By the sign between parts of dates, the orders of day and month that columns leave no doubt of."""
        found: dict[str, set[str]] = {}
        for column in self._columns:
            texts = _some(column)
            form = date_format(texts)
            if form in DAY_OR_MONTH and not is_doubtful(texts, form):
                found.setdefault(separator_of(texts), set()).add(form)
        return found

    def style(self, texts: Sequence[str], decimal_comma: bool) -> tuple[Style | None, str]:
        """How numbers are written, and what is in doubt; see `style_of`.

        ``3.744`` is a number of thousands where every number with a point has three digits behind it, the others are
        whole and below 1,000, and the table has decimal commas, or semicolons and no decimal points.
        """
        style = style_of(texts, decimal_comma)
        pointed, whole = (0, 0) if style is None else in_threes(texts)
        if style is None or not pointed:
            return style, ""
        comma = decimal_comma if self.comma is None else self.comma
        sure = self.comma is not None or (whole > 0 if comma else whole == 0 or pointed < ENOUGH)
        example = next(text for text in texts if "." in text and in_threes([text])[0])
        return replace(style, comma=comma), "" if sure else _doubt_of(example, comma)

    def form(self, column: Words, texts: Sequence[str], form: str) -> tuple[str, str]:
        """The order of day and month, and what is in doubt, where ``form`` is a possible one."""
        if not is_doubtful(texts, form):
            return form, ""
        if self._order is not None:
            return self._order, ""
        rows = column.codes[column.codes >= 0]
        steps = np.diff(rows)
        by_text = bool(np.all(steps >= 0) or np.all(steps <= 0))
        found = favoured({one: dates(column.levels, one)[rows] for one in DAY_OR_MONTH}, by_text)
        shown = self.orders.get(separator_of(texts), set())
        if found is None and len(shown) == 1:
            (found,) = shown
        if found is not None:
            return found, ""
        at = [dates(texts, one) for one in DAY_OR_MONTH]
        k = int(np.flatnonzero(at[0] != at[1])[0])
        ways = [str(moments[k].astype("datetime64[D]")) for moments in (at if form == "dmy" else at[::-1])]
        return form, f"{texts[k]!r} was read as {ways[0]}, and could be {ways[1]}"


def _doubt_of(example: str, comma: bool) -> str:
    ways = [example.replace(".", "") if comma else example, example if comma else example.replace(".", "")]
    return f"{example!r} was read as {ways[0]}, and could be {ways[1]}"


def _some(column: Words) -> Sequence[str]:
    """At most so many of the levels, from all over."""
    return column.levels[:: max(1, len(column.levels) // LOOKED_AT)]


ALONE = Beside()
"""A column with none beside it."""
