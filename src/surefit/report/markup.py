"""Layer report: HTML and SVG in which everything is escaped unless it was made here.

In: names of elements, attributes, texts.  Out: `Markup`.  Texts of a table (names of columns, levels, paths) can only
enter through `tag`, which escapes them, so that a column called ``<script>`` is a name and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any

UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")
"""What may not stand in a document, and signs that would turn the text around them."""

EMPTY_ELEMENTS = frozenset(("br", "hr", "meta"))


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def clean(text: Any) -> str:
    """``text`` without signs that no document may hold; a mark stands in their place.

    >>> clean("a\\x00b")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", str(text))


def tag(name: str, /, *inner: Any, **attributes: Any) -> Markup:
    """An element: ``inner`` are texts, `Markup`, or several of them; what is None is left out.

    A trailing underscore of an attribute is dropped (``class_``), others become hyphens (``aria_label``).

    >>> print(tag("p", "1 < 2", tag("b", "!"), class_="x & y"))
    <p class="x &amp; y">1 &lt; 2<b>!</b></p>
    """
    shown = "".join(f' {_name(key)}="{escape(clean(value))}"' for key, value in attributes.items() if value is not None)
    if name in EMPTY_ELEMENTS:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{joined(inner)}</{name}>")


def joined(inner: Any) -> Markup:
    """Texts and `Markup`, one after the other."""
    if inner is None:
        return Markup("")
    if isinstance(inner, Markup):
        return inner
    if isinstance(inner, Iterable) and not isinstance(inner, str):
        return Markup("".join(joined(one) for one in inner))
    return Markup(escape(clean(inner), quote=False))


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
