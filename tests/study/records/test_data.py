"""Facts of a table are what they declare."""

import pytest

from surefit.study.records.data import ColumnFacts, DataFacts, Machine
from tests.study.samples import records_of, refuse_misfits


@pytest.mark.parametrize("kind", [ColumnFacts, DataFacts, Machine])
def test_records_of_a_study_are_what_they_declare(kind):
    refuse_misfits(kind)


def test_rows_and_columns_add_up():
    for facts in records_of(DataFacts):
        assert facts.n_rows == facts.n_without_target + facts.n_training + facts.n_holdout
    columns = list(records_of(ColumnFacts))
    assert sum(one.n_features for one in columns) == sum(one.n_features for one in records_of(DataFacts))
