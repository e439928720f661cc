"""Layer report: points, lines and bands of figures.

In: values and their scales.  Out: `Markup`.  Values that are not finite are left out; a line has a gap there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from surefit.report.figures.axes import Scale
from surefit.report.markup import Markup, tag

PATHS_OF_POINTS = 24
"""Points share this many paths: few enough to be small, enough for crowds of points to look darker than one."""


def _finite(xs: Iterable[float], ys: Iterable[float]) -> Iterator[tuple[float, float]]:
    return ((x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(x) and math.isfinite(y))


def points(x: Scale, y: Scale, xs: Sequence[float], ys: Sequence[float], kind: str = "points") -> Markup:
    """Dots, each a line of no length with round ends."""
    places = [f"M{x(a)} {y(b)}h0" for a, b in _finite(xs, ys)]
    paths = [places[k::PATHS_OF_POINTS] for k in range(PATHS_OF_POINTS)]
    return tag("g", [tag("path", d="".join(path)) for path in paths if path], class_=kind)


def line(x: Scale, y: Scale, xs: Sequence[float], ys: Sequence[float], kind: str = "line", **more: str) -> Markup:
    """A line through points in their order, broken where a value is not finite."""
    steps, pen = [], "M"
    for a, b in zip(xs, ys, strict=True):
        if math.isfinite(a) and math.isfinite(b):
            steps.append(f"{pen}{x(a)} {y(b)}")
            pen = "L"
        else:
            pen = "M"
    return tag("path", d="".join(steps), class_=kind, **more)


def band(x: Scale, y: Scale, xs: Sequence[float], lows: Sequence[float], highs: Sequence[float]) -> Markup | None:
    """The surface between two lines."""
    known = [k for k in range(len(xs)) if all(map(math.isfinite, (xs[k], lows[k], highs[k])))]
    if len(known) < 2:
        return None
    there = [f"{x(xs[k])} {y(highs[k])}" for k in known]
    back = [f"{x(xs[k])} {y(lows[k])}" for k in reversed(known)]
    return tag("path", d=f"M{'L'.join(there + back)}Z", class_="band")


def whiskers(x: Scale, y: Scale, xs: Sequence[float], lows: Sequence[float], highs: Sequence[float]) -> Markup:
    """Upright lines from low to high, with short ends."""
    known = [(x(a), y(b), y(c)) for a, b, c in zip(xs, lows, highs, strict=True) if all(map(math.isfinite, (a, b, c)))]
    path = "".join(f"M{a - 3:.1f} {b}h6M{a} {b}V{c}M{a - 3:.1f} {c}h6" for a, b, c in known)
    return tag("path", d=path, class_="whisker")


def upright(place: float, top: float, bottom: float, label: str, *, before: bool = False) -> Markup:
    """A dashed line at one position with a word beside it, on its left if ``before``."""
    shift, anchor = (-5, "end") if before else (5, "start")
    text = tag("text", label, x=round(place + shift, 1), y=top + 12, text_anchor=anchor, class_="note")
    return tag("g", tag("path", d=f"M{place} {top}V{bottom}", class_="chosen"), text)
