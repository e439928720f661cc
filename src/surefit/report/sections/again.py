"""Layer report: what made the result, and how to make it again."""

from __future__ import annotations

from surefit.report.markup import Markup, tag
from surefit.report.sections.parts import facts, section, unfolded
from surefit.report.words import duration
from surefit.study.record import StudyResult

MOST_LETTERS = 20_000


def again(result: StudyResult) -> Markup:
    """The command, the settings, and the versions."""
    made = result.machine
    pairs = [
        ("Began", made.started),
        ("Took", duration(made.seconds)),
        ("Allowed", duration(made.budget)),
        ("Seed", str(made.seed)),
    ]
    config = unfolded("All settings", tag("pre", made.config[:MOST_LETTERS])) if made.config else None
    versions = tag("p", "Made with ", ", ".join(f"{name} {version}" for name, version in made.versions), ".")
    return section(
        "again", "How to make this again", tag("pre", made.command[:MOST_LETTERS]), facts(pairs), config, versions
    )
