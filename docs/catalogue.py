"""Fills the last column of ``catalogue.md``: what implements each entry, read from the docstrings of the sources.

In: the page, whose statements are written by hand, and the sources.  Out: the page with its last column renewed.  Run
``python docs/catalogue.py`` after a docstring that cites an entry has changed; `tests/docs/test_catalogue.py` compares.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PAGE, SOURCES, TESTS = HERE / "catalogue.md", HERE.parent / "src" / "surefit", HERE.parent / "tests"

ENTRY = re.compile(r"\b([ACDEFKLPRSTX])-(?!00\b)(\d{2,3})(?:\.\.(?:\1-)?(\d{2,3}))?\b")
ROW = re.compile(r"^\| ([A-Z]-\d{2,3}) \| (.*?) \| (.*?) \|$")


def entries(text: str) -> Iterator[str]:
    """The ids that a text cites, ranges written out.

    >>> list(entries("Catalogue A-01..A-03, T-76."))
    ['A-01', 'A-02', 'A-03', 'T-76']
    """
    for letter, first, last in ENTRY.findall(text):
        for k in range(int(first), int(last or first) + 1):
            yield f"{letter}-{k:0{len(first)}}"


def docstrings(tree: ast.Module) -> Iterator[tuple[str | None, str]]:
    """Every docstring with the public function or class that it belongs to, None if to the module or to neither."""
    yield None, ast.get_docstring(tree) or ""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            owner = None if node.name.startswith("_") else node.name
            for part in ast.walk(node):
                if isinstance(part, ast.FunctionDef | ast.ClassDef):
                    yield owner, ast.get_docstring(part) or ""


def implementers(sources: Path) -> dict[str, list[str]]:
    """For each id the functions and classes that cite it; the module, where it or something private does alone."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(sources.rglob("*.py")):
        module = ".".join(path.relative_to(sources).with_suffix("").parts)
        owners: dict[str, set[str | None]] = defaultdict(set)
        for owner, text in docstrings(ast.parse(path.read_text())):
            for one in entries(text):
                owners[one].add(owner)
        for one, names in owners.items():
            found[one] |= {name for name in names if name} or {module}
    return {one: sorted(names, key=lambda name: (name.lower(), name)) for one, names in found.items()}


def cited_by_tests(tests: Path) -> set[str]:
    """The ids that some test cites; those of the lab also name claims that there are none of."""
    files = [path for path in tests.rglob("*.py") if not re.search("lab", str(path.relative_to(tests)))]
    return {one for path in files for one in entries(path.read_text())}


def filled(page: str, found: dict[str, list[str]], checked: set[str]) -> str:
    """The page with its last column renewed."""
    lines = []
    for line in page.splitlines():
        row = ROW.match(line)
        if row:
            one, statement, _ = row.groups()
            names = ", ".join(f"`{name}`" for name in found.get(one, ()))
            line = f"| {one} | {statement} | {names or ('shown in the tests' if one in checked else 'not yet')} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(), implementers(SOURCES), cited_by_tests(TESTS)))
