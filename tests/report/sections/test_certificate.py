"""The head of the page and the certificate card."""

from dataclasses import replace

import pytest

from surefit.report.sections.certificate import certificate, head
from surefit.theory.certificates.certificate import Assumption, Standing, Verdict
from tests.report.reading import read
from tests.report.samples import regression


def test_the_head_says_what_was_chosen_and_how_many_issues_there_are():
    root = read(head(regression()))
    assert [one.text for one in root.every("b")] == ["ridge", "350", "92", "1"]
    quiet = replace(regression(), checks=replace(regression().checks, found=()))
    assert "noissues found" in read(head(quiet)).text


@pytest.mark.parametrize(("status", "word"), [
    (Verdict.INFORMATIVE, "informative"), (Verdict.NO_BETTER, "not certified to beat a constant"),
    (Verdict.VACUOUS, "promises less than asked"),
])  # fmt: skip
def test_the_card_says_aloud_what_the_certificate_is_worth(status, word):
    result = replace(regression(), certificate=replace(regression().certificate, status=status))
    root = read(certificate(result))
    card = next(one for one in root.every("div") if "card" in one.attributes.get("class", ""))
    assert word in next(card.every("strong")).text
    assert ("good" in card.attributes["class"]) is (status is Verdict.INFORMATIVE)


def test_a_certificate_of_nothing_is_not_said_to_promise_less():
    silent = replace(regression().certificate, status=Verdict.VACUOUS, further=())
    card = read(certificate(replace(regression(), certificate=silent))).text
    assert "says nothing Too little is known to promise anything." in card
    some = replace(regression().certificate, status=Verdict.VACUOUS)
    partly = read(certificate(replace(regression(), certificate=some))).text
    assert "promises less than asked The first sentence promises nothing; the others do." in partly


def test_violated_assumptions_come_first_and_evidence_is_shown():
    broken = Assumption("rows are independent", Standing.VIOLATED, "12 rows are equal")
    found = replace(regression().certificate, assumptions=(*regression().certificate.assumptions, broken))
    root = read(certificate(replace(regression(), certificate=found)))
    (listed,) = (one for one in root.every("ul") if one.attributes.get("class") == "assumptions")
    first = next(listed.every("li"))
    assert first.text == "violated rows are independent (12 rows are equal)"


def test_the_mathematics_is_folded_away_and_complete():
    found = regression().certificate
    root = read(certificate(regression()))
    (note,) = root.every("details")
    assert found.reference in note.text
    assert all(name.replace("_", " ") in note.text for name in found.inputs)
    assert all(one.method in note.text for one in (found, *found.further))
