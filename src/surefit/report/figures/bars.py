"""Layer report: names on the left, numbers on the right: scores with their errors, importances of columns.

In: names and numbers.  Out: figures, or None where there is nothing to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefit.page import number, shortened
from surefit.report.figures.axes import WIDTH, Room, axes, figure, spanned
from surefit.report.markup import Markup, tag
from surefit.study.records.board import Candidate, Ending, Leaderboard
from surefit.study.records.winner import Importance

ROW = 24
NAMES, LONGEST = 232, 33
"""Width of the names, and letters of the longest that is shown whole: support vectors (Gaussian kernel)."""
BROAD = WIDTH + 172


def scores(board: Leaderboard) -> Markup | None:
    """One dot per finished candidate with its standard error; those that share rank one in another colour."""
    known = [one for one in board.candidates if one.ending is Ending.FINISHED and math.isfinite(one.score)]
    room = Room(left=NAMES, right=BROAD - 14, top=8, bottom=16 + ROW * len(known))
    ends = [end for one in known for end in (_end(one, -1), _end(one, 1))]
    x = spanned([one for one in ends if math.isfinite(one)], *room.across(), room=0.06)
    if x is None or len(known) < 2:
        return None
    rows = []
    for k, one in enumerate(known):
        place = room.top + ROW * (k + 0.5)
        kind = "outside" if one.outside else "first" if one.rank == 1 else "later"
        error = f"M{x(_end(one, -1))} {place}H{x(_end(one, 1))}"
        mark = "bold" if one.name == board.winner else None
        rows += [
            tag("text", shortened(one.name, LONGEST), x=NAMES - 9, y=place + 4, text_anchor="end", class_=mark),
            tag("path", d=error, class_=f"whisker {kind}"),
            tag("circle", cx=x(one.score), cy=place, r=4.5, class_=f"dot {kind}"),
        ]
    metric = board.metric
    title = f"{metric.name}{f' ({metric.units})' if metric.units else ''}, smaller is better"
    described = "; ".join(f"{one.name}: {number(one.score, 4)}" for one in known)
    frame = axes(room, x, None, (title, ""))
    return figure("scores", "Scores of the candidates", described, frame, tag("g", rows, class_="rows"),
                  size=(BROAD, int(room.bottom) + 46))  # fmt: skip


def _end(one: Candidate, sign: int) -> float:
    return one.score + sign * one.standard_error if math.isfinite(one.standard_error) else one.score


def importances(found: Sequence[Importance], metric: str, at_most: int = 15) -> Markup | None:
    """How much worse the score becomes without each column."""
    known = [one for one in found if math.isfinite(one.increase)][:at_most]
    room = Room(left=NAMES, right=BROAD - 14, top=8, bottom=16 + ROW * len(known))
    ends = [one.increase + one.standard_error for one in known if math.isfinite(one.standard_error)]
    x = spanned([0.0, *(one.increase for one in known), *ends], *room.across(), room=0.04)
    if x is None or not known:
        return None
    rows = []
    for k, one in enumerate(known):
        place, zero, end = room.top + ROW * (k + 0.5), x(0.0), x(one.increase)
        width = round(abs(end - zero), 1)
        rows += [
            tag("text", shortened(one.column, LONGEST), x=NAMES - 9, y=place + 4, text_anchor="end"),
            tag("rect", x=min(zero, end), y=place - 7, width=width, height=14, class_="bar"),
        ]
        if math.isfinite(one.standard_error):
            low, high = x(one.increase - one.standard_error), x(one.increase + one.standard_error)
            rows.append(tag("path", d=f"M{low} {place}H{high}", class_="whisker"))
    described = "; ".join(f"{one.column}: {number(one.increase, 3)}" for one in known)
    frame = axes(room, x, None, (f"increase of the {shortened(metric, 40)} if the column is shuffled", ""))
    return figure("importances", "How much each column matters", described, frame, tag("g", rows, class_="rows"),
                  size=(BROAD, int(room.bottom) + 46))  # fmt: skip
