"""Layer report: scales, ticks and the frame of a figure.

In: the smallest and largest value.  Out: positions in the drawing, ticks at round numbers with labels, and the frame
with its axes as `Markup`.  Values may be of any size; what is not finite is left out by whoever draws it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from surefit.page import number
from surefit.report.markup import Markup, tag

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
"""Ticks are apart by one of these times a power of ten."""

WIDTH, HEIGHT = 460, 300
SCALE = 1.12
"""How much larger than its own units a figure is drawn where there is room, so that all have letters of one size."""
LETTER = 6.4
"""Mean width of a letter of a tick label."""


@dataclass(frozen=True)
class Scale:
    """Where values lie between two positions of a drawing; in logarithms if ``log``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The position of a value, to a tenth of a pixel; values beyond the ends stay a little outside of them."""
        share = _share(value, self.low, self.high, self.log)
        return round(self.start + min(max(share, -0.02), 1.02) * (self.end - self.start), 1)

    def ticks(self) -> list[tuple[float, str]]:
        """Round values between the ends, and their labels."""
        if self.log:
            return _log_ticks(self.low, self.high)
        values = linear_ticks(self.low, self.high)
        return list(zip(values, tick_labels(values), strict=True))


def _share(value: float, low: float, high: float, log: bool) -> float:
    if log:
        value, low, high = (math.log10(one) if one > 0 else -330.0 for one in (value, low, high))
    half = high / 2 - low / 2  # halves: the difference itself may overflow
    return (value / 2 - low / 2) / half if half > 0 else 0.5


def spanned(
    values: Iterable[float], start: float, end: float, *, log: bool = False, room: float = 0.04
) -> Scale | None:
    """The scale from the smallest to the largest finite value, with some room around; None if there is no value.

    >>> spanned([1.0, 3.0, float("nan")], 0, 100, room=0.05)
    Scale(low=0.9, high=3.1, start=0, end=100, log=False)
    """
    known = [float(one) for one in values if math.isfinite(one) and (one > 0 or not log)]
    if not known:
        return None
    low, high = min(known), max(known)
    if log:
        factor = (high / low) ** room if high > low and high / low < 1e300 else 2.0
        return Scale(max(low / factor, 1e-320), min(high * factor, 1e308), start, end, True)
    extra = room * (high / 2 - low / 2) * 2 or abs(low) / 10 or 1.0
    return Scale(max(low - extra, -1e308), min(high + extra, 1e308), start, end)


def linear_ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """About so many round numbers from ``low`` to ``high``.

    >>> linear_ticks(0.0, 23.0), linear_ticks(-0.3, 0.4)
    ([0.0, 5.0, 10.0, 15.0, 20.0], [-0.2, 0.0, 0.2, 0.4])
    """
    raw = (high / wanted - low / wanted) or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    if power == 0 or not math.isfinite(power):
        return [low, high]
    step = next(step * power for step in STEPS if step * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if not last - first < 4 * wanted:
        return [low, high]
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def tick_labels(values: Sequence[float]) -> list[str]:
    """Labels with as many decimals as tell the ticks apart.

    >>> tick_labels([0.0, 0.25, 0.5]), tick_labels([0.0, 20000.0]), tick_labels([0.0, 2e-9])
    (['0', '0.25', '0.5'], ['0', '20,000'], ['0', '2e-09'])
    """
    largest = max(map(abs, values), default=0.0)
    if largest >= 1e6:
        units = [(1e6, " M"), (1e9, " G")] if largest < 1e12 else []
        for unit, sign in reversed(units):
            if largest >= unit:
                return [f"{number(one / unit, 5)}{sign}" if one else "0" for one in values]
    return [number(one, 6) if one else "0" for one in values]


def _log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Powers of ten, thinned out; with 2 and 5 between where there are few."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first >= 2:
        every = max(1, math.ceil((last - first + 1) / 7))
        return [(10.0**k, _power(k)) for k in range(first, last + 1) if k % every == 0]
    fine = [m * 10.0**k for k in range(first - 1, min(last + 2, 309)) for m in (1, 2, 5)]
    shown = [one for one in fine if low <= one <= high] or [low, high]
    return [(one, number(one, 3)) for one in shown]


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _power(k: int) -> str:
    """A power of ten as a label: small ones in full, others with an exponent.

    >>> _power(-2), _power(3), _power(-7)
    ('0.01', '1,000', '10⁻⁷')
    """
    return number(10.0**k) if -3 <= k <= 4 else "10" + str(k).translate(SUPERSCRIPTS)


@dataclass(frozen=True)
class Room:
    """The place for marks inside a figure: its four edges."""

    left: float = 80
    """Room for labels of eight letters and the title beside them."""
    right: float = WIDTH - 14
    top: float = 12
    bottom: float = HEIGHT - 46

    def across(self) -> tuple[float, float]:
        return self.left, self.right

    def up(self) -> tuple[float, float]:
        return self.bottom, self.top


def axes(room: Room, x: Scale, y: Scale | None, titles: tuple[str, str]) -> Markup:
    """Grid lines, ticks, labels and the titles of both axes; without ``y`` the vertical one has no ticks."""
    lines, labels = [], []
    for value, label in _spaced(x):
        place = x(value)
        lines.append(tag("path", d=f"M{place} {room.top}V{room.bottom}"))
        labels.append(tag("text", label, x=place, y=room.bottom + 16, text_anchor="middle"))
    for value, label in y.ticks() if y is not None else ():
        place = y(value)  # type: ignore[misc]
        lines.append(tag("path", d=f"M{room.left} {place}H{room.right}"))
        labels.append(tag("text", label, x=room.left - 7, y=round(place + 4, 1), text_anchor="end"))
    frame = tag("path", class_="axis", d=f"M{room.left} {room.top}V{room.bottom}H{room.right}")
    middle, height = (room.left + room.right) / 2, (room.top + room.bottom) / 2
    below = tag("text", titles[0], class_="title", x=middle, y=room.bottom + 36, text_anchor="middle")
    turned = f"translate(13 {height}) rotate(-90)"
    beside = tag("text", titles[1], class_="title", transform=turned, text_anchor="middle")
    return tag("g", tag("g", lines, class_="grid"), frame, tag("g", labels, class_="ticks"), below, beside)


def _spaced(scale: Scale) -> list[tuple[float, str]]:
    """Ticks of a horizontal axis, thinned out until no label touches its neighbour."""
    ticks = scale.ticks()
    while len(ticks) > 2 and any(
        abs(scale(b) - scale(a)) < LETTER * (len(one) + len(two)) / 2 + 6 for (a, one), (b, two) in pairwise(ticks)
    ):
        ticks = ticks[::2]
    return ticks


def figure(name: str, title: str, description: str, *inner: Markup, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Markup:
    """A drawing with a title and a description for those who do not see it; ``name`` is unique in the page."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", description, id=f"{name}-desc"),
        *inner,
        viewBox=f"0 0 {size[0]} {size[1]}",
        width=round(SCALE * size[0]),
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )
