"""Layer theory: a certificate from the training rows alone, by the one theorem designated for that kind of model.

In: a `Designated` bound, what it assumes, and how it would fall with more rows.  Out: a `Certificate`.  Which theorem a
model gets is fixed beforehand: the smallest of several would need ``delta`` divided.  Most are vacuous at everyday
sizes; then the certificate says so, how many rows the theorem would need, and what a hold-out would certify.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.page import number
from surefit.theory.bounds.record import Bound
from surefit.theory.bounds.sample_size import rows_needed
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.holdout import COVERAGE, upper_rank
from surefit.theory.certificates.holdout import rows_needed as quantile_rows
from surefit.theory.certificates.wording import (
    at_least,
    at_most,
    confidence,
    percent,
    percent_at_least,
    percent_at_most,
)
from surefit.theory.means.concentration import binomial_upper

SHARE = 0.2
MOST_ROWS = 10**9
DRAWN = Assumption("training and future rows are independent draws of one population", Standing.UNVERIFIABLE)
UNIFORM = Assumption(
    "lam, weights and coefficients need not be fixed before these rows were seen",
    Standing.CHECKED,
    "the bound holds for every member of the class at once",
)
FIXED_COLUMNS = Assumption(
    "the columns were chosen and scaled before these rows were seen",
    Standing.DECLARED,
    "a choice that looked at these rows makes this statement false; choose on other rows, or inside Certified",
)


@dataclass(frozen=True)
class Designated:
    """One theorem applied to one fit.

    ``quantity`` names what is bounded ("the share of future rows on which this model errs"); ``value`` is the bound
    and ``empirical`` its measured part; ``largest`` holds anyway; ``constant`` is what the best constant is
    certified to lose at least, ``constant_seen`` what it loses on these rows; ``at(n)`` is the bound with ``n`` rows
    and all else equal, from ``at_least`` rows on.
    ``remedy`` says what a hold-out would give instead.  A ``rate`` is printed in per cent.
    """

    quantity: str
    value: float
    empirical: float
    n: int
    method: str
    reference: str
    assumptions: tuple[Assumption, ...]
    largest: float = 1.0
    constant: float = 1.0
    constant_seen: float = 1.0
    rate: bool = True
    at: Callable[[int], float] | None = None
    at_least: int = 1
    remedy: str = ""
    inputs: Mapping[str, float] = field(default_factory=dict)


def by_bound(bound: Bound, n: int, further: Mapping[str, float] | None = None, **about: Any) -> Designated:
    """A `Designated` with the numbers and names of a `Bound`, unless ``about`` has others."""
    inputs = {name: float(number) for name, number in {**bound.inputs, **(further or {})}.items()}
    names = {"value": bound.value, "empirical": bound.empirical, "method": bound.method, "reference": bound.reference}
    return Designated(**{**names, "n": n, "inputs": inputs, **about})


def training_certificate(found: Designated, delta: float, n_models_fixed: int = 1) -> Certificate:
    """The sentence, the status and the remedy for a `Designated` bound that was computed at ``delta / n_models_fixed``.

    A violated assumption leaves nothing of a theorem: the bound is then the trivial one.
    """
    broken = [one for one in found.assumptions if one.standing is Standing.VIOLATED]
    bound = found.largest if broken else min(found.value, found.largest)
    status = _status(bound, found)
    inputs = {**found.inputs, "n": found.n, "value": found.value, "constant": found.constant}
    inputs["constant_seen"] = found.constant_seen
    inputs = {**inputs, "largest": found.largest, "n_models_fixed": n_models_fixed}
    tried = "" if n_models_fixed == 1 else f"  This allows for {int(n_models_fixed)} models that were fixed before."
    return Certificate(
        statement=_sentence(found, bound, delta, broken) + tried + _advice(found, status, bool(broken)),
        bound=float(bound),
        empirical=found.empirical,
        delta=delta,
        method=found.method,
        assumptions=(DRAWN, *found.assumptions),
        status=status,
        inputs={name: float(number) for name, number in inputs.items()},
        reference=found.reference,
    )


def error_remedy(errors: float, n: int, delta: float) -> str:
    """What a hold-out of a fifth would certify of an error rate like the one on the training rows.

    >>> error_remedy(0.05, 570, 0.05)
    'Hold rows out: fit(..., certify=0.2) keeps 114.  If the model errs on 5.0 % of them, as on the training rows, they
    certify an error rate of at most about 10.2 %.'
    """
    kept = max(round(SHARE * n), 1)
    bound = float(binomial_upper(math.ceil(errors * kept - 1e-9), kept, delta))
    return (
        f"Hold rows out: fit(..., certify={SHARE:g}) keeps {kept}.  If the model errs on {percent(errors)} of them, as "
        f"on the training rows, they certify an error rate of at most about {percent_at_most(bound)}."
    )


def quantile_remedy(residuals: np.ndarray, delta: float) -> str:
    """What a hold-out of a fifth would certify of absolute errors like those on the training rows.

    >>> quantile_remedy(np.linspace(0.0, 1.0, 500), 0.05)
    'Hold rows out: fit(..., certify=0.2) keeps 100, which would certify that 90 % of future rows are predicted to
    within about 0.97 if errors stay as on the training rows.'
    """
    n, each = len(residuals), delta / 3
    kept = max(round(SHARE * n), 1)
    if kept < quantile_rows(COVERAGE, each):
        return _too_few(kept, each)
    about = float(np.quantile(np.abs(residuals), upper_rank(kept, COVERAGE, each) / kept))
    return (
        f"Hold rows out: fit(..., certify={SHARE:g}) keeps {kept}, which would certify that 90 % of future rows "
        f"are predicted to within about {at_most(about, 3)} if errors stay as on the training rows."
    )


def plain_remedy(n: int, delta: float, labels: bool) -> str:
    """What a hold-out of a fifth would certify of a model whose training errors say nothing.

    >>> plain_remedy(570, 0.05, True)
    'Hold rows out: fit(..., certify=0.2) keeps 114, which would certify 2.6 % if none of them is wrong.'
    """
    kept = max(round(SHARE * n), 1)
    if labels:
        best = percent_at_most(float(binomial_upper(0, kept, delta)))
        return (
            f"Hold rows out: fit(..., certify={SHARE:g}) keeps {kept}, which would certify {best} if none of them is "
            "wrong."
        )
    if kept < quantile_rows(COVERAGE, delta / 3):
        return _too_few(kept, delta / 3)
    return f"Hold rows out: fit(..., certify={SHARE:g}) keeps {kept}, enough to certify a 90 % quantile of the errors."


def _too_few(kept: int, each: float) -> str:
    needed = quantile_rows(COVERAGE, each)
    return (
        f"Hold rows out: certify={SHARE:g} would keep {kept}, and a 90 % quantile of the errors takes {needed}; "
        f"{math.ceil(needed / SHARE)} rows in all would do."
    )


def _status(bound: float, found: Designated) -> Verdict:
    if bound >= found.largest:
        return Verdict.VACUOUS
    return Verdict.NO_BETTER if bound >= found.constant else Verdict.INFORMATIVE


def _sentence(found: Designated, bound: float, delta: float, broken: list[Assumption]) -> str:
    if broken:
        return f"No guarantee from the training rows alone: {broken[0].evidence or broken[0].text}."
    shown = percent if found.rate else number
    most = percent_at_most if found.rate else at_most
    if bound >= found.largest:
        reached = f"is {most(found.value)}" if np.isfinite(found.value) else "is infinite"
        return (
            f"No guarantee from the {found.n:,} training rows alone: the bound of this theorem on {found.quantity} "
            f"{reached}, and more than {most(found.largest)} cannot occur anyway."
        )
    return (
        f"With {confidence(delta)} confidence over the draw of the {found.n} training rows, {found.quantity} is at "
        f"most {most(bound)} (on the training rows: {shown(found.empirical)})."
    )


def _advice(found: Designated, status: Verdict, broken: bool) -> str:
    """How many rows the theorem needs to beat a constant, and what a hold-out does; nothing if it beats it already."""
    if status is Verdict.INFORMATIVE:
        return ""
    texts = [] if broken or found.at is None or not found.constant_seen > 0 else [_needed(found, found.at)]
    return "".join(f"  {text}" for text in (*texts, found.remedy) if text)


def _needed(found: Designated, at: Callable[[int], float]) -> str:
    """How many rows the theorem needs, all else equal: what the constant is certain to lose grows with them too."""
    shown, least = (percent, percent_at_least) if found.rate else (number, at_least)
    end = "for this theorem to show that the model does better than a constant answer"
    if found.empirical >= found.constant_seen:
        return (
            f"No number of rows would be enough {end}: on the training rows the model loses {shown(found.empirical)}, "
            f"and the best constant {shown(found.constant_seen)}."
        )
    doubt = max(found.constant_seen - found.constant, 0.0)
    excess = lambda n: at(n) - found.constant_seen + doubt * math.sqrt(found.n / n)
    now = (
        f": its bound has to fall below the loss of the best constant, which {found.n:,} rows show to be at least "
        f"{least(found.constant)}"
    )
    try:
        n = rows_needed(excess, 0.0, at_least=max(found.n, found.at_least), at_most=MOST_ROWS)
    except ValueError:
        return f"More than a billion rows would be needed {end}, more than there will ever be{now}."
    return f"About {float(f'{n:.2g}'):,.0f} rows would be needed {end}{now}."
