"""Findings with codes."""

from dataclasses import replace

from surefit.report.sections.checks import checks
from tests.report.reading import read
from tests.report.samples import regression, unknown


def test_every_finding_has_its_code_remedy_and_evidence():
    root = read(checks(regression()))
    for one, article in zip(regression().checks.found, root.every("article"), strict=True):
        assert next(article.every("h3")).text == f"{one.kind} {one.code} {one.title}"
        assert one.sentence in article.text
        assert f"What to do: {one.remedy}" in article.text
        assert one.evidence in next(article.every("details")).text
    assert "1 issue and 1 tip; 3 checks found nothing." in root.text
    assert "Not looked at, as asked: SF112." in root.text


def test_the_error_of_a_test_is_stated_and_facts_have_none():
    tested, fact = (one.text for one in read(checks(regression())).every("article"))
    assert "without a cause with probability 0.001" in tested
    assert "without a cause" not in fact


def test_nothing_found_and_nothing_checked_are_said_too():
    quiet = replace(regression(), checks=replace(regression().checks, found=()))
    assert "No issues and no tips; 3 checks found nothing." in read(checks(quiet)).text
    assert "Nothing was checked." in read(checks(unknown())).text
