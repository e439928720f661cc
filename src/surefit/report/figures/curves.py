"""Layer report: curves: the criterion and the coefficients along the penalty, the error along the rows, calibration.

In: records of a study.  Out: figures, or None where there is nothing to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefit.page import number, shortened
from surefit.report.figures.axes import HEIGHT, WIDTH, Room, Scale, axes, figure, spanned
from surefit.report.figures.marks import band, line, points, upright, whiskers
from surefit.report.markup import Markup, joined, tag
from surefit.study.records.board import CoefficientPath, Curve
from surefit.study.records.winner import LearningCurve, Reliability

LINE_HEIGHT = 14
SERIES = 6
"""Colours of lines; the next as many lines are dashed."""


def criterion_curve(curve: Curve, name: str = "criterion") -> Markup | None:
    """The criterion along the penalty, and which was chosen."""
    room = Room()
    x, y = _scale_of_lams(curve.lams, room), spanned(_with_errors(curve.values, curve.errors), *room.up())
    if x is None or y is None or len(curve.lams) < 2:
        return None
    lows = [value - error for value, error in zip(curve.values, curve.errors, strict=True)]
    highs = [value + error for value, error in zip(curve.values, curve.errors, strict=True)]
    described = (
        f"The {curve.criterion} along the penalty lam, from {number(min(curve.lams), 2)} to "
        f"{number(max(curve.lams), 2)}. Its smallest value is {number(min(_known(curve.values)), 4)}; "
        f"lam = {number(curve.chosen, 3)} was chosen."
    )
    inner = [
        axes(room, x, y, ("penalty lam (more to the left)", shortened(curve.criterion, 44))),
        band(x, y, curve.lams, lows, highs),
        line(x, y, curve.lams, curve.values),
        points(x, y, curve.lams, curve.values, "dots") if len(curve.lams) <= 40 else None,
        _chosen(x, curve.chosen, room),
    ]
    return figure(name, f"{curve.criterion} along the penalty", described, *(one for one in inner if one is not None))


def _chosen(x: Scale, lam: float, room: Room) -> Markup | None:
    if not (math.isfinite(lam) and lam > 0):
        return None
    return upright(x(lam), room.top, room.bottom, "chosen", before=x(lam) > (room.left + room.right) / 2)


def _scale_of_lams(lams: Sequence[float], room: Room) -> Scale | None:
    """Penalties from large on the left to small on the right, in logarithms."""
    return spanned(lams, room.right, room.left, log=True, room=0.02)


def _known(values: Sequence[float]) -> list[float]:
    return [one for one in values if math.isfinite(one)] or [math.nan]


def _with_errors(values: Sequence[float], errors: Sequence[float]) -> list[float]:
    found = list(values)
    for value, error in zip(values, errors, strict=True):
        if math.isfinite(error):
            found += [value - error, value + error]
    return found


def coefficient_path(path: CoefficientPath) -> Markup | None:
    """Coefficients along the penalty, each line with its name at its end."""
    room = Room(right=WIDTH + 40)
    every = [value for row in path.values for value in row]
    x, y = _scale_of_lams(path.lams, room), spanned([0.0, *every], *room.up())
    if x is None or y is None or len(path.lams) < 2 or not path.names:
        return None
    lines, wanted = [], []
    for k, row in enumerate(path.values):
        lines.append(
            line(x, y, path.lams, row, f"line s{k % SERIES}", stroke_dasharray="5 3" if k >= SERIES else "none")
        )
        last = [value for value in row if math.isfinite(value)][-1:] or [0.0]
        wanted.append(y(last[0]))
    places = spread(wanted, LINE_HEIGHT, room.top + 4, room.bottom)
    labels = [_label(name, room.right, (wanted[k], places[k]), k % SERIES) for k, name in enumerate(path.names)]
    zero = line(x, y, [x.low, x.high], [0.0, 0.0], "reference")
    described = (
        f"Coefficients of {len(path.names)} features along the penalty lam, which falls from left to right; "
        f"lam = {number(path.chosen, 3)} was chosen. The largest belong to {', '.join(path.names[:3])}."
    )
    titles = ("penalty lam (more to the left)", "effect of one standard deviation")
    inner = [axes(room, x, y, titles), zero, *lines, _chosen(x, path.chosen, room), *labels]
    drawn = [one for one in inner if one is not None]
    return figure("path", "Coefficients along the penalty", described, *drawn, size=(WIDTH + 210, HEIGHT))


def _label(name: str, edge: float, places: tuple[float, float], colour: int) -> Markup:
    """The name of a line, near its end, with a short line that leads there."""
    lead = tag("path", d=f"M{edge + 2} {places[0]}L{edge + 10} {round(places[1], 1)}", class_=f"lead s{colour}")
    text = tag("text", shortened(name, 24), x=edge + 13, y=round(places[1] + 4, 1), class_=f"label s{colour}")
    return tag("g", lead, text)


def spread(wanted: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, in the same order, at least ``apart``, between ``low`` and ``high`` if they fit.

    >>> spread([50.0, 51.0, 90.0], 14, 0, 100)
    [50.0, 64.0, 90.0]
    """
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    places, reached = [0.0] * len(wanted), low - apart
    for k in order:
        places[k] = reached = max(wanted[k], reached + apart)
    limit = max(high, low + apart * (len(wanted) - 1)) + apart
    for k in reversed(order):
        places[k] = limit = min(places[k], limit - apart)
    return places


def learning_curve(curve: LearningCurve, score: str) -> Markup | None:
    """The error along the number of training rows, and what the curve expects with twice as many."""
    room = Room()
    doubled = [2.0 * curve.n_rows[-1]] if curve.n_rows and math.isfinite(curve.at_double) else []
    expected = [curve.at_double] if doubled else []
    x = spanned([*curve.n_rows, *doubled], *room.across(), log=True, room=0.05)
    y = spanned([*_with_errors(curve.scores, curve.errors), *expected], *room.up(), room=0.08)
    if x is None or y is None or len(curve.n_rows) < 2:
        return None
    rows = [float(one) for one in curve.n_rows]
    lows = [value - error for value, error in zip(curve.scores, curve.errors, strict=True)]
    highs = [value + error for value, error in zip(curve.scores, curve.errors, strict=True)]
    inner = [
        axes(room, x, y, ("training rows", shortened(score, 44))),
        line(x, y, [rows[-1], *doubled], [curve.scores[-1], *expected], "reference"),
        whiskers(x, y, rows, lows, highs),
        line(x, y, rows, curve.scores),
        points(x, y, rows, curve.scores, "dots"),
        [tag("circle", cx=x(a), cy=y(b), r=3.5, class_="hollow") for a, b in zip(doubled, expected, strict=True)],
    ]
    described = f"The {score} with {', '.join(f'{one:,}' for one in curve.n_rows)} training rows. {curve.sentence}"
    return figure("learning", f"{score} along the number of training rows", described, joined(inner))


def reliability(found: Reliability, name: str) -> Markup | None:
    """Shares that were observed beside probabilities that were predicted; the area of a dot is its number of rows."""
    if not found.predicted:
        return None
    room = Room(left=62, right=306, bottom=254)
    x, y = Scale(0.0, 1.0, *room.across()), Scale(0.0, 1.0, *room.up())
    most = max(found.counts, default=1)
    dots = [
        tag("circle", cx=x(a), cy=y(b), r=round(2.5 + 6 * math.sqrt(count / most), 1))
        for a, b, count in zip(found.predicted, found.observed, found.counts, strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ]
    described = (
        f"Predicted probabilities of {found.class_name!r} beside the shares of hold-out rows that belong to it, in "
        f"{len(found.counts)} groups of rows, with exact 95 % intervals. On the diagonal probabilities mean what they "
        "say."
    )
    return figure(
        name, f"Calibration of the probabilities of {found.class_name}", described,
        axes(room, x, y, (f"predicted probability of {shortened(found.class_name, 20)}", "observed share")),
        line(x, y, [0.0, 1.0], [0.0, 1.0], "reference"),
        whiskers(x, y, found.predicted, found.low, found.high),
        tag("g", dots, class_="dots"),
        size=(320, 300),
    )  # fmt: skip
