"""Layer report: headings, tables, figures with captions, and notes to unfold.

In: texts and `Markup`.  Out: `Markup`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from surefit.report.markup import Markup, tag

LONG_TEXT = 300
"""Letters of one cell; names from tables may be of any length."""


def section(name: str, title: str, *inner: Any) -> Markup:
    """A part of the page with its heading; ``name`` is where links lead."""
    return tag("section", tag("h2", title, id=name), *inner, aria_labelledby=name)


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    numbers: Sequence[int] = (),
    marked: Sequence[int] = (),
) -> Markup:
    """A table whose first column names the rows; ``numbers`` are flush right, ``marked`` rows stand out."""
    kind = lambda k: "number" if k in numbers else None
    head = [tag("th", title, scope="col", class_=kind(k)) for k, title in enumerate(heads)]
    body = [
        tag("tr",
            tag("th", cut(row[0]), scope="row", class_=kind(0)),
            [tag("td", cut(cell), class_=kind(k)) for k, cell in enumerate(row[1:], 1)],
            class_="marked" if j in marked else None)
        for j, row in enumerate(rows)
    ]  # fmt: skip
    inner = tag("table", tag("caption", caption), tag("thead", tag("tr", head)), tag("tbody", body))
    return tag("div", inner, class_="wide", tabindex="0", role="region", aria_label=caption)


def cut(cell: Any) -> Any:
    """A text that is not longer than a cell should be."""
    if isinstance(cell, str) and not isinstance(cell, Markup) and len(cell) > LONG_TEXT:
        return f"{cell[:LONG_TEXT]}…"
    return cell


def drawn(drawing: Markup | None, caption: str) -> Markup | None:
    """A figure with its caption; None if nothing was drawn."""
    return None if drawing is None else tag("figure", drawing, tag("figcaption", caption))


def side_by_side(*inner: Markup | None) -> Markup | None:
    """Figures beside each other where there is room."""
    shown = [one for one in inner if one is not None]
    return tag("div", shown, class_="pair") if shown else None


def unfolded(title: str, *inner: Any) -> Markup:
    """A note that readers open if they want to know more."""
    return tag("details", tag("summary", title), *inner)


def facts(pairs: Iterable[tuple[str, Any]]) -> Markup:
    """Labels and values."""
    return tag("dl", [tag("div", tag("dt", label), tag("dd", cut(value))) for label, value in pairs if value != ""])


def some(names: Sequence[str], at_most: int = 12) -> str:
    """Names in a row; of very many the first.

    >>> some(["a", "b"]), some(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    shown = ", ".join(name if len(name) <= 60 else f"{name[:60]}…" for name in names[:at_most])
    return shown + (f" and {len(names) - at_most:,} more" if len(names) > at_most else "")
