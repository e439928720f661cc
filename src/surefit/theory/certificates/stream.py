"""Layer theory: what a stream of losses certifies while it runs.

In: a `RunningMean` of losses, each of a prediction made before its label was seen.  Out: a `Certificate` that holds at
every moment of the stream at once, and names what it is about: the models used so far, their average, or one model that
does not change.  It is informative only if the labels that came show that every constant errs more often.  Online to
batch: Cesa-Bianchi, Conconi and Gentile (2004), with `martingale_kl` as the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from surefit.page import number
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.compared import verdict_of
from surefit.theory.certificates.wording import alone, at_most, confidence, percent, percent_at_most
from surefit.theory.means.arguments import kept_promise
from surefit.theory.means.running import RunningMean

FRESH = Assumption(
    "every row is a draw of one population, independent of the rows before it, and future rows are too",
    Standing.UNVERIFIABLE,
)
PREDICTED_FIRST = Assumption(
    "every prediction was made before its label was seen", Standing.CHECKED, "by the order of the protocol"
)


class About(Enum):
    """What a bound on a stream is about; the value is how a sentence calls it."""

    MODELS_SO_FAR = "the models used so far"
    AVERAGE = "the mean of the weights used so far"
    ONE_MODEL = "this model"


def stream_certificate(
    running: RunningMean,
    about: About,
    delta: float = 0.05,
    *,
    zero_one: bool = True,
    method: str = "kl",
    assumptions: tuple[Assumption, ...] = (),
    labels: Mapping[Any, int] | None = None,
) -> Certificate:
    """The bound on the risk of what ``about`` says, from the losses of a stream.  ``zero_one``: losses are errors.

    ``labels``: how often each label came, to compare errors with those of a constant; without, nothing is certified
    to beat one.

    >>> running = RunningMean(1.0, 500, 50.0)
    >>> print(stream_certificate(running, About.MODELS_SO_FAR).statement)
    With 95 % confidence, at every moment of the stream at once, the models used so far err on at most 14.8 % of rows
    like these on average (observed 10.0 % in 500 rows).
    """
    delta = kept_promise(delta)
    if running.n == 0:
        raise ValueError("no label has come yet, so nothing is known; learn from some rows first")
    one = about is About.ONE_MODEL

    def bound_at(level: float) -> float:
        return running.risk_bound(level) if one else running.mean_risk_bound(level, method)

    bound = bound_at(delta)
    fine = (
        () if zero_one else (Assumption(f"no loss exceeds {running.upper:g}", Standing.DECLARED, "none so far does"),)
    )
    further = () if labels is None else (_beside_constants(running, about, delta, bound_at, labels),)
    return Certificate(
        statement=_sentence(running, about, delta, bound, zero_one),
        bound=bound,
        empirical=running.mean,
        delta=delta,
        method="bernoulli sequence" if one else f"martingale-{method}",
        assumptions=(FRESH, PREDICTED_FIRST, *fine, *assumptions),
        status=verdict_of(bound, running.upper, *further or (None,)),
        inputs={"n": running.n, "total": running.total * running.upper, "upper": running.upper},
        reference="Cesa-Bianchi, Conconi and Gentile (2004); mixture of supermartingales, Ville (1939)",
        further=further,
    )


def _beside_constants(
    running: RunningMean, about: About, delta: float, bound_at: Callable[[float], float], labels: Mapping[Any, int]
) -> Certificate:
    """Whether every constant answer errs more often, from the number of rows of each label.

    Half of ``delta`` is for the errors, half for the share of a label.  To claim that all constants are beaten, each is
    tested at the whole half: the claim is wrong only if one of them is not beaten, and then the test of that one errs.
    """
    best, times = max(labels.items(), key=lambda one: one[1])
    others_err = min(1.0 - RunningMean(1.0, running.n, float(k)).risk_bound(delta / 2) for k in labels.values())
    gain, seen = others_err - bound_at(delta / 2), 1.0 - times / running.n
    verb = "errs" if about is not About.MODELS_SO_FAR else "err"
    text = f"Always answering {best!r}, the most frequent label, errs on {percent(seen)} of the same rows.  "
    if gain > 0:
        text += f"On rows like these every constant answer errs more often than {about.value} "
        text += f"({alone(delta)})." if verb == "errs" else f"on average ({alone(delta)})."
    else:
        text += f"These rows do not show that {about.value} {verb} less often; that may or may not be so."
    return Certificate(
        text, gain, seen - running.mean, delta, "two sequences side by side", (FRESH,),
        Verdict.INFORMATIVE if gain > 0 else Verdict.NO_BETTER, {"n": running.n, "most_frequent": times},
    )  # fmt: skip


def _sentence(running: RunningMean, about: About, delta: float, bound: float, zero_one: bool) -> str:
    opening = f"With {confidence(delta)} confidence, at every moment of the stream at once, "
    several = about is About.MODELS_SO_FAR
    tail = f"rows like these{' on average' if several else ''}"
    if zero_one:
        verb = "err" if several else "errs"
        seen = f"(observed {percent(running.mean)} in {running.n:,} rows)"
        return f"{opening}{about.value} {verb} on at most {percent_at_most(bound)} of {tail} {seen}."
    seen = f"(observed {number(running.mean)} in {running.n:,} rows)"
    return f"{opening}the mean loss of {about.value} on {tail} is at most {at_most(bound)} {seen}."
