"""The rows that were set aside."""

import math
from dataclasses import replace

from surefit.report.sections.holdout import MOST_CLASSES, holdout
from tests.report.reading import read
from tests.report.samples import classification, regression, unknown


def test_a_regression_has_two_drawings_and_its_intervals():
    root = read(holdout(regression()))
    assert len(list(root.every("svg"))) == 2
    assert "Add and subtract 103.2" in root.text
    assert regression().intervals.statement in root.text


def test_without_intervals_the_page_says_so():
    assert "allows no promise" in read(holdout(unknown())).text


def test_a_classification_counts_its_confusions():
    root = read(holdout(classification()))
    rows = [[one.text for one in row.every("th", "td")] for row in next(root.every("table")).every("tr")]
    assert rows == [
        ["true class", "called malignant", "called benign", "found"],
        ["malignant", "39", "0", "100.0 %"],
        ["benign", "3", "127", "97.7 %"],
    ]
    assert classification().class_sets.statement in root.text
    assert "at least 0.31: that calls 41.0 %" in root.text
    assert len(list(root.every("svg"))) == 1


def test_of_many_classes_the_most_frequent_are_shown_and_the_others_summed():
    first, size = classification(), 30
    counts = tuple(tuple((100 - k) * (k == j) + 1 for j in range(size)) for k in range(size))
    crowd = replace(first, data=replace(first.data, classes=tuple((f"c{k}", 1) for k in range(size))),
                    holdout=replace(first.holdout, confusion=counts))  # fmt: skip
    table = next(read(holdout(crowd)).every("table"))
    rows = [[one.text for one in row.every("th", "td")] for row in table.every("tr")]
    assert len(rows) == MOST_CLASSES + 1
    assert rows[1][-2:] == [str(size - MOST_CLASSES), "77.7 %"]
    assert "the 10 most frequent of 30 classes" in table.text


def test_a_threshold_that_cannot_be_promised_is_not_described():
    first = classification()
    none = replace(first.threshold, threshold=math.nan, statement="No threshold can be promised.")
    text = read(holdout(replace(first, threshold=none))).text
    assert "No threshold can be promised." in text
    assert "Call a row" not in text


def test_classes_without_anything_to_show_make_no_section():
    first = classification()
    bare = replace(first, class_sets=None, threshold=None, reliability=(), holdout=replace(first.holdout, confusion=()))
    assert holdout(bare) is None
