"""The report as Markdown."""

import re

import pytest

from surefit.report.markdown import plain, text
from tests.report import samples


def test_the_words_of_the_record_are_there():
    result = samples.regression()
    found = text(result)
    for words in (result.headline, result.leaderboard.why, result.machine.command, "ridge (chosen)", "SF105"):
        assert words.replace("(", "(") in found
    assert found.startswith("# progression from diabetes.csv\n")
    assert found.count("\n## ") == 8


@pytest.mark.parametrize("make", [samples.regression, samples.classification, samples.hostile, samples.unknown])
def test_tables_have_the_same_number_of_cells_in_every_line(make):
    blocks = re.findall(r"(?:^\|.*\|$\n?)+", text(make()), re.M)
    assert blocks
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.strip().split("\n")}) == 1


def test_names_are_only_names():
    found = text(samples.hostile())
    outside = re.sub(r"^(`{3,})\n.*?\n\1$", "", found, flags=re.S | re.M)
    assert not re.search(r"(?<!\\)<", outside)
    found.encode("utf-8")
    assert plain("a\n\n# b | c") == r"a \# b \| c"


def test_a_fence_is_longer_than_any_in_the_command():
    assert "\n````\nsurefit fit" in text(samples.hostile())


def test_sections_without_content_are_left_out():
    found = text(samples.unknown())
    assert "## Coefficients" not in found
    assert "## What would most likely help" not in found
    assert "No issues and no tips." in found
