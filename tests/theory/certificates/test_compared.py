"""A model beside a constant, row by row."""

import numpy as np
import pytest
from scipy.stats import binomtest

from surefit.theory.certificates.certificate import Verdict
from surefit.theory.certificates.compared import (
    Baseline,
    compared_labels,
    compared_losses,
    compared_numbers,
    fewer_errors,
)


@pytest.mark.parametrize(("mine", "theirs"), [(3, 12), (5, 12), (0, 4), (0, 5), (10, 10)])
def test_labels_are_compared_by_mcnemars_exact_test(mine, theirs):
    errors, other = np.zeros(60), np.zeros(60)
    errors[:mine], other[mine : mine + theirs], errors[50:], other[50:] = 1, 1, 1, 1  # ten rows on which both err
    expected = binomtest(theirs, mine + theirs, alternative="greater").pvalue <= 0.05
    assert fewer_errors(errors, other, 0.05) == expected


def test_models_that_answer_alike_are_not_told_apart():
    same = np.repeat([1, 0], [5, 45])
    assert not fewer_errors(same, same, 0.5)


def test_of_several_constants_all_have_to_be_beaten():
    errors = np.zeros(40)
    both = Baseline(np.array([np.ones(40), np.zeros(40)]), constant="a")
    assert compared_labels(errors, both, 0.05).status is Verdict.NO_BETTER
    assert compared_labels(errors, Baseline(np.ones(40), constant="a"), 0.05).status is Verdict.INFORMATIVE
    assert compared_losses(errors, both, 0.05, 0).status is Verdict.NO_BETTER


def test_numbers_are_compared_on_the_rows_that_did_not_choose_the_constant():
    errors, far, rows = np.full(200, 0.1), np.ones(200), np.arange(200) >= 100
    errors[:100], far[:100] = 5.0, 0.0  # rows that chose it, on which the model is far worse
    found = compared_numbers(errors, Baseline(far, constant=0.0, reach=1.0, rows=rows, origin="a guess"), 0.05, 0, None)
    assert found.status is Verdict.INFORMATIVE
    assert found.empirical == pytest.approx(0.99)
    assert "always answering 0, a guess (observed 0.99" in found.statement
    everywhere = compared_numbers(errors, Baseline(far, constant=0.0, reach=1.0), 0.05, 0, 0.15)
    assert everywhere.status is Verdict.NO_BETTER
    assert "not certified to beat always answering 0" in everywhere.statement


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e300])
def test_a_comparison_does_not_depend_on_the_unit(scale):
    z = np.abs(np.random.default_rng(0).normal(size=300))
    found = compared_numbers(scale * z / 2, Baseline(scale * z, constant=0.0, reach=1.6 * scale), 0.05, 0, 0.15)
    assert found.status is Verdict.INFORMATIVE


def test_a_model_that_errs_more_often_on_the_rows_is_said_to():
    errors, rare = np.repeat([1, 0], [47, 53]), Baseline(np.repeat([0, 1], [91, 9]), constant="no")
    assert compared_labels(errors, rare, 0.05).statement.endswith("On these rows this model errs more often than that.")
