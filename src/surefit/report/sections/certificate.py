"""Layer report: the head of the page and the certificate card."""

from __future__ import annotations

from surefit.page import number
from surefit.report.markup import Markup, tag
from surefit.report.sections.parts import facts, section, table, unfolded
from surefit.report.words import STANDING_MEANINGS, STANDINGS, count, meaning, short_verdict
from surefit.study.record import StudyResult
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.wording import confidence

TONES = {Verdict.INFORMATIVE: "good", Verdict.NO_BETTER: "doubtful", Verdict.VACUOUS: "silent"}

STANDING_TONES = {
    Standing.CHECKED: "good",
    Standing.TESTED: "good",
    Standing.DECLARED: "plain",
    Standing.UNVERIFIABLE: "plain",
    Standing.VIOLATED: "bad",
}

ORDER = (Standing.VIOLATED, Standing.CHECKED, Standing.TESTED, Standing.DECLARED, Standing.UNVERIFIABLE)


def head(result: StudyResult) -> Markup:
    """The title, the result in a sentence or two, and what it stands on."""
    issues = sum(one.kind == "issue" for one in result.checks.found)
    marks = [
        (result.leaderboard.winner, "chosen model"),
        (f"{result.data.n_training:,}", "rows to learn from"),
        (f"{result.data.n_holdout:,}", "rows set aside for the certificate"),
        (count(issues, "issue").split(" ")[0], "issue found" if issues == 1 else "issues found"),
    ]
    tiles = [tag("li", tag("b", value), tag("span", label)) for value, label in marks]
    return tag(
        "header",
        tag("h1", result.title),
        tag("p", result.headline, class_="headline"),
        tag("ul", tiles, class_="tiles"),
    )


def certificate(result: StudyResult) -> Markup:
    """What the model will do on rows that nobody has seen."""
    found = result.certificate
    verdict = tag("p", tag("strong", short_verdict(found), class_=f"mark {TONES[found.status]}"), " ", meaning(found))
    further = tag("ul", [tag("li", one.statement) for one in found.further]) if found.further else None
    card = tag(
        "div", tag("p", found.statement, class_="statement"), verdict, further, class_=f"card {TONES[found.status]}"
    )
    return section("certificate", "What the model will do on new rows", card, _assumptions(found), _mathematics(found))


def _assumptions(found: Certificate) -> Markup | None:
    """What the certificate stands on, what is violated first."""
    if not found.assumptions:
        return None
    sorted_ones = sorted(found.assumptions, key=lambda one: ORDER.index(one.standing))
    listed = tag("ul", map(_assumption, sorted_ones), class_="assumptions")
    return tag("div", tag("h3", "What it stands on"), listed)


def _assumption(one: Assumption) -> Markup:
    mark = tag("strong", STANDINGS[one.standing], class_=f"mark {STANDING_TONES[one.standing]}",
               title=STANDING_MEANINGS[one.standing])  # fmt: skip
    return tag("li", mark, " ", one.text, tag("span", f" ({one.evidence})", class_="quiet") if one.evidence else None)


def _mathematics(found: Certificate) -> Markup:
    rows = [
        (one.method, number(one.bound), number(one.empirical), confidence(one.delta)) for one in (found, *found.further)
    ]
    bounds = table("Bounds in numbers", ("method", "bound", "measured", "confidence"), rows, numbers=(1, 2, 3))
    inputs = facts([(name.replace("_", " "), number(value, 6)) for name, value in found.inputs.items()])
    return unfolded(
        "The mathematics", bounds, tag("h4", "Numbers that went in"), inputs, tag("p", found.reference, class_="quiet")
    )
