"""A table that a ``make`` target computes and a page of the docs shows: read it there, or put a new one in."""

from dataclasses import dataclass
from pathlib import Path

GUARANTEES = Path(__file__).parents[1] / "docs" / "user-guarantees.md"


@dataclass(frozen=True)
class PageTable:
    """The table between the two marks that the ``make`` target ``target`` has in ``page``."""

    target: str
    page: Path = GUARANTEES

    def shown(self) -> str:
        """The table as it stands in the page."""
        return self._parts()[1].strip()

    def replace(self, table: str) -> None:
        """Put a new table there."""
        before, _, after = self._parts()
        self.page.write_text(f"{before}\n\n{table}\n\n{after}")

    def _parts(self) -> tuple[str, str, str]:
        """What stands up to the first mark, between the two, and from the second on."""
        text, start, end = self.page.read_text(), *(f"<!-- make {self.target}: {mark} -->" for mark in ("start", "end"))
        first, last = text.index(start) + len(start), text.index(end)
        return text[:first], text[first:last], text[last:]
