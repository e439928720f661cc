"""Everything is escaped unless it was made here."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefit.report.markup import Markup, clean, joined, tag
from tests.report.reading import read


@settings(max_examples=60)
@given(st.text(), st.text())
def test_any_text_is_one_text_and_any_attribute_one_attribute(text, attribute):
    root = read(tag("p", text, title=attribute))
    (found,) = root.every()
    assert found.name == "p"
    assert list(found.attributes) == ["title"]
    assert found.inner == ([found.text] if clean(text) else [])


@pytest.mark.parametrize("text", ["<script>x</script>", "</p><b>", "&lt;", "a < b & c", "'\"", "]]>"])
def test_names_of_elements_in_texts_stay_texts(text):
    root = read(tag("p", text, title=text))
    assert [one.name for one in root.every()] == ["p"]
    assert root.text == text
    assert next(root.every()).attributes["title"] == text


def test_what_no_document_may_hold_is_replaced():
    assert clean("a\x00\x1b\ud800\u202eb\tc\n") == "a" + "\N{REPLACEMENT CHARACTER}" * 4 + "b\tc\n"
    tag("p", "\ud800").encode("utf-8")


def test_parts_are_joined_in_order_and_nothing_is_left_out():
    assert joined(["a", None, tag("b", 1), ("<", [Markup("<i>")])]) == "a<b>1</b>&lt;<i>"
    assert tag("p", None, class_=None, aria_label="x", data_row_=0) == '<p aria-label="x" data-row="0"></p>'
    assert tag("meta", name="x", charset="utf-8") == '<meta name="x" charset="utf-8">'
