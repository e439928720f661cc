"""The table of all certificates: what the page shows is what the code computes."""

import pytest

from benchmarks.guarantees import HEADER, SECTIONS, TABLE, guarantee_table


def cells(table):
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in table.splitlines()[2:]]


def test_the_page_shows_every_section():
    rows = cells(TABLE.shown())
    assert all(len(row) == len(HEADER) for row in rows)
    assert {row[0] for row in rows} == {"breast cancer", "digits, 8 or not", "diabetes"}
    assert {row[-1] for row in rows} == {
        "**informative**",
        "not certified to beat a constant",
        "vacuous",
    }


@pytest.mark.parametrize("section", SECTIONS)
def test_the_page_shows_what_is_computed(section):
    computed = cells(guarantee_table((section,)))
    shown = [row for row in cells(TABLE.shown()) if row[0].startswith(section)]
    assert shown == computed
