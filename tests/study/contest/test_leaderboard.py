"""Ranks, the winner and its reason; what did not finish comes last."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.study.contest.candidates import Entry
from surefit.study.contest.compete import Arena, Run
from surefit.study.contest.leaderboard import leaderboard_of
from surefit.study.contest.metrics import RMSE
from surefit.study.encode.kinds import Kind
from surefit.study.records.board import Ending
from surefit.study.tables.table import TableError
from surefit.study.target import Target

RNG = np.random.default_rng(0)
Y = RNG.normal(size=400)
TARGET = Target("y", "regression", "numbers", Kind("number", ""))


def run(name, noise, simplicity, ending=Ending.FINISHED, outside=False, seed=1):
    answers = Y + noise * np.random.default_rng(seed).normal(size=len(Y))
    return Run(Entry(name, name, simplicity, lambda X, y, w: None, outside=outside), ending, "", answers, 2, 0.1)


@pytest.fixture
def arena():
    half = np.arange(200)
    return Arena(np.zeros((400, 1)), Y, None, [(half + 200, half), (half, half + 200)])


def test_the_simplest_of_rank_one_wins_and_the_black_box_never_does(arena):
    runs = [run("rich", 0.97, 5), run("simple", 1.0, 1, seed=21), run("poor", 2.0, 0), run("box", 0.1, 9, outside=True),
            run("late", 0.01, 2, Ending.STOPPED)]  # fmt: skip
    board = leaderboard_of(arena, runs, RMSE, TARGET)
    assert board.winner == "simple"
    assert {one.name: one.rank for one in board.candidates} == {"box": 0, "rich": 1, "simple": 1, "poor": 2, "late": 0}
    names = [one.name for one in board.candidates]
    assert (names[0], names[3:]) == ("box", ["poor", "late"])
    assert "simplest of the 2" in board.why


def test_a_simple_candidate_that_a_few_rows_cost_dearly_does_not_win(arena):
    """Three of 400 rows carry the whole difference: the test has no power, and the simple one is far behind."""
    rich = run("rich", 1.0, 5)
    few = np.zeros(len(Y))
    few[[3, 150, 390]] = [8.0, 5.0, 9.0]
    error = rich.answers - Y
    simple = replace(run("simple", 1.0, 1), answers=Y + error + np.sign(error) * few)
    board = leaderboard_of(arena, [rich, simple], RMSE, TARGET)
    worse = next(one for one in board.candidates if one.name == "simple")
    assert (worse.rank, board.winner) == (1, "rich")
    assert worse.score > 1.15 * board.candidates[0].score
    assert worse.p_value > 0.05
    assert "more than one standard error" in board.why


def test_weights_count(arena):
    weight = np.where(np.arange(400) < 200, 1.0, 1e-9)
    weighted = Arena(arena.X, arena.y, weight, arena.folds)
    line = leaderboard_of(weighted, [run("one", 1.0, 0)], RMSE, TARGET).candidates[0]
    assert line.score == pytest.approx(line.fold_scores[0], rel=1e-6)


def test_without_any_finished_candidate_the_reasons_are_said(arena):
    with pytest.raises(TableError, match="no candidate could be finished"):
        leaderboard_of(arena, [run("late", 1.0, 0, Ending.STOPPED)], RMSE, TARGET)


def test_a_candidate_that_was_stopped_has_scores_of_its_folds_and_none_beside_the_others(arena):
    late = replace(run("late", 0.01, 2, Ending.STOPPED), n_folds=1)
    line = leaderboard_of(arena, [run("one", 1.0, 0), late], RMSE, TARGET).candidates[-1]
    assert line.name == "late"
    assert len(line.fold_scores) == 1
    assert np.isnan(line.score)
    assert np.isnan(line.standard_error)
    assert not line.other_scores
