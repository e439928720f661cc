"""Layer theory: what a stream of losses certifies while it runs.

In: a `RunningMean` of losses, each of a prediction made before its label was seen.  Out: a `Certificate` that holds at
every moment of the stream at once, and names what it is about: the models used so far, their average, or one model that
does not change.  Online to batch: Cesa-Bianchi, Conconi and Gentile (2004), with `martingale_kl` as the bound.
"""

from __future__ import annotations

from enum import Enum

from surefit.page import number
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.wording import at_most, confidence, percent, percent_at_most
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
) -> Certificate:
    """The bound on the risk of what ``about`` says, from the losses of a stream.  ``zero_one``: losses are errors.

    >>> running = RunningMean(1.0, 500, 50.0)
    >>> print(stream_certificate(running, About.MODELS_SO_FAR).statement)
    With 95 % confidence, at every moment of the stream at once, the models used so far err on at most 14.8 % of rows
    like these on average (observed 10.0 % in 500 rows).
    """
    delta = kept_promise(delta)
    if running.n == 0:
        raise ValueError("no label has come yet, so nothing is known; learn from some rows first")
    one = about is About.ONE_MODEL
    bound = running.risk_bound(delta) if one else running.mean_risk_bound(delta, method)
    fine = (
        () if zero_one else (Assumption(f"no loss exceeds {running.upper:g}", Standing.DECLARED, "none so far does"),)
    )
    return Certificate(
        statement=_sentence(running, about, delta, bound, zero_one),
        bound=bound,
        empirical=running.mean,
        delta=delta,
        method="bernoulli sequence" if one else f"martingale-{method}",
        assumptions=(FRESH, PREDICTED_FIRST, *fine, *assumptions),
        status=Verdict.VACUOUS if bound >= running.upper else Verdict.INFORMATIVE,
        inputs={"n": running.n, "total": running.total * running.upper, "upper": running.upper},
        reference="Cesa-Bianchi, Conconi and Gentile (2004); mixture of supermartingales, Ville (1939)",
    )


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
