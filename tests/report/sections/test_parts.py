"""Headings, tables and notes."""

from surefit.report.markup import tag
from surefit.report.sections.parts import cut, drawn, facts, section, side_by_side, some, table, unfolded
from tests.report.reading import read


def test_a_section_is_named_by_its_heading():
    root = read(section("here", "Title", tag("p", "text")))
    (part,) = root.every("section")
    assert part.attributes["aria-labelledby"] == next(root.every("h2")).attributes["id"] == "here"


def test_a_table_names_its_rows_and_columns():
    root = read(table("Caption", ("a", "b"), [("x", 1), ("y", "<2>")], numbers=(1,), marked=(1,)))
    assert [one.text for one in root.every("th") if one.attributes["scope"] == "col"] == ["a", "b"]
    assert [one.text for one in root.every("th") if one.attributes["scope"] == "row"] == ["x", "y"]
    assert [one.text for one in root.every("td")] == ["1", "<2>"]
    rows = list(root.every("tr"))
    assert "marked" not in rows[1].attributes.get("class", "")
    assert rows[2].attributes["class"] == "marked"
    assert next(root.every("div")).attributes["tabindex"] == "0"  # a wide table can be scrolled by keyboard


def test_long_texts_are_cut_and_markup_is_not():
    assert len(cut("x" * 1000)) == 301
    assert cut(tag("p", "x" * 1000)) == tag("p", "x" * 1000)
    assert cut(3) == 3


def test_what_is_not_there_leaves_no_trace():
    assert drawn(None, "x") is None
    assert side_by_side(None, None) is None
    assert [one.text for one in read(facts([("a", "1"), ("b", "")])).every("dt")] == ["a"]


def test_notes_are_folded():
    (note,) = read(unfolded("More", tag("p", "x"))).every("details")
    assert "open" not in note.attributes
    assert next(note.every("summary")).text == "More"


def test_of_very_many_names_some_are_shown():
    assert some([str(k) for k in range(20)], 3) == "0, 1, 2 and 17 more"
    assert some(["x" * 100]) == "x" * 60 + "…"
    assert some([]) == ""
