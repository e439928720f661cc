"""Codes of checks: each has a title and a section of the page for users, and a finding says where to read on."""

import math
import re
from pathlib import Path

from surefit.study.checks.finding import LEVEL, TITLES, issue, tip

PAGE = (Path(__file__).parents[3] / "docs" / "checks.md").read_text(encoding="utf-8")


def test_every_code_has_a_section_and_every_section_a_code():
    assert re.findall(r"(?m)^## (SF\d+)", PAGE) == sorted(TITLES)


def test_a_finding_has_the_title_of_its_code_and_leads_to_its_section():
    found = issue("SF101", "every row has its own id", "shares", 1, "leave it out", ("id",), LEVEL)
    assert (found.kind, found.title) == ("issue", TITLES["SF101"])
    assert (found.value, found.level, found.columns) == (1.0, LEVEL, ("id",))
    place, section = found.page.split("#")
    assert place == "docs/checks.md"
    assert f"## {section.upper()}" in PAGE


def test_a_tip_is_no_test():
    found = tip("SF110", "a sentence", "evidence", 3, "a remedy")
    assert found.kind == "tip"
    assert math.isnan(found.level)
