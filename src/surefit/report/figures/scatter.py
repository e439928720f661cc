"""Layer report: hold-out rows as points: what was predicted beside what was observed, and what is left over.

In: observed and predicted numbers.  Out: figures, or None where there is nothing to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefit.page import number
from surefit.report.figures.axes import Room, Scale, axes, figure, spanned
from surefit.report.figures.marks import band, line, points
from surefit.report.markup import Markup

SQUARE = 400
"""Width of a figure whose two axes are alike."""


def predicted_against_observed(
    observed: Sequence[float], predicted: Sequence[float], target: str, radius: float = math.nan
) -> Markup | None:
    """Points on the diagonal are predicted exactly; the band around it holds what an interval would."""
    room = Room(right=SQUARE - 14, bottom=SQUARE - 80 - 46)
    x = spanned([*observed, *predicted], *room.across())
    if x is None:
        return None
    y = Scale(x.low, x.high, *room.up())
    ends = [x.low, x.high]
    corners = sorted([*ends, *(one for one in (x.low + radius, x.high - radius) if x.low < one < x.high)])
    around = (
        band(
            x, y, corners, [max(one - radius, x.low) for one in corners], [min(one + radius, x.high) for one in corners]
        )
        if math.isfinite(radius)
        else None
    )
    diagonal = line(x, y, ends, ends, "reference")
    drawing = [axes(room, x, y, (f"predicted {target}", f"observed {target}")), around, diagonal]
    described = (
        f"{len(observed):,} rows of the hold-out. Predictions are on the horizontal axis, what was observed on the "
        "vertical one; the closer to the diagonal, the better."
    )
    marks = points(x, y, predicted, observed)
    inner = [one for one in (*drawing, marks) if one is not None]
    return figure("observed", f"Predicted and observed {target}", described, *inner, size=(SQUARE, SQUARE - 80))


def residuals(observed: Sequence[float], predicted: Sequence[float], target: str) -> Markup | None:
    """What was observed minus what was predicted, along the predictions."""
    left = [a - b for a, b in zip(observed, predicted, strict=True)]
    room = Room(right=SQUARE - 14, bottom=SQUARE - 80 - 46)
    x, reach = (
        spanned(predicted, *room.across()),
        max((abs(one) for one in left if math.isfinite(one)), default=math.nan),
    )
    if x is None or not math.isfinite(reach):
        return None
    y = spanned([-reach, reach], *room.up())
    assert y is not None
    zero = line(x, y, [x.low, x.high], [0.0, 0.0], "reference")
    known = sorted(one for one in left if math.isfinite(one))
    described = (
        f"Errors of {len(known):,} rows of the hold-out along their predictions. Half of the errors lie between "
        f"{number(known[len(known) // 4], 3)} and {number(known[3 * len(known) // 4], 3)}. A shape other than an even "
        "cloud around zero means that the model misses something."
    )
    frame = axes(room, x, y, (f"predicted {target}", "observed - predicted"))
    marks = points(x, y, predicted, left)
    return figure(
        "residuals", "Errors along the predictions", described, frame, zero, marks, size=(SQUARE, SQUARE - 80)
    )
