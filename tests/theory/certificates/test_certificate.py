"""The records of a guarantee."""

import json
from dataclasses import replace

import numpy as np
import pytest

from surefit.testing import check_certificate
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.holdout import Baseline, regressor_certificate

ERRORS = np.abs(np.random.default_rng(0).normal(size=200))
FULL = regressor_certificate(ERRORS, baseline=Baseline(3 * ERRORS, 20.0, 1.5))


def test_json_brings_everything_back():
    assert Certificate.from_json(FULL.to_json()) == FULL
    json.loads(FULL.to_json())


def test_infinite_bounds_survive_strict_json():
    empty = regressor_certificate(ERRORS[:10])
    assert np.isinf(empty.bound)
    assert "Infinity" not in empty.to_json()
    assert Certificate.from_json(empty.to_json()) == empty


def test_the_card_says_what_the_text_says_and_escapes_it():
    card = FULL._repr_html_()
    assert FULL.statement in card
    assert all(other.statement in card for other in FULL.further)
    assert "informative" in card
    wicked = Certificate(
        "<b> is at most 1.", 1.0, 0.5, 0.05, "x", (Assumption("<i>", Standing.DECLARED),), Verdict.VACUOUS
    )
    assert "<b> is" not in wicked._repr_html_()
    assert "<i>&" not in wicked._repr_html_()
    assert "&lt;i&gt;" in wicked._repr_html_()


def test_the_text_lists_status_and_assumptions():
    text = str(FULL)
    assert "Status: informative (certified to beat a constant)." in text
    assert text.count("* ") == len(FULL.assumptions)
    other = regressor_certificate(ERRORS, baseline=Baseline(ERRORS, 20.0, 1.5))
    assert max(map(len, [*text.splitlines(), *str(other).splitlines()])) <= 80


def test_without_its_first_promise_a_certificate_says_which_others_remain():
    few = regressor_certificate(ERRORS[:20], baseline=Baseline(3 * ERRORS[:20], 20.0, 1.5))
    assert few.vacuous
    assert "vacuous (only the first sentence; each line marked + is a promise)" in " ".join(str(few).split())
    lost = replace(few.further[0], status=Verdict.NO_BETTER, bound=-1.0)  # a comparison that was not won is no promise
    assert "it promises nothing)" in " ".join(str(replace(few, further=(lost,))).split())
    maybe = replace(few.further[1], statement="If rows are draws: it errs seldom.")
    on_condition = " ".join(str(replace(few, further=(lost, maybe))).split())
    assert "unless you know that the condition of the last line marked + is true" in on_condition
    assert "it promises nothing" in str(regressor_certificate(ERRORS[:20]))
    broken = replace(few, assumptions=(Assumption("rows are new", Standing.VIOLATED),))
    assert "it promises nothing" in str(broken)


def test_a_certificate_says_whether_a_constant_was_compared_with_it():
    text = " ".join(str(regressor_certificate(ERRORS)).split())
    assert "not certified to beat a constant (no constant was compared with it)" in text
    lost = " ".join(str(regressor_certificate(ERRORS, baseline=Baseline(ERRORS, 20.0, 1.5))).split())
    assert "not certified to beat a constant (it may or may not: these rows do not show it)" in lost


def test_vacuous_is_said_aloud():
    assert regressor_certificate(ERRORS[:10]).vacuous
    assert "vacuous" in str(regressor_certificate(ERRORS[:10]))
    assert not FULL.vacuous


@pytest.mark.parametrize("certificate", [FULL, regressor_certificate(ERRORS[:10])])
def test_the_conformance_suite_accepts_ours(certificate):
    check_certificate(certificate)
