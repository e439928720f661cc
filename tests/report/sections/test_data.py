"""The table and its columns."""

from dataclasses import replace

from surefit.report.sections.data import MOST_COLUMNS, data
from tests.report.reading import read
from tests.report.samples import classification, regression


def facts(root):
    return {one.inner[0].text: one.inner[1].text for one in next(root.every("dl")).every("div")}


def test_the_facts_of_the_table_are_listed_without_those_that_are_not_there():
    found = facts(read(data(regression())))
    assert found["Rows"] == "442"
    assert found["Missing cells"] == "0.1 %"
    assert found["Smallest, quartiles, largest target"] == "25, 87, 140.5, 211.5, 346"
    assert "Groups" not in found
    assert "Classes" not in found


def test_classes_are_counted():
    assert facts(read(data(classification())))["Classes"] == "malignant (212), benign (357)"


def test_every_column_has_its_kind_and_the_reason():
    rows = [
        [one.text for one in row.every("th", "td")] for row in next(read(data(regression())).every("tbody")).every("tr")
    ]
    assert len(rows) == 12
    assert rows[-2] == ["clinic", "category", "", "4", "", "north, south, east", "it has 4 levels"]
    assert rows[9][:5] == ["s6", "number", "3", "200", "-0.1, 0, 0.2"]


def test_very_many_columns_are_left_to_the_json():
    first = regression()
    wide = replace(first, columns=first.columns[:1] * (MOST_COLUMNS + 5))
    root = read(data(wide))
    assert sum(1 for _ in next(root.every("tbody")).every("tr")) == MOST_COLUMNS
    assert "5 further columns in report.json." in root.text
