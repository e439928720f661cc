"""Layer study: numbers and missing values as people write them.

In: the different texts of a column.  Out: a number for each (nan where it says that there is none), or None if the
column holds something else.  The way to write numbers is decided for a column as a whole: `1,234` is a thousand and
more beside `1,234,567.8`, and one and a bit beside `0,5`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from surefit.data.written import PLAIN, WITH_COMMA, WITH_POINT, are_codes, bare, is_null

GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?P<by>[.,])\d{3}((?P=by)\d{3})*")
BELOW_THOUSAND = re.compile(r"[+-]?\d{1,3}")


TRUTHS = ("true", "false")


@dataclass(frozen=True)
class Style:
    """How the numbers of a column are written: the sign before decimals, and whether a per cent sign follows."""

    comma: bool = False
    per_cent: bool = False

    def __str__(self) -> str:
        words = [", with a decimal comma" if self.comma else "", ", in per cent" if self.per_cent else ""]
        return "numbers" + "".join(words)


def known_as(texts: Sequence[str], known: Collection[str]) -> list[str]:
    """Every text as the level that it stands for: truth values are one however files and frames spell them.

    >>> known_as(["TRUE", "False", "yes"], ["True", "False"])
    ['True', 'False', 'yes']
    """
    truths = {level.lower(): level for level in known if level.lower() in TRUTHS}
    return [text if text in known else truths.get(text.lower(), text) for text in texts]


def style_of(texts: Sequence[str], prefer_comma: bool = False) -> Style | None:
    """How all these texts are numbers, nulls aside; None if one is not, if there are none, or if they are codes.

    ``prefer_comma`` decides where both a decimal point and a decimal comma would do, as in ``1,234``.

    >>> style_of(["1'234,5", "-", "(432)"]), style_of(["12 %"]), style_of(["007", "012"]), style_of(["7", "red"])
    (Style(comma=True, per_cent=False), Style(comma=False, per_cent=True), None, None)
    """
    known = [text for text in texts if not is_null(text, among_numbers=True)]
    if not known or are_codes(known):
        return None
    if all(map(PLAIN.fullmatch, known)):
        return Style()
    shorn = [bare(text) for text in known]
    if not all(any(map(str.isdigit, text)) for text in shorn):
        return None
    per_cent = all(text.rstrip().endswith("%") for text in known)
    if "%" in "".join(known) and not per_cent:
        return None
    ways = {comma for comma, way in ((False, WITH_POINT), (True, WITH_COMMA)) if all(map(way.fullmatch, shorn))}
    if not ways:
        return None
    return Style(prefer_comma if len(ways) == 2 else ways.pop(), per_cent)


def in_threes(texts: Sequence[str]) -> tuple[int, int]:
    """Texts that are numbers with points between thousands, or with three decimals, and whole ones below 1,000.

    None of either if a text is something else, nulls aside, and can mean one thing only.

    >>> in_threes(["3.744", "389", "NA"]), in_threes(["3.744", "0.5"]), in_threes(["3,744", "389"])
    ((1, 1), (0, 0), (0, 0))
    """
    pointed = whole = 0
    for text in texts:
        if is_null(text, among_numbers=True):
            continue
        shorn = bare(text)
        found = GROUPED.fullmatch(shorn)
        if found is not None and found["by"] == ".":
            pointed += 1
        elif BELOW_THOUSAND.fullmatch(shorn):
            whole += 1
        else:
            return 0, 0
    return pointed, whole


NEITHER, POINT, COMMA, EITHER = range(4)
"""Which sign before decimals a text shows."""


def sign_of(text: str) -> int:
    """The only sign before decimals with which a text is a number; `EITHER` if both do, `NEITHER` if it has none.

    >>> [sign_of(text) for text in ("0.5", "0,5", "1.234", "12", "red")] == [POINT, COMMA, EITHER, NEITHER, NEITHER]
    True
    """
    if "," not in text and "." not in text:
        return NEITHER
    shorn = bare(text)
    if not any(map(str.isdigit, shorn)):
        return NEITHER
    return POINT * bool(WITH_POINT.fullmatch(shorn)) + COMMA * bool(WITH_COMMA.fullmatch(shorn))


def number(text: str, style: Style) -> float:
    """The number that a text is in a column of that style; nan if it is none.

    >>> number("(1'234,5)", Style(comma=True)), number("$ 1,000", Style()), number("red", Style())
    (-1234.5, 1000.0, nan)
    """
    if is_null(text, among_numbers=True):
        return np.nan
    if not style.comma and PLAIN.fullmatch(text):
        return float(text)
    shorn = bare(text)
    if not (WITH_COMMA if style.comma else WITH_POINT).fullmatch(shorn) or not any(map(str.isdigit, shorn)):
        return np.nan
    shorn = shorn.replace(" ", "").replace("'", "")
    shorn = shorn.replace(".", "").replace(",", ".") if style.comma else shorn.replace(",", "")
    return float(shorn)


def numbers(texts: Sequence[str], style: Style) -> np.ndarray:
    """`number` of each text."""
    return np.array([number(text, style) for text in texts], dtype=np.float64)
