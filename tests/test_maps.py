"""Maps and order of the house: every package names its files, every source has its test, and no folder is crowded."""

import ast
import re
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
ROOT = HOME / "src" / "surefit"
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py") if path.parent != ROOT)
FOR_EACH_CLASS = ROOT / "estimators"
"""Its files are those of the public models, one each, so its map names only where to begin."""


def map_of(package):
    return ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""


def files_named(text):
    """The stems of files, those between two claims included: ``t05.py`` to ``t07.py``."""
    for first, last in re.findall(r"``([a-z]\d+)\.py`` to ``([a-z]\d+)\.py``", text):
        yield from (f"{first[0]}{number:02d}" for number in range(int(first[1:]), int(last[1:]) + 1))
    yield from re.findall(r"(?<![/\w])(\w+)\.py", text)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_map_names_every_file_and_room(package):
    text = map_of(package)
    rooms = {path.parent.name for path in package.glob("*/__init__.py")}
    assert {room for room in rooms if not re.search(rf"\b{room}\b", text)} == set()
    if package != FOR_EACH_CLASS:
        words = set(re.findall(r"\w+", text)) | set(files_named(text))
        assert {path.stem for path in package.glob("*.py")} - words <= {"__init__"}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_map_leads_nowhere_that_is_not_there(package):
    there = {path.stem for path in (*package.glob("*.py"), *package.glob("*/*.py"))}
    between = {name for name in files_named(map_of(package)) if re.fullmatch(r"[a-z]\d+", name)}
    assert set(files_named(map_of(package))) - there - between == set()


def test_the_page_of_the_house_names_files_that_are_there():
    text = (HOME / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for name in set(re.findall(r"`([\w/]+/[\w.]+\.(?:py|cpp|hpp|md))`", text)):
        assert any((place / name.removeprefix("surefit/")).exists() for place in (ROOT, HOME)), name


THROUGH_OTHERS = {
    "estimators/blocks/reading", "estimators/blocks/search", "study/checks/table", "study/encode/parts",
}  # fmt: skip
"""Covered by the tests of the modules that call them; all claims are run by one test."""


def test_every_source_has_a_test_of_its_own():
    through_others = {
        "estimators/blocks/reading",
        "estimators/blocks/search",
        "study/checks/table",
        "study/encode/parts",
    }
    sources = {path.relative_to(ROOT).with_suffix("") for path in ROOT.rglob("*.py") if path.name != "__init__.py"}
    tested = {source for source in sources if (HOME / "tests" / source.parent / f"test_{source.name}.py").exists()}
    lacking = {source.as_posix() for source in sources - tested if source.parts[:2] != ("lab", "claims")}
    assert lacking <= THROUGH_OTHERS


def test_no_room_is_crowded():
    """At most nineteen files beside the map, as many as a reader takes in at a look."""
    assert {str(package) for package in PACKAGES if len(list(package.glob("*.py"))) > 20} == set()
