"""Layer study: what was noticed and what would help, as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass

NAN = math.nan


@dataclass(frozen=True)
class Check:
    """One finding about the table or the fit."""

    code: str
    """``SF101`` and so on."""
    kind: str
    """``issue`` (the result may not be what it seems) or ``tip`` (it could be better)."""
    title: str
    """A few words."""
    sentence: str
    """What was found, in plain words."""
    evidence: str
    """The number that decided, with its meaning."""
    value: float
    """That number alone."""
    level: float
    """Probability that the check speaks up without a cause; nan where it reports a fact and no test."""
    remedy: str
    """What to do."""
    columns: tuple[str, ...] = ()
    """Columns that it is about."""
    page: str = ""
    """Section of the documentation, such as ``docs/checks.md#sf101``."""


@dataclass(frozen=True)
class Checks:
    """All checks: what they found, and which found nothing."""

    found: tuple[Check, ...]
    """Issues first, then tips."""
    passed: tuple[tuple[str, str], ...]
    """Codes and titles of checks that found nothing."""
    ignored: tuple[str, ...] = ()
    """Codes that were asked to be silent."""


@dataclass(frozen=True)
class Advice:
    """Something that would most likely help."""

    title: str
    """A few words, such as ``more rows``."""
    sentence: str
    """Why, and what to do."""
    gain: float = NAN
    """Expected share by which the score would fall; nan where it is not known."""
