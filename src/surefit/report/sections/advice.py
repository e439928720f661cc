"""Layer report: what would most likely help."""

from __future__ import annotations

import math

from surefit.report.figures.curves import learning_curve
from surefit.report.markup import Markup, tag
from surefit.report.sections.parts import drawn, section
from surefit.report.words import metric_title
from surefit.study.record import StudyResult
from surefit.study.records.noticed import Advice
from surefit.theory.certificates.wording import percent


def advice(result: StudyResult) -> Markup | None:
    """More rows, another family, a look at outliers: the most promising first."""
    curve = None
    if (found := result.learning_curve) is not None:
        drawing = learning_curve(found, metric_title(result.leaderboard.metric))
        curve = drawn(drawing, f"{found.sentence} The hollow dot is what the curve expects with twice the rows.")
        if drawing is not None and not math.isfinite(found.at_double):
            curve = drawn(drawing, found.sentence)
    if not result.advice and curve is None:
        return None
    listed = tag("ol", map(_item, result.advice), class_="advice") if result.advice else None
    return section("advice", "What would most likely help", listed, curve)


def _item(one: Advice) -> Markup:
    gain = tag("span", f" (about {percent(one.gain)} less error)", class_="quiet") if math.isfinite(one.gain) else None
    return tag("li", tag("strong", one.title), gain, ": ", one.sentence)
