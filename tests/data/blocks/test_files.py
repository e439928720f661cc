"""Files in order of their names; parts that workers read are the rows of the whole."""

import numpy as np
import pytest

from surefit.data.blocks import files as module
from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.files import Parquet, files_source, found_files

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
csv = pytest.importorskip("pyarrow.csv")


@pytest.fixture
def folder(tmp_path):
    for k, size in enumerate([70, 0, 130]):
        rows = pa.table({"a": np.arange(size) + 100.0 * k, "y": np.zeros(size)})
        pq.write_table(rows, tmp_path / f"{k}.parquet", row_group_size=33)
        csv.write_csv(rows, tmp_path / f"{k}.csv")
    return tmp_path


def numbers(parts):
    return np.concatenate([block.numbers[:, 0] for part in parts for block in part.blocks()])


@pytest.mark.parametrize("rows", [1, 7, 64, 1000])
def test_parts_that_workers_read_are_the_rows_in_order(folder, rows):
    source = Parquet(found_files(str(folder / "*.parquet")), "y", None, rows)
    wanted = np.append(np.arange(70.0), 200.0 + np.arange(130))
    np.testing.assert_array_equal(numbers(source.parts(True)), wanted)
    np.testing.assert_array_equal(numbers(source.parts(False)), wanted)
    sizes = [len(block) for part in source.parts(True) for block in part.blocks()]
    assert set(sizes[:-1]) <= {rows}
    assert source.n == 200


def test_text_files_have_the_same_rows(folder):
    source = files_source(str(folder / "*.csv"), "y", None, 64)
    np.testing.assert_array_equal(numbers(source.parts(False)), np.append(np.arange(70.0), 200.0 + np.arange(130)))


def test_names_folders_and_what_is_not_there(folder):
    found = found_files([folder / "2.parquet", str(folder / "0.*")])
    assert [name.rsplit("/", 1)[1] for name in found] == ["0.csv", "0.parquet", "2.parquet"]
    with pytest.raises(FileNotFoundError, match="no file"):
        found_files(str(folder / "none*"))
    with pytest.raises(SourceError, match="all"):
        files_source(str(folder), "y", None, 64)


def test_large_files_are_known_by_samples(folder, monkeypatch):
    whole = module.listed_files([str(folder / "0.parquet")])[0]
    monkeypatch.setattr(module, "WHOLE", 100)
    monkeypatch.setattr(module, "SAMPLE", 64)
    sampled = module.listed_files([str(folder / "0.parquet")])[0]
    assert (whole["of"], sampled["of"]) == ("all", "64 samples")
    assert whole["sha256"] != sampled["sha256"]
    with open(folder / "0.parquet", "r+b") as file:
        file.write(b"?")
    assert module.listed_files([str(folder / "0.parquet")])[0]["sha256"] != sampled["sha256"]
