"""Layer data: numbers and missing values as people write them, text by text.

In: the different texts of a column.  Out: whether each is a number, with whatever separators, currency or per cent, or
says that there is none; and whether words of a column were meant as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

NULLS = frozenset(
    ("", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "nil", "#null!", "#value!", "#div/0!")
)
"""Texts, in small letters, that mean a missing value in any column."""

NULLS_AMONG_NUMBERS = NULLS.union(
    (
        "-",
        "--",
        "---",
        "\N{EN DASH}",
        "\N{EM DASH}",
        ".",
        "..",
        "...",
        "?",
        "*",
        "none",
        "missing",
        "unknown",
        "no data",
    ),
    ("not available", "not applicable", "n.a.", "k.a.", "nd", "tbd", "#ref!", "#num!", "#name?"),
)
"""Texts that mean it among numbers or dates; in a column of words they are words."""

SPACES = "\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}\N{FIGURE SPACE}"
CURRENCIES = "$\N{EURO SIGN}\N{POUND SIGN}\N{YEN SIGN}\N{INDIAN RUPEE SIGN}\N{WON SIGN}"
UNIFORM = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{RIGHT SINGLE QUOTATION MARK}": "'",
                         **dict.fromkeys(SPACES, " "), **dict.fromkeys(CURRENCIES, "")})  # fmt: skip

PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
WITH_POINT = re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(?P<by>[,' ])\d{3}((?P=by)\d{3})*)?(\.\d*)?([eE][+-]?\d+)?")
WITH_COMMA = re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(?P<by>[.' ])\d{3}((?P=by)\d{3})*)?(,\d*)?([eE][+-]?\d+)?")
CODE = re.compile(r"0\d+")

MEANT, SEVERAL = 0.95, 20
"""Share of the rows with a value that must be numbers, and different numbers from which on such a column is one of
numbers also with a few words among them, or if its texts are all plain."""


def is_null(text: str, among_numbers: bool = False) -> bool:
    """Whether a text means that there is no value.

    >>> is_null("N/A"), is_null("?"), is_null("?", among_numbers=True)
    (True, False, True)
    """
    return text.strip().casefold() in (NULLS_AMONG_NUMBERS if among_numbers else NULLS)


def meant_as_number(rows: Mapping[str, int]) -> str | None:
    """A text for whose sake a column of numbers is one of words; None if it is a column of words, or of codes.

    ``rows``: how many rows have each text.

    >>> meant_as_number({"1,000": 2, "500": 1}), meant_as_number({"red": 2, "7": 1}), meant_as_number({"1": 9, "2": 4})
    ('1,000', None, None)
    """
    known = {text: count for text, count in rows.items() if not is_null(text, among_numbers=True)}
    found = [text for text in known if is_number(text)]
    if not found or are_codes(found) or sum(known[text] for text in found) < MEANT * sum(known.values()):
        return None
    odd = [text for text in rows if text and not PLAIN.fullmatch(text)]
    if len(found) < SEVERAL and (len(found) < len(known) or not odd):
        return None
    return next((text for text in odd if not is_number(text)), odd[0] if odd else found[0])


def is_number(text: str) -> bool:
    """Whether a text by itself is a number, in any way of writing.

    >>> [is_number(text) for text in ("1'234,5", "$5", "5 %", "(432)", "1.2.2024", "red", "-")]
    [True, True, True, True, False, False, False]
    """
    if PLAIN.fullmatch(text):
        return True
    text = bare(text)
    ways = WITH_POINT.fullmatch(text), WITH_COMMA.fullmatch(text)
    return any(ways) and any(map(str.isdigit, text))


def bare(text: str) -> str:
    """Digits, separators and a sign in front: without currency, per cent, brackets and signs behind."""
    text = text.translate(UNIFORM).strip().removesuffix("%").strip()
    if text.startswith("(") and text.endswith(")"):
        return "-" + text[1:-1].strip()
    if text.endswith("-") and len(text) > 1:
        return "-" + text[:-1].strip()
    return text[:1] + text[1:].lstrip() if text[:1] in "+-" else text


def are_codes(texts: Sequence[str]) -> bool:
    """Digits of one length of which some begin with zero, such as postal codes: names, not quantities."""
    return len({len(text) for text in texts}) == 1 and all(map(str.isdigit, texts)) and any(map(CODE.fullmatch, texts))
