"""Layer theory: what a certificate from the latest rows says of the time after them.

In: a `Certificate` from held-out rows in the order of time, the `Evidence` of a bet against that order meaning nothing,
and the first and last time in words.  Out: the certificate that speaks of that time.  Held-out rows say nothing of a
future that differs from theirs; whether theirs differed already from its beginning to its end can be tested.
"""

from __future__ import annotations

from dataclasses import replace

from surefit.page import number
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.wording import at_least
from surefit.theory.means.exchangeability import ENOUGH, Evidence

STEADY = "errors keep their law from the beginning of the held-out time to its end, and after it"


def steady(evidence: Evidence) -> Assumption:
    """What the test of order says, as an assumption.

    >>> print(steady(Evidence(0.7, 1.4, 31, 200)))
    tested: errors keep their law from the beginning of the held-out time to its end, and after it (no change was
    detected up to the end: evidence e = 0.7, alarm at 100; a small or recent one may be missed, and after it
    nothing can be tested)
    """
    if not evidence.found:
        found = (
            f"no change was detected up to the end: evidence e = {number(evidence.e, 2)}, alarm at {ENOUGH:g}; a small "
            "or recent one may be missed, and after it nothing can be tested"
        )
        return Assumption(STEADY, Standing.TESTED, found)
    return Assumption(STEADY, Standing.VIOLATED, change(evidence))


def change(evidence: Evidence) -> str:
    """The evidence in words, where there is some."""
    return (
        f"a bet that the order of the rows matters grew {at_least(evidence.highest, 3)}-fold by row {evidence.after:,} "
        f"of {evidence.n:,}; chance does that less than once in {at_least(evidence.highest, 3)} times"
    )


def of_that_time(found: Certificate, evidence: Evidence, first: str, last: str) -> Certificate:
    """``found`` as a statement about rows like those from ``first`` to ``last``; none about later ones if these differ.

    >>> one = Certificate("It errs on at most 9 %.", 0.09, 0.05, 0.05, "clopper-pearson", (), Verdict.INFORMATIVE)
    >>> print(of_that_time(one, Evidence(0.7, 1.4, 31, 200), "2024-01", "2024-06").statement)
    It errs on at most 9 %.  These rows are the latest, from 2024-01 to 2024-06: it holds for later rows only if nothing
    has changed since.
    """
    span = f"from {first} to {last}"
    assumptions = (*found.assumptions, steady(evidence))
    if not evidence.found:
        text = (
            f"{found.statement}  These rows are the latest, {span}: it holds for later rows only if nothing has "
            "changed since."
        )
        return replace(found, statement=text, assumptions=assumptions)
    text = (
        f"No guarantee for a later time: the errors on the latest rows, {span}, change with time.  On average over "
        f"that time: {found.statement[0].lower()}{found.statement[1:]}"
    )
    return replace(found, statement=text, assumptions=assumptions, status=Verdict.VACUOUS, further=())
