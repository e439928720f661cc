"""Two builds side by side: a row has the times of both and their ratios."""

import sys

from benchmarks.cases import all_cases
from benchmarks.native import CASES, compared


def test_a_row_has_times_of_both_builds_and_native_over_portable():
    name, *numbers = compared("kernel-block", sys.executable)
    best, middle, other_best, other_middle, by_best, by_medians = map(float, numbers)
    assert name == "kernel-block"
    assert 0 < best <= middle
    assert abs(by_best - other_best / best) < 0.02 * by_best + 0.01
    assert abs(by_medians - other_middle / middle) < 0.02 * by_medians + 0.01


def test_the_cases_are_cases_of_the_benchmarks():
    assert set(CASES) <= {one.name for one in all_cases()}
