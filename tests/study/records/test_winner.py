"""What is known about a winner is what it declares."""

import pytest

from surefit.study.records.winner import (
    ClassSets,
    Coefficient,
    Coefficients,
    HoldoutPoints,
    Importance,
    Intervals,
    LearningCurve,
    Reliability,
    Threshold,
)
from tests.study.samples import records_of, refuse_misfits


@pytest.mark.parametrize(
    "kind",
    [ClassSets, Coefficient, Coefficients, HoldoutPoints, Importance, Intervals, LearningCurve, Reliability, Threshold],
)
def test_records_of_a_study_are_what_they_declare(kind):
    refuse_misfits(kind)


def test_numbers_belong_together():
    for one in records_of(Reliability):
        assert len({len(one.predicted), len(one.observed), len(one.counts), len(one.low), len(one.high)}) == 1
    for one in records_of(HoldoutPoints):
        assert len(one.observed) == len(one.predicted)
    for one in records_of(LearningCurve):
        assert list(one.n_rows) == sorted(one.n_rows)
