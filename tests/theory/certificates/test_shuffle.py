"""An order that only the set of rows decides, and not their file."""

import numpy as np
import pytest

from surefit.theory.certificates.certificate import Standing
from surefit.theory.certificates.shuffle import ENOUGH_KINDS, Shuffle


def test_the_order_of_the_file_does_not_decide():
    values = np.random.default_rng(0).random(50)
    assert Shuffle.of(values) == Shuffle.of(np.sort(values)) == Shuffle.of(values[::-1])
    assert Shuffle.of(values).seed != Shuffle.of(values[1:]).seed


def test_rounding_and_the_sign_of_zero_do_not_decide():
    values = np.random.default_rng(1).integers(0, 1000, 50) / 1000
    assert Shuffle.of(values) == Shuffle.of(values * (1 + 1e-12))
    assert Shuffle.of([0.0, 0.5]) == Shuffle.of([-0.0, 0.5])


def test_sorted_files_of_one_length_get_orders_of_their_own():
    """Over many files every position is the first as often as any other: 1,000 files, 5 sigma."""
    rng = np.random.default_rng(2)
    first = [Shuffle.of(np.sort(rng.random(20))).permutation(20)[0] for _ in range(1000)]
    counts = np.bincount(first, minlength=20)
    assert np.all(np.abs(counts - 50) < 5 * np.sqrt(50 * 0.95))


@pytest.mark.parametrize(("kinds", "standing"), [
    (1, Standing.UNVERIFIABLE), (ENOUGH_KINDS - 1, Standing.UNVERIFIABLE), (ENOUGH_KINDS, Standing.CHECKED),
])  # fmt: skip
def test_few_kinds_of_rows_are_said_to_be_too_few(kinds, standing):
    found = Shuffle.of(np.arange(100) % kinds)
    assert found.kinds == kinds
    assert found.assumption.standing is standing
    assert f"seed {found.seed}" in found.assumption.evidence
