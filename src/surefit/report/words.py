"""Layer report: what a leaderboard and a certificate say, in words that the page, the text and the terminal share.

In: records of a study.  Out: rows of texts, and sentences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from surefit.page import measured, number
from surefit.study.records.board import Candidate, Ending, Leaderboard, Metric
from surefit.theory.certificates.certificate import Certificate, Remains, Standing, Verdict

VERDICTS = {
    Verdict.INFORMATIVE: "informative",
    Verdict.NO_BETTER: "not certified to beat a constant",
    Verdict.VACUOUS: "says nothing",
}
"""The verdict on a certificate, as a short mark."""

MEANINGS = {
    Verdict.INFORMATIVE: "Row by row, the model is certified to do better than a constant answer.",
    Verdict.NO_BETTER: "These rows do not show it to be better than a constant answer; it may or may not be.",
    Verdict.VACUOUS: "Too little is known to promise anything.",
}
"""What the verdict means, in a sentence."""

REMAINS = {
    Remains.NOTHING: MEANINGS[Verdict.VACUOUS],
    Remains.ON_CONDITION: "Too little is known to promise anything, unless the condition of the last sentence is true.",
    Remains.PROMISES: "The first sentence promises nothing; the others do.",
}
"""The same where the first sentence promises nothing, by what the others promise."""

STANDINGS = {
    Standing.CHECKED: "checked",
    Standing.TESTED: "tested",
    Standing.DECLARED: "declared",
    Standing.UNVERIFIABLE: "cannot be checked",
    Standing.VIOLATED: "violated",
}
"""How far an assumption can be trusted."""

STANDING_MEANINGS = {
    Standing.CHECKED: "the data or the way the study works confirm it",
    Standing.TESTED: "a test with a stated error found nothing against it",
    Standing.DECLARED: "it is somebody's word",
    Standing.UNVERIFIABLE: "no data can confirm it; you have to judge",
    Standing.VIOLATED: "the data speak against it",
}
"""What those words mean."""


@dataclass(frozen=True)
class BoardRow:
    """One line of a leaderboard as texts."""

    rank: str
    """Tie group; a dash outside the competition."""
    name: str
    """Candidate."""
    score: str
    """Its score; empty if it has none."""
    error: str
    """Standard error of the score."""
    holdout: str
    """The score on the hold-out, where it is known."""
    parameters: str
    """How many numbers it keeps."""
    seconds: str
    """Time spent on it."""
    note: str
    """Winner, outside reference, settings, or why there is no score."""
    winner: bool
    """Whether it was chosen."""


def board_rows(board: Leaderboard) -> list[BoardRow]:
    """The lines of a leaderboard, in its order."""
    return [_row(one, one.name == board.winner) for one in board.candidates]


def _row(one: Candidate, winner: bool) -> BoardRow:
    known = math.isfinite(one.score)
    return BoardRow(
        rank=str(one.rank) if one.rank > 0 else "-",
        name=one.name,
        score=measured(one.score, one.standard_error) if known else "",
        error=number(one.standard_error, 2) if math.isfinite(one.standard_error) else "",
        holdout=number(one.holdout_score) if math.isfinite(one.holdout_score) else "",
        parameters=f"{one.n_parameters:,.0f}" if math.isfinite(one.n_parameters) else "",
        seconds=duration(one.seconds) if math.isfinite(one.seconds) and one.ending is not Ending.SKIPPED else "",
        note=_note(one),
        winner=winner,
    )


def _note(one: Candidate) -> str:
    """What a reader of the line should know beside its numbers."""
    parts = []
    if one.outside:
        parts.append("for comparison only; another library's model")
    if one.ending is not Ending.FINISHED:
        parts.append(f"{one.ending.value}: {one.reason}" if one.reason else one.ending.value)
    if one.settings:
        parts.append(one.settings)
    return "; ".join(parts)


def duration(seconds: float) -> str:
    """A time in words of at most two parts.

    >>> duration(0.03), duration(2.34), duration(75), duration(7325), duration(float("inf"))
    ('< 0.1 s', '2.3 s', '1 min 15 s', '2 h 2 min', 'no limit')
    """
    if not math.isfinite(seconds):
        return "no limit"
    if seconds < 59.95:
        return "< 0.1 s" if seconds < 0.05 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def metric_title(metric: Metric) -> str:
    """The name of a metric with its units.

    >>> metric_title(Metric("root mean squared error", "price", ""))
    'root mean squared error (price)'
    """
    return f"{metric.name} ({metric.units})" if metric.units else metric.name


def rank_sentence(board: Leaderboard) -> str:
    """How to read the ranks."""
    return (
        f"Candidates of the same rank cannot be told apart on these {board.n_folds} folds. Among those of rank 1 that "
        "are within one standard error of the best the simplest wins. The hold-out took no part in this."
    )


def meaning(found: Certificate) -> str:
    """What the verdict on a certificate means."""
    return REMAINS[found.remains] if found.vacuous else MEANINGS[found.status]


def short_verdict(found: Certificate) -> str:
    """The verdict as a short mark; where only the first sentence says nothing, it says so."""
    partly = found.vacuous and found.remains is Remains.PROMISES
    return "promises less than asked" if partly else VERDICTS[found.status]


def certificate_sentences(found: Certificate) -> list[str]:
    """The statement and the further ones."""
    return [found.statement, *(one.statement for one in found.further)]


def sentence(text: str) -> str:
    """Words with a capital letter in front and a full stop behind.

    >>> sentence("its 214 values are numbers"), sentence("A question?"), sentence("")
    ('Its 214 values are numbers.', 'A question?', '')
    """
    text = text.strip()
    return text and text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def count(n: int, noun: str, several: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "row"), count(1234, "row"), count(0, "class", "classes")
    ('1 row', '1,234 rows', 'no classes')
    """
    return f"{n:,} {noun}" if n == 1 else f"{f'{n:,}' if n else 'no'} {several or noun + 's'}"
