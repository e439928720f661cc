"""``docs/report.md`` says what every entry of report.json is, in the words of the record itself.

``python tests/report/test_schema.py`` writes the tables anew.
"""

import ast
from pathlib import Path

from surefit.study import record
from surefit.study.records import board, data, noticed, winner

PAGE = Path(__file__).parents[2] / "docs" / "report.md"
MODULES = (data, board, winner, noticed, record)
MARK = "<!-- written from surefit/study/records; tests/report/test_schema.py keeps it so -->\n"


def tables():
    """One table for each record: its fields, their types, and the sentences that stand beneath them."""
    sources = [ast.parse(Path(module.__file__).read_text("utf-8")) for module in MODULES]
    classes = [node for source in sources for node in source.body if isinstance(node, ast.ClassDef)]
    lines = []
    for node in reversed(classes):
        fields = [
            (one.target.id, ast.unparse(one.annotation), ast.get_docstring(ast.Module([after], [])) or "")
            for one, after in zip(node.body, [*node.body[1:], ast.Pass()], strict=True)
            if isinstance(one, ast.AnnAssign)
        ]
        if fields:
            lines += ["", f"### {node.name}", "", " ".join(ast.get_docstring(node).split("\n\n")[0].split()), ""]
            lines += ["| entry | type | is |", "|:--|:--|:--|"]
            lines += [
                f"| `{name}` | `{kind.replace('|', 'or')}` | {' '.join(text.split())} |" for name, kind, text in fields
            ]
    return "\n".join(lines) + "\n"


def test_the_page_describes_every_entry_of_the_json():
    written = PAGE.read_text("utf-8").partition(MARK)[2]
    assert written == tables(), "run python tests/report/test_schema.py"
    assert "| `headline` | `str` |" in written


if __name__ == "__main__":
    head = PAGE.read_text("utf-8").partition(MARK)[0]
    PAGE.write_text(head + MARK + tables(), "utf-8")
