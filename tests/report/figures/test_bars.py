"""Names on the left, numbers on the right."""

import math
from dataclasses import replace

from surefit.report.figures.bars import importances, scores
from surefit.study.records.board import Ending
from surefit.study.records.winner import Importance
from tests.report.reading import read
from tests.report.samples import regression


def test_finished_candidates_have_a_dot_each_the_smaller_the_further_left():
    board = regression().leaderboard
    known = [one for one in board.candidates if one.ending is Ending.FINISHED]
    dots = list(read(scores(board)).every("circle"))
    places = [float(one.attributes["cx"]) for one in dots]
    assert len(dots) == len(known)
    order = sorted(range(len(known)), key=lambda k: known[k].score)
    assert sorted(places) == [places[k] for k in order]


def test_rank_one_and_outsiders_look_different():
    kinds = [one.attributes["class"] for one in read(scores(regression().leaderboard)).every("circle")]
    assert kinds.count("dot first") == 3
    assert kinds.count("dot outside") == 1


def test_one_candidate_is_no_comparison():
    board = regression().leaderboard
    assert scores(replace(board, candidates=board.candidates[:1])) is None


def test_bars_are_as_long_as_their_columns_matter():
    found = (
        Importance("a", 4.0, 0.1),
        Importance("b", 2.0, math.nan),
        Importance("c", -1.0, 0.1),
        Importance("d", math.nan, 1),
    )
    bars = list(read(importances(found, "error")).every("rect"))
    widths = [float(one.attributes["width"]) for one in bars]
    assert len(bars) == 3
    assert math.isclose(widths[0], 2 * widths[1], abs_tol=0.3)
    assert float(bars[2].attributes["x"]) < float(bars[0].attributes["x"])
    assert importances((), "error") is None
    assert len(list(read(importances(found[:1] * 99, "error")).every("rect"))) == 15
