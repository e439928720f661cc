"""Layer report: ``report.html``: one page that stands for itself.

In: a `StudyResult`.  Out: HTML text with its style and its drawings inside: no script, no network, for light and dark
screens and for paper.  A policy in its head forbids the browser to run or fetch anything, whatever the table holds.
"""

from __future__ import annotations

from importlib.resources import files

from surefit.report.markup import Markup, clean, tag
from surefit.report.sections.advice import advice
from surefit.report.sections.again import again
from surefit.report.sections.certificate import certificate, head
from surefit.report.sections.checks import checks
from surefit.report.sections.data import data
from surefit.report.sections.drivers import drivers, penalty
from surefit.report.sections.holdout import holdout
from surefit.report.sections.leaderboard import leaderboard
from surefit.study.record import StudyResult

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

CONTENTS = (
    ("certificate", "Certificate", certificate),
    ("leaderboard", "Leaderboard", leaderboard),
    ("holdout", "Hold-out", holdout),
    ("drivers", "Columns", drivers),
    ("penalty", "Penalty", penalty),
    ("advice", "Advice", advice),
    ("checks", "Checks", checks),
    ("data", "Data", data),
    ("again", "Again", again),
)
"""Where links lead, their words, and the parts of the page in order."""


def page(result: StudyResult) -> str:
    """The whole page."""
    parts = [(name, word, part(result)) for name, word, part in CONTENTS]
    shown = [(name, word, part) for name, word, part in parts if part is not None]
    links = [tag("li", tag("a", word, href=f"#{name}")) for name, word, _ in shown]
    body = tag(
        "body",
        tag("a", "Skip to the certificate", href="#certificate", class_="skip"),
        head(result),
        tag("nav", tag("ul", links), aria_label="Parts of this report"),
        tag("main", [part for _, _, part in shown]),
        tag("footer", tag("p", "Made by surefit. The same numbers are in report.json and report.md.")),
    )
    return f"<!DOCTYPE html>\n{tag('html', _head(result), body, lang='en')}\n"


def _head(result: StudyResult) -> Markup:
    style = (files("surefit.report") / "style.css").read_text("utf-8")
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", clean(result.title)),
        tag("style", Markup(style)),
    )
