"""The page of the catalogue agrees with the docstrings, and its ids appear in no text that users are shown."""

import ast
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CATALOGUE = runpy.run_path(str(ROOT / "docs" / "catalogue.py"))
PAGE = CATALOGUE["PAGE"].read_text()
ROWS = [CATALOGUE["ROW"].match(line).groups() for line in PAGE.splitlines() if CATALOGUE["ROW"].match(line)]
IDS = [row[0] for row in ROWS]


@pytest.fixture(scope="module")
def found():
    """For each id who implements it: all sources are read, so not while tests are collected."""
    return CATALOGUE["implementers"](CATALOGUE["SOURCES"])


def test_the_last_column_is_what_the_docstrings_say(found):
    tested = CATALOGUE["cited_by_tests"](CATALOGUE["TESTS"])
    assert CATALOGUE["filled"](PAGE, found, tested) == PAGE, "run `python docs/catalogue.py`"


def test_every_id_that_is_cited_has_a_sentence_and_no_id_has_two(found):
    assert len(set(IDS)) == len(IDS)
    assert set(found) <= set(IDS)
    assert CATALOGUE["cited_by_tests"](CATALOGUE["TESTS"]) <= set(IDS)


@pytest.mark.parametrize(
    ("letter", "last"),
    [("D", 11), ("L", 14), ("P", 8), ("K", 20), ("R", 12), ("A", 46), ("T", 85), ("S", 12), ("C", 10), ("F", 17)],
)
def test_the_ids_of_a_section_are_numbered_without_a_gap(letter, last):
    assert [one for one in IDS if one.startswith(letter)] == [f"{letter}-{k:02}" for k in range(1, last + 1)]


def test_statements_are_one_sentence():
    for one, statement, _ in ROWS:
        assert statement.endswith("."), one
        assert statement[0].isupper() or statement[0] == "`", one
        assert len(statement) <= 160, one


def test_no_text_of_the_sources_but_docstrings_cites_the_catalogue():
    cited = []
    for path in CATALOGUE["SOURCES"].rglob("*.py"):
        if "lab" in path.with_suffix("").parts:  # whose claims are called by their ids
            continue
        tree = ast.parse(path.read_text())
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                named = list(CATALOGUE["entries"](node.value)) or "catalogue" in node.value.lower()
                cited += [f"{path.name}:{node.lineno}"] if named else []
    assert not cited
