"""Leaderboards of studies are what they declare."""

import pytest

from surefit.study.records.board import Candidate, Curve, Ending, Leaderboard, Metric
from tests.study.samples import records_of, refuse_misfits


@pytest.mark.parametrize("kind", [Candidate, Curve, Leaderboard, Metric])
def test_records_of_a_study_are_what_they_declare(kind):
    refuse_misfits(kind)


def test_a_winner_is_of_rank_one_and_has_a_score_on_the_hold_out():
    for board in records_of(Leaderboard):
        (winner,) = [one for one in board.candidates if one.name == board.winner]
        assert winner.rank == 1
        assert winner.holdout_score > 0
        assert len(winner.fold_scores) == board.n_folds


def test_a_candidate_without_a_run_has_neither_rank_nor_score():
    empty = Candidate("ridge", "Ridge", Ending.SKIPPED)
    assert empty.rank == 0
    assert empty.score != empty.score
