"""Layer report: all candidates, how they were told apart, and which was chosen."""

from __future__ import annotations

from collections.abc import Mapping

from surefit.page import number, p_value
from surefit.report.figures.bars import scores
from surefit.report.markup import Markup, joined, tag
from surefit.report.sections.parts import cut, drawn, section, table, unfolded
from surefit.report.words import BoardRow, board_rows, metric_title, rank_sentence, sentence
from surefit.study.record import StudyResult


def leaderboard(result: StudyResult) -> Markup:
    """The table of candidates with their scores, and why one won."""
    board = result.leaderboard
    rows = board_rows(board)
    heads = ("candidate", "rank", metric_title(board.metric), "std. error", "on the hold-out", "time")
    cells = [(_name(one), one.rank, one.score, one.error, one.holdout, one.seconds) for one in rows]
    marked = [k for k, one in enumerate(rows) if one.winner]
    listed = table("Candidates, the best first", heads, cells, numbers=(1, 2, 3, 4, 5), marked=marked)
    figure = drawn(scores(board), "Each dot is a score with one standard error to either side; further left is better.")
    return section(
        "leaderboard", "Which model was chosen, and why",
        tag("p", sentence(board.why)), tag("p", sentence(board.metric.sentence)), figure, listed,
        tag("p", rank_sentence(board), class_="quiet"), _test(result),
    )  # fmt: skip


def _name(row: BoardRow) -> Markup:
    """The candidate with what a reader should know of it."""
    chosen = tag("span", " chosen", class_="mark good") if row.winner else None
    return joined([cut(row.name), chosen, tag("small", cut(row.note)) if row.note else None])


def _test(result: StudyResult) -> Markup:
    board = result.leaderboard
    rows = [
        (one.name, p_value(one.p_value) if one.p_value == one.p_value else "", _others(one.other_scores))
        for one in board.candidates
        if one.rank > 0
    ]
    listed = table(
        "Simultaneous comparison with the best", ("candidate", "p value", "other metrics"), rows, numbers=(1,)
    )
    level = f"It separates candidates that are equally good with probability at most {board.level:g}."
    return unfolded("How candidates were told apart", tag("p", sentence(board.test), " ", level), listed)


def _others(found: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {number(value)}" for name, value in found.items())
