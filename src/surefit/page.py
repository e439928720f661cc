"""Below all layers: how numbers, names and tables are written, for the terminal, the notebook and a data frame.

In: numbers and names.  Out: text of at most 80 columns, HTML in which every name is escaped, a pandas frame with full
names and full digits.  Numbers are written plainly, with commas between thousands; powers of ten only at the extremes.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from importlib import import_module
from typing import Any
from unicodedata import combining, east_asian_width

WIDTH = 80
SHOWN_NAME = 14
"""A name keeps at least this many columns before numbers lose digits."""
TEXT_ROWS, HTML_ROWS = 60, 1000
"""Longer tables are cut in the middle."""
SMALLEST, LARGEST = Decimal("1e-4"), Decimal("1e12")
"""Between these, a number is written without a power of ten."""
KEPT_VALUE = 22
"""Columns that a fact keeps for its value: enough for every number, which must not be shortened."""
ABSENT = "NA"

Fact = tuple[str, str]
"""Label and value."""


def number(value: float, digits: int = 4) -> str:
    """``value`` to so many significant digits, plainly written.

    >>> number(34567.8), number(1234.5678, 6), number(0.00123456), number(2.5e-9), number(float("nan"))
    ('34,570', '1,234.57', '0.001235', '2.5e-09', 'nan')
    """
    value = float(value)
    if not math.isfinite(value) or value == 0.0:
        return f"{value:g}"
    return written(Decimal(f"{value:.{digits - 1}e}"))


def written(rounded: Decimal) -> str:
    """All digits of a finite number that is rounded already, so that nothing is rounded a second time.

    >>> written(Decimal("3.457e4")), written(Decimal("0.0500")), written(Decimal("-1.2e15"))
    ('34,570', '0.05', '-1.2e+15')
    """
    plain = rounded.normalize()
    if plain == 0 or SMALLEST <= abs(plain) < LARGEST:
        return f"{plain:,f}"
    mantissa, exponent = f"{plain:e}".split("e")
    return f"{mantissa}e{int(exponent):+03d}"


def measured(value: float, error: float, room: int = 12) -> str:
    """``value`` to the third digit of its standard error if that fits in ``room``, else as many digits as fit.

    >>> measured(-3482258.63, 890420.38), measured(15.0618, 84.9), measured(1.23456e-9, 4.56e-10)
    ('-3,482,259', '15.1', '1.235e-09')
    """
    if math.isfinite(value) and 1e-5 <= error < math.inf:
        text = f"{value:,.{max(0, 2 - math.floor(math.log10(error)))}f}"
        if len(text) <= room:
            return text
    wanted = 7
    if math.isfinite(value) and value != 0 and 0 < error < math.inf:
        wanted = max(1, 3 + math.floor(math.log10(abs(value))) - math.floor(math.log10(error)))
    digits = range(min(wanted, room), 0, -1)
    texts = [*(number(value, k) for k in digits), *(f"{value:.{k}g}" for k in digits)]
    return next((text for text in texts if len(text) <= room), texts[-1])


def share(value: float) -> str:
    """A share of at most one, such as R2: six digits, and never 1 unless it is.

    >>> share(0.5), share(0.9999999), share(1e-5)
    ('0.500000', '>0.999999', '1e-05')
    """
    if 1 - 5e-7 < value < 1:
        return ">0.999999"
    return f"{value:.6f}" if 1e-3 <= abs(value) < 1e6 else f"{value:.3g}"


def p_value(p: float) -> str:
    """Four digits behind the point, and never 0.

    >>> p_value(0.01234), p_value(1e-9)
    ('0.0123', '<0.0001')
    """
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def ratio(t: float) -> str:
    """A test statistic: three digits behind the point as long as they say something.

    >>> ratio(1.23456), ratio(-12345.678), ratio(1e9)
    ('1.235', '-12,345.7', '1e+09')
    """
    if not abs(t) < 1e6:
        return f"{t:.3g}"
    return f"{t:.3f}" if abs(t) < 1000 else f"{t:,.1f}"


def listed(names: Sequence[str], at_most: int = 20) -> str:
    """Names in quotes; of very many the first, and how many more there are.

    >>> listed(["a", "b"]), listed(["a", "b", "c"], at_most=2)
    ("'a', 'b'", "'a', 'b' and 1 more")
    """
    more = len(names) - at_most
    return ", ".join(map(repr, names[:at_most])) + (f" and {more} more" if more > 0 else "")


def columns_of(text: str) -> int:
    """Terminal columns of ``text``: wide characters take two, combining ones none."""
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def shortened(text: str, width: int, kept: int | None = None) -> str:
    """``text`` on one line in at most ``width`` columns, its middle replaced by an ellipsis if it is longer.

    Its first ``kept`` columns stay, half of them if that is not said.

    >>> shortened("average_number_of_rooms", 11), shortened("average_number_of_rooms", 11, 7)
    ('avera…rooms', 'average…oms')
    """
    text = " ".join(text.split())
    if columns_of(text) <= width:
        return text
    head = _begun(text, width // 2 if kept is None else kept)
    tail = _begun(text[: len(head) - 1 : -1] if head else text[::-1], width - 1 - columns_of(head))
    return f"{head}…{tail[::-1]}"


def _begun(text: str, width: int) -> str:
    """As much of the beginning of ``text`` as fits in ``width`` columns; of a long text only that much is looked at."""
    reached = 0
    for k, sign in enumerate(text):
        reached += columns_of(sign)
        if reached > width:
            return text[:k]
    return text


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Names `shortened` to ``width`` columns; different names stay different.

    Those that would become equal are cut elsewhere, or lose what they begin with in common; at worst they are numbered
    by their row.

    >>> told_apart(["total_day_minutes", "total_eve_minutes", "age"], 9)
    ['…day_min…', '…eve_min…', 'age']
    """
    texts = [" ".join(name.split()) for name in names]
    found = {text: shortened(text, width) for text in texts}
    for short in [one for one, count in Counter(found.values()).items() if count > 1]:
        alike = [text for text in found if found[text] == short != text]
        taken = {found[text] for text in found if text not in alike}
        found |= next(
            (dict(zip(alike, cut, strict=True)) for cut in _cuts(alike, width)
             if len(set(cut)) == len(alike) and taken.isdisjoint(cut)),
            {text: _numbered(text, texts.index(text) + 1, width, taken) for text in alike},
        )  # fmt: skip
    return [found[text] for text in texts]


def _cuts(texts: Sequence[str], width: int) -> Iterator[list[str]]:
    """Ways to shorten texts that the usual cut makes equal, the best first."""
    middle = sorted(range(width), key=lambda kept: abs(kept - width // 2))
    wide = [kept for kept in middle if 2 <= kept <= width - 3]
    begun = next((k for k, signs in enumerate(zip(*texts, strict=False)) if len(set(signs)) > 1), 0)
    for kept in wide:
        yield [shortened(text, width, kept) for text in texts]
    if begun:
        yield [shortened(f"…{text[begun:]}", width, width - 1) for text in texts]
    for kept in middle:
        yield [shortened(text, width, kept) for text in texts]


def _numbered(text: str, row: int, width: int, taken: Collection[str]) -> str:
    """``text`` shortened, with the number of its row behind as many signs as it takes to be no other name."""
    marks = (f"{'#' * count}{row}" for count in range(1, len(taken) + 2))
    return next(short for mark in marks if (short := shortened(text, width - len(mark)) + mark) not in taken)


def filled(left: str, right: str, width: int) -> str:
    """``left`` and ``right`` at the two edges of ``width`` columns."""
    return left + " " * (width - columns_of(left) - columns_of(right)) + right


def wrapped(text: str, mark: str = "") -> list[str]:
    """Lines of at most 80 columns; the first begins with ``mark``, the others are indented by as much.

    A number and its per cent sign stay together.
    """
    blank, together = " " * len(mark), " ".join(text.split()).replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(together, WIDTH, initial_indent=mark, subsequent_indent=blank)
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]


@dataclass(frozen=True)
class Table:
    """Rows of texts: a name each, and ``cells(row, room)``, in which a number takes at most about ``room`` columns.

    ``corner`` is the title above the names; ``rows`` are shown at most, the middle left out; ``rest`` says where the
    others can be found.
    """

    names: Sequence[str]
    titles: Sequence[str]
    cells: Callable[[int, int], list[str]]
    corner: str = ""
    rows: int = TEXT_ROWS
    rest: str = "to_frame() has all"

    def lines(self) -> list[str]:
        """The table as text, numbers flush right."""
        first, last = _visible(len(self.names), self.rows)
        shown = [self.names[j] for j in first + last]
        wanted = max((columns_of(" ".join(name.split())) for name in (self.corner, *shown)), default=0)
        for room in (12, 11, 10, 9):  # numbers give up digits before names give up their last columns
            rows = [list(self.titles), *(self.cells(j, room) for j in first + last)]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            left_over = WIDTH - sum(widths) - 2 * len(widths)
            if left_over >= min(wanted, SHOWN_NAME):
                break
        name_width = max(min(wanted, left_over), 1)
        lines = [
            filled(name, "", name_width)
            + "".join(f"  {cell:>{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
            for name, row in zip(
                [shortened(self.corner, name_width), *told_apart(shown, name_width)], rows, strict=True
            )
        ]
        if last:
            lines.insert(1 + len(first), f"... {len(self.names) - len(first) - len(last)} more; {self.rest} ...")
        return lines

    def html(self) -> str:
        """The table for a notebook, names in full."""
        first, last = _visible(len(self.names), HTML_ROWS if self.rows >= TEXT_ROWS else self.rows)
        head = "".join(f"<th style='{CELL}'>{escape(name)}</th>" for name in (self.corner, *self.titles))
        body = [
            f"<tr><th style='{NAME_CELL}'>{escape(self.names[j])}</th>" + _row(self.cells(j, 12)) + "</tr>"
            for j in first + last
        ]
        if last:
            hidden = len(self.names) - len(first) - len(last)
            body.insert(
                len(first), f"<tr><td colspan='{1 + len(self.titles)}'>{hidden} more; {escape(self.rest)}</td></tr>"
            )
        return (
            "<table style='border-collapse:collapse;margin-top:6px;border-top:1px solid;border-bottom:1px solid'>"
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        )


CELL = "padding:2px 10px;text-align:right;border:none"
NAME_CELL = CELL.replace("right", "left")


@dataclass(frozen=True)
class Page:
    """A title, facts in two columns, a table, and notes in plain sentences; as text or HTML."""

    title: str
    facts: Sequence[Fact]
    table: Table
    notes: Sequence[str] = ()

    def text(self) -> str:
        half, rule = WIDTH // 2 - 2, "-" * WIDTH
        header = [
            f"{_fact_line(*a, half)}    {_fact_line(*b, half)}".rstrip() for a, b in zip(*self._halves(), strict=True)
        ]
        body = [*header, rule] if header else []
        body += [*self.table.lines(), rule]
        for note in self.notes:
            body += wrapped(note, "* ")
        return "\n".join([shortened(self.title, WIDTH), "=" * WIDTH, *body])

    def html(self) -> str:
        facts = "".join(f"<tr>{_row((*a, *b))}</tr>" for a, b in zip(*self._halves(), strict=True))
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            "<div style='font-size:90%'><table style='border-collapse:collapse'>"
            f"<caption style='text-align:left;font-weight:bold'>{escape(self.title)}</caption>{facts}</table>"
            f"{self.table.html()}<ul style='margin:6px 0'>{notes}</ul></div>"
        )

    def _halves(self) -> tuple[list[Fact], list[Fact]]:
        facts = list(self.facts)
        middle = (len(facts) + 1) // 2
        return facts[:middle], facts[middle:] + [("", "")] * (len(facts) % 2)


class Readable:
    """Anything that is read as a table: it prints, renders in a notebook, and becomes a data frame."""

    def _page(self) -> Page:
        raise NotImplementedError

    def _columns(self) -> tuple[Mapping[str, Any], Any, str]:
        """Columns, index and the name of the index of the data frame."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self._page().text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._page().html()

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame, with full names and full digits."""
        return frame(*self._columns())


def frame(columns: Mapping[str, Any], index: Any, name: str) -> Any:
    """A pandas DataFrame; an error that says what to do where pandas, which is optional, is missing."""
    try:
        pd = import_module("pandas")
    except ImportError as missing:
        raise ImportError(
            "to_frame needs pandas, which is not installed; pip install pandas, or take the numbers from the "
            "attributes or from as_dict() where there is one"
        ) from missing
    return pd.DataFrame(dict(columns), index=pd.Index(index, name=name))


def _visible(n_rows: int, limit: int) -> tuple[list[int], list[int]]:
    """First and last row numbers to show, all of them first if they fit."""
    if n_rows <= limit:
        return list(range(n_rows)), []
    end = min(10, limit // 2)
    return list(range(limit - end)), list(range(n_rows - end, n_rows))


def _fact_line(label: str, value: str, width: int) -> str:
    label = shortened(label, width - 2 - min(columns_of(value), KEPT_VALUE))
    return filled(label, shortened(value, width - columns_of(label) - 2), width)


def _row(cells: Sequence[str]) -> str:
    return "".join(f"<td style='{CELL}'>{escape(x)}</td>" for x in cells)
