"""What theorems about training rows share: rates of constants, norms of kernel functions, what a fit violates."""

import numpy as np
import pytest
from scipy.stats import binom

from surefit.guarantee.theorems.training_rows import (
    KernelFunction,
    TrainingSet,
    compressed,
    kernel_settings,
    no_theorem_for_labels,
)
from surefit.kernels import Gaussian, Linear
from surefit.theory.bounds.compression import compression_risk, svr_tube_bound
from surefit.theory.certificates.certificate import Standing, Verdict
from surefit.theory.certificates.training_set import training_certificate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))


def rows(y, answers=None, weight=None, delta=0.05):
    return TrainingSet(X, X, y, y if answers is None else answers, weight, delta)


def test_the_loss_of_the_most_frequent_label_is_bounded_for_all_labels_at_once():
    """Three labels share delta: with the bound as the truth, so many rows of one label have chance delta / 3."""
    y = np.repeat(["a", "b", "c"], [24, 10, 6])
    found = rows(y)
    assert found.majority_seen == pytest.approx(16 / 40)
    assert binom.cdf(24, 40, 1.0 - found.majority_loss) == pytest.approx(0.05 / 3)


def test_only_unequal_weights_violate_that_rows_count_alike():
    y = np.arange(40) % 2
    assert rows(y).counts_alike() is None
    assert rows(y, weight=np.full(40, 3.0)).counts_alike() is None
    assert rows(y, weight=np.arange(1.0, 41.0)).counts_alike().standing is Standing.VIOLATED


@pytest.mark.parametrize("offset", [False, True])
def test_the_norm_of_a_kernel_function_is_that_of_its_gram_matrix(offset):
    coef, b = RNG.normal(size=40), 0.7
    gram = np.exp(-np.sum((X[:, None] - X[None]) ** 2, axis=2) / 2)
    expected = np.sqrt(coef @ gram @ coef + (b * b if offset else 0.0))
    assert KernelFunction.of(Gaussian(1.0), X, coef, b, offset).norm == pytest.approx(expected)


def test_a_kernel_of_ones_on_the_diagonal_needs_no_rows_and_another_takes_their_trace():
    known = KernelFunction(Gaussian(1.0), 2.0, False).rate(X, 2.0)
    assert known == (pytest.approx(2.0 / np.sqrt(40)), True)
    taken = KernelFunction(Linear(), 2.0, True).rate(X, 2.0)
    assert taken == (pytest.approx(2.0 * np.sqrt(np.sum(X**2) + 40) / 40), False)


def test_a_bandwidth_and_a_lam_that_the_rows_have_chosen_are_named_each():
    texts = [one.text for one in kernel_settings(Gaussian(), Gaussian(1.3), None)]
    assert texts == ["the kernel was fixed before these rows were seen", "lam was fixed before these rows were seen"]
    assert kernel_settings(Gaussian(1.3), Gaussian(1.3)) == ()


def test_without_a_theorem_nothing_is_promised_and_the_reason_is_said():
    y = np.arange(40) % 2
    found = training_certificate(no_theorem_for_labels(rows(y, 1 - y), "it remembers its rows"), 0.05)
    assert found.status is Verdict.VACUOUS
    assert found.bound == 1.0
    assert found.empirical == 1.0
    assert "it remembers its rows" in found.statement


def test_compression_with_more_rows_keeps_its_share_of_support_vectors():
    bound = svr_tube_bound(RNG.normal(size=40) * 0.1, 1.0, n_support=4, tolerance=0.0, free_offset=False)
    found = compressed(rows(np.zeros(40)), bound, (), quantity="the share", constant=1.0, constant_seen=1.0, remedy="")
    k = bound.inputs["k"]
    assert found.at(400) == pytest.approx(compression_risk(400, int(np.ceil(k / 40 * 400)), 0.05))
    assert found.at(400) < found.value
