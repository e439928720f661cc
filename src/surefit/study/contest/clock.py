"""Layer study: a budget of time, and how work inside it is told to stop.

In: seconds.  Out: how many are left; `OutOfTime`, which the progress of a loop raises once its time is over.  A single
large product cannot be stopped, so that work is also planned: what would not fit is not begun.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from surefit.progress import Progress, reporting

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
EVERY = 0.1
"""Seconds between looks at the clock."""


class OutOfTime(Exception):
    """The time for a piece of work is over."""


def seconds_of(budget: str | float | None) -> float:
    """A budget as people write it, in seconds; no budget is infinity.

    >>> seconds_of("2m"), seconds_of("1.5h"), seconds_of(90), seconds_of(None)
    (120.0, 5400.0, 90.0, inf)
    """
    if budget is None:
        return math.inf
    found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([a-z]*)\s*", str(budget).lower())
    if found is None or found[2] not in UNITS or float(found[1]) <= 0:
        raise ValueError(f"a budget is a time such as 30s, 2m or 1h, got {budget!r}")
    return float(found[1]) * UNITS[found[2]]


@dataclass
class Clock:
    """Counts from its making, or from ``start`` on the same scale as ``time.perf_counter``."""

    budget: float = math.inf
    start: float = field(default_factory=time.perf_counter)
    say: Callable[[str], None] = lambda text: None
    """Takes the line that says what runs."""
    last: Progress | None = None
    """Where the loop stood that was looked at last."""

    @property
    def spent(self) -> float:
        return time.perf_counter() - self.start

    @property
    def left(self) -> float:
        return self.budget - self.spent

    @contextmanager
    def limited(self, title: str, seconds: float) -> Iterator[None]:
        """Work that is to stop with `OutOfTime` after so many seconds, as far as its loops look at the clock."""
        end = time.perf_counter() + seconds
        self.last = None
        self.say(title)

        def look(now: Progress) -> None:
            self.last = now
            self.say(f"{title}, {now.short}")
            if time.perf_counter() > end:
                raise OutOfTime(title)

        with reporting(look, after=0.0, every=EVERY):
            yield
