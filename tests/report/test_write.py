"""Three files from one record."""

import json
import os

import pytest

from surefit.report import page, text, write
from surefit.report.write import as_json
from tests.report import samples


def test_three_files_are_written_into_a_new_folder(tmp_path):
    result = samples.regression()
    written = write(result, tmp_path / "new" / "folder")
    assert sorted(os.listdir(tmp_path / "new" / "folder")) == ["report.html", "report.json", "report.md"]
    assert written.html.read_text("utf-8") == page(result)
    assert written.markdown.read_text("utf-8") == text(result)
    assert json.loads(written.json.read_text("utf-8")) == json.loads(as_json(result))


def test_the_same_result_gives_the_same_files():
    result = samples.classification()
    assert page(result) == page(result)
    assert as_json(result) == as_json(result)


@pytest.mark.parametrize("make", [samples.regression, samples.classification, samples.hostile, samples.unknown])
def test_json_holds_every_field_and_no_number_that_json_does_not_know(make):
    found = json.loads(as_json(make()), parse_constant=pytest.fail)
    assert found["schema"] == 1
    assert found.keys() == make().as_dict().keys()
    assert found["certificate"]["status"] == "informative"


def test_a_failure_leaves_no_half_file(tmp_path):
    with pytest.raises(FileExistsError):
        write(samples.regression(), _file(tmp_path))
    assert os.listdir(tmp_path) == ["taken"]


def _file(folder):
    (folder / "taken").write_text("x")
    return folder / "taken"
