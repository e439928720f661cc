"""The table and its columns in records."""

from datetime import UTC, datetime

import numpy as np
import pytest

from surefit.study.describe import column_facts, data_facts, fingerprint, machine, version_of
from surefit.study.prepare import prepare
from surefit.study.settings import Settings, settings_of
from tests.study.samples import prepared, table


def test_facts_of_the_table_are_counts_of_its_rows_and_cells():
    data, frame = prepared(), table()
    found = data_facts(data)
    assert (found.n_rows, found.n_training, found.n_holdout, found.n_without_target) == (240, 192, 48, 0)
    assert found.missing_share == pytest.approx(frame["x"].isna().sum() / (3 * 240))
    assert found.target_quantiles == pytest.approx(tuple(np.quantile(frame["y"], [0, 0.25, 0.5, 0.75, 1])))
    assert found.division.startswith("48 of 240 rows were set aside")


def test_classes_are_counted_and_rows_without_a_target_too():
    frame = table()
    frame.loc[:4, "big"] = None
    found = data_facts(prepare(frame, Settings("big", types={"y": "left out"})))
    assert (found.n_rows, found.n_without_target) == (240, 5)
    assert dict(found.classes) == frame["big"].value_counts().to_dict()


def test_columns_say_their_kind_and_what_is_in_them():
    found = {one.name: one for one in column_facts(prepared())}
    assert {name: one.kind for name, one in found.items()} == {
        "x": "number", "z": "number", "colour": "category", "y": "target", "big": "left out",
    }  # fmt: skip
    assert found["x"].missing == table()["x"].isna().sum()
    assert found["x"].n_features == 2
    assert found["z"].greatest == pytest.approx(table()["z"].max())
    assert set(found["colour"].examples) == {"red", "blue", "green"}


def test_the_fingerprint_hangs_on_cells_and_not_on_the_order_of_rows():
    frame, asked = table(), Settings("y")
    changed = frame.assign(z=np.where(np.arange(240) == 7, 0.0, frame["z"]))
    one, other, third = (fingerprint(prepare(rows, asked)) for rows in (frame, frame.iloc[::-1], changed))
    assert one == other != third


def test_the_machine_says_how_to_make_it_again():
    data = prepared(seed=3)
    found = machine(data, datetime(2026, 1, 2, tzinfo=UTC), 1.5, "surefit fit ...")
    assert (found.started, found.seed, found.seconds) == ("2026-01-02T00:00:00+00:00", 3, 1.5)
    again = settings_of(found.config)
    assert (again.target, again.seed, again.types["colour"]) == ("y", 3, "category")
    assert dict(found.versions)["numpy"] == np.__version__ == version_of("numpy")
