"""All candidates, and why one won."""

from surefit.report.sections.leaderboard import leaderboard
from tests.report.reading import read
from tests.report.samples import regression, unknown


def test_the_winner_stands_out():
    root = read(leaderboard(regression()))
    (marked,) = (one for one in root.every("tr") if one.attributes.get("class") == "marked")
    assert next(marked.every("th")).text.startswith("ridge chosen")


def test_every_candidate_is_listed_with_its_note():
    root = read(leaderboard(regression()))
    names = [one.name for one in regression().leaderboard.candidates]
    cells = [next(row.every("th")).text for row in next(root.every("tbody")).every("tr")]
    assert len(cells) == len(names)
    assert all(cell.startswith(name) for cell, name in zip(cells, names, strict=True))
    assert "skipped: it would have overrun" in root.text


def test_how_candidates_were_told_apart_can_be_unfolded():
    (note,) = read(leaderboard(regression())).every("details")
    assert "Largest paired difference" in note.text
    assert "at most 0.05" in note.text
    assert "mean absolute error 43.2" in note.text


def test_a_board_without_scores_has_no_drawing():
    root = read(leaderboard(unknown()))
    assert not list(root.every("svg"))
    assert "failed: it failed" in root.text
