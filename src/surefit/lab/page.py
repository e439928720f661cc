"""Layer lab: the report of the lab: one HTML page that needs no network.

In: outcomes that were kept, figures drawn from kept numbers.  Out: a page with the table of verdicts, the map, every
claim with its statement, assumptions and power, the figures, and sliders that move the curves of theory over stored
simulations.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from io import StringIO
from pathlib import Path

from surefit.lab.catalogue import UNTRIED
from surefit.lab.claims import every_claim
from surefit.lab.figures import FIGURES
from surefit.lab.map import draw_map
from surefit.lab.results import as_expected, power, summary
from surefit.lab.run import Outcome
from surefit.lab.sliders import slider_data

TEMPLATE = Path(__file__).with_name("page.html")


def write_page(outcomes: Sequence[Outcome], path: str | Path, kept: str | Path | None = None) -> Path:
    """Write the report to ``path``; numbers of figures are kept in, and taken from, the folder ``kept``."""
    found = {outcome.id: outcome for outcome in outcomes}
    parts = {
        "summary": escape(summary(found)),
        "rows": "\n".join(_row(found[claim.id]) for claim in every_claim() if claim.id in found),
        "map": draw_map(found),
        "claims": "\n".join(_section(found[claim.id]) for claim in every_claim() if claim.id in found),
        "untried": "\n".join(f"<li><b>{name}</b>: {escape(reason)}.</li>" for name, reason in UNTRIED.items()),
        "figures": "\n".join(_figure(name, kept) for name in sorted(FIGURES)),
        "data": json.dumps(slider_data()),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"@@{name}@@", part)
    path = Path(path)
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
    return path


def _row(outcome: Outcome) -> str:
    claim = next(claim for claim in every_claim() if claim.id == outcome.id)
    mark = "as expected" if as_expected(outcome) else "<b>not as expected</b>"
    return (
        f'<tr><td><a href="#{claim.id}">{claim.id}</a></td><td>{escape(claim.title)}</td>'
        f"<td>{outcome.judgement.words}; {mark}</td><td>{outcome.judgement.repeats:,}</td>"
        f"<td>{power(outcome)}</td></tr>"
    )


def _section(outcome: Outcome) -> str:
    claim = next(claim for claim in every_claim() if claim.id == outcome.id)
    assumed = "".join(f"<li>{escape(text)}</li>" for text in claim.assumptions) or "<li>none</li>"
    settings = ", ".join(f"{name} = {value}" for name, value in outcome.settings.items()) or "none"
    broken = "".join(f"Broken assumption: {text}. " for text in outcome.broken)
    uses = ", ".join(f'<a href="#{name}">{name}</a>' for name in claim.uses) or "nothing else here"
    return (
        f'<section id="{claim.id}"><h3>{claim.id}: {escape(claim.title)}</h3>'
        f"<p><code>{escape(claim.statement)}</code></p><p>Verdict: {escape(outcome.judgement.sentence)}.</p>"
        "<details><summary>Assumptions, settings, mistakes</summary>"
        f"<ul>{assumed}</ul><p>Settings: {escape(settings)}; seed {outcome.seed}. Rests on {uses}. {escape(broken)}"
        f"The mistake it must catch: {escape(claim.mistake)}.</p></details></section>"
    )


def _figure(name: str, kept: str | Path | None) -> str:
    figure, picture = FIGURES[name], StringIO()
    figure.plot(kept).savefig(picture, format="svg", metadata={"Date": None})
    drawn = picture.getvalue()
    drawn = drawn[drawn.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{escape(figure.title)}" ', 1)
    caption = escape(figure.caption(figure.data(kept)))
    return f"<figure id='{name}'>{drawn}<figcaption>{name}: {caption}</figcaption></figure>"
