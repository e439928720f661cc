"""Layer lab: the map of the catalogue: what rests on what, and how each claim fared.

In: outcomes.  Out: an SVG picture, one column for each part of the theory, an arrow from a claim to what it uses.  The
verdict is in the frame and in a sign as well as in the colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib import import_module
from pkgutil import walk_packages

from surefit.lab import claims
from surefit.lab.claim import Claim, Verdict
from surefit.lab.results import as_expected
from surefit.lab.run import Outcome

WIDTH, HEIGHT, TOP = 96, 34, 58
"""Size of a cell, and where the first row begins."""


def rooms() -> dict[str, list[Claim]]:
    """The claims by the folder that they are in."""
    found: dict[str, list[Claim]] = {}
    for module in walk_packages(claims.__path__, f"{claims.__name__}."):
        if not module.ispkg:
            members = vars(import_module(module.name))
            room = module.name.split(".")[-2].replace("_", " ")
            found.setdefault(room, []).extend([members["CLAIM"]] if "CLAIM" in members else members["CLAIMS"])
    return {room: sorted(here, key=lambda claim: claim.id) for room, here in sorted(found.items())}


def draw_map(outcomes: Mapping[str, Outcome]) -> str:
    """The map as SVG text.

    >>> draw_map({}).startswith("<svg")
    True
    """
    columns = rooms()
    place = {
        claim.id: (20 + WIDTH * column, TOP + HEIGHT * row)
        for column, here in enumerate(columns.values())
        for row, claim in enumerate(here)
    }
    width, height = 40 + WIDTH * len(columns), TOP + HEIGHT * max(map(len, columns.values())) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="sans-serif" font-size="11">',
        "<title>Map of the catalogue</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for claim in (claim for here in columns.values() for claim in here):
        parts += [_arrow(place[claim.id], place[used]) for used in claim.uses if used in place]
    for column, (room, here) in enumerate(columns.items()):
        for line, word in enumerate(room.split()):
            parts.append(
                f'<text x="{20 + WIDTH * column}" y="{24 + 14 * line}" font-weight="bold">{escape(word)}</text>'
            )
        parts += [_cell(claim, place[claim.id], outcomes.get(claim.id)) for claim in here]
    return "\n".join([*parts, "</svg>"])


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x1, y1), (x2, y2) = start, end
    bend = 24 if x1 == x2 else 0
    return (
        f'<path d="M{x1 + 30} {y1 + 11} C{x1 + 30 + bend} {y1 + 11} {x2 + 30 + bend} {y2 + 11} {x2 + 30} {y2 + 11}" '
        'fill="none" stroke="#9aa5b1" stroke-width="0.8"/>'
    )


def _cell(claim: Claim, where: tuple[int, int], outcome: Outcome | None) -> str:
    fill, sign = _look(outcome)
    x, y = where
    return (
        f'<g><title>{escape(claim.title)}</title><rect x="{x}" y="{y}" width="62" height="22" rx="4" fill="{fill}" '
        f'stroke="#33475b"/><text x="{x + 31}" y="{y + 15}" text-anchor="middle">{claim.id} {sign}</text></g>'
    )


def _look(outcome: Outcome | None) -> tuple[str, str]:
    """Colour and sign: as the theorem says, not decided, against it, not tried."""
    if outcome is None:
        return "#f4f4f4", ""
    if as_expected(outcome):
        return "#d8efdd", "✓"
    return ("#fff1c9", "?") if outcome.verdict is Verdict.UNDECIDED else ("#f6c9c2", "✗")
