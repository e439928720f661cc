"""A finished study on a terminal: 80 columns, every part of the record, and a reason for whoever has no rank."""

from dataclasses import replace

import pytest

from surefit.cli.show import line_of, study_text
from surefit.study.records.board import Ending
from tests.report.samples import classification, hostile, regression, unknown


@pytest.mark.parametrize("make", [regression, classification, hostile, unknown])
def test_lines_fit_into_80_columns(make):
    lines = study_text(make(), {"report": "out/report.html"}).splitlines()
    assert max(map(len, lines)) <= 80
    assert "report   out/report.html" in lines


def test_every_part_of_the_record_has_its_words():
    result = regression()
    text = " ".join(study_text(result, {}).split())
    for one in result.checks.found:
        assert f"{one.code} {one.kind}: {' '.join(one.sentence.split())}" in text.replace(" ! ", " ")
    assert " ".join(result.certificate.statement.split()) in text
    assert f"Status: {result.certificate.status.value}." in text


def test_who_has_a_score_and_no_rank_is_explained():
    result = regression()
    first, *others = result.leaderboard.candidates
    why = "its time was over after 1 of 10 folds"
    short = replace(first, name="hurried", rank=0, ending=Ending.STOPPED, reason=why)
    board = replace(result.leaderboard, candidates=(first, short, *others))
    text = " ".join(study_text(replace(result, leaderboard=board), {}).split())
    assert f"hurried: stopped: {why}" in text
    assert f"{first.name}: " not in text.partition("Certificate")[0].partition("Leaderboard")[2]


def test_a_line_is_filled_or_cut_to_its_width():
    assert line_of("fitting", 10) == "fitting   "
    assert len(line_of("fitting a very long name", 10)) == 10
    assert line_of("日本", 10) == "日本      "
