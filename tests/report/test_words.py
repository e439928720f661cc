"""What a leaderboard and a certificate say."""

import math
from dataclasses import replace

import pytest

from surefit.report.words import (
    MEANINGS,
    STANDING_MEANINGS,
    STANDINGS,
    VERDICTS,
    board_rows,
    certificate_sentences,
    count,
    duration,
    metric_title,
    rank_sentence,
)
from surefit.study.records.board import Metric
from surefit.theory.certificates.certificate import Standing, Verdict
from tests.report.samples import regression


def test_every_candidate_has_a_line_in_the_order_of_the_board():
    board = regression().leaderboard
    rows = board_rows(board)
    assert [one.name for one in rows] == [one.name for one in board.candidates]
    assert [one.name for one in rows if one.winner] == [board.winner]
    assert all(bool(row.score) is math.isfinite(one.score) for row, one in zip(rows, board.candidates, strict=True))


def test_a_line_says_why_there_is_no_score_and_who_does_not_compete():
    notes = {one.name: one.note for one in board_rows(regression().leaderboard)}
    assert notes["kernel ridge (Matern)"] == "skipped: it would have overrun the budget of 2 min"
    assert notes["support vectors"] == "stopped: the budget was spent"
    assert notes["HistGradientBoosting (scikit-learn)"].startswith("for comparison only")
    ranks = {one.name: one.rank for one in board_rows(regression().leaderboard)}
    assert ranks["HistGradientBoosting (scikit-learn)"] == ranks["kernel ridge (Matern)"] == "-"


def test_a_candidate_that_was_skipped_has_no_time_of_its_own():
    board = regression().leaderboard
    lines = tuple(replace(one, seconds=16.6) for one in board.candidates)
    times = {one.name: one.seconds for one in board_rows(replace(board, candidates=lines))}
    assert times["kernel ridge (Matern)"] == ""
    assert times["support vectors"] == "16.6 s"


def test_scores_have_the_digits_that_their_errors_allow():
    first = board_rows(regression().leaderboard)[0]
    assert (first.score, first.error, first.holdout) == ("54.000", "0.36", "55.21")


def test_every_verdict_and_standing_has_words():
    assert VERDICTS.keys() == MEANINGS.keys() == set(Verdict)
    assert STANDINGS.keys() == STANDING_MEANINGS.keys() == set(Standing)


@pytest.mark.parametrize(("seconds", "text"), [
    (0, "< 0.1 s"), (0.04, "< 0.1 s"), (59.9, "59.9 s"), (59.99, "1 min"), (60, "1 min"), (3599.7, "1 h"),
    (3600, "1 h"), (3660, "1 h 1 min"), (math.inf, "no limit"), (math.nan, "no limit"),
])  # fmt: skip
def test_times_are_written_in_at_most_two_parts(seconds, text):
    assert duration(seconds) == text


def test_small_words():
    assert metric_title(Metric("error rate", "", "")) == "error rate"
    assert count(2, "class", "classes") == "2 classes"
    assert "10 folds" in rank_sentence(regression().leaderboard)
    certificate = regression().certificate
    assert certificate_sentences(certificate) == [
        certificate.statement,
        *(one.statement for one in certificate.further),
    ]
