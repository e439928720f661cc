"""Layer theory: does a model do better than a constant?  Both are judged on the same rows, one by one.

In: the losses of a model on held-out rows, and a `Baseline`: those of a constant on the same rows.  Out: a
`Certificate` that says whether the model is certified to do better.  Two bounds side by side would be far apart where
the difference on each row is plain; what chance does to both on the same row cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.page import number
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.wording import alone, at_least, at_most, percent, together
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import binomial_p

INDEPENDENT = Assumption("held-out and future rows are independent draws of one population", Standing.UNVERIFIABLE)
COPIES_WRONG = "Taking possible copies at their worst, this model cannot be shown to"


@dataclass(frozen=True)
class Baseline:
    """What the held-out rows are compared with: the losses of a constant on them, and what was fixed without them.

    ``constant_errors``: 0/1 for labels, absolute for numbers, of ``constant``; for labels ``(K, n)`` if each of K
    labels is tried and the model has to beat all of them.  ``reach``: errors count as at most this in a comparison of
    squares, ``cap`` in a mean of squares.  ``rows``: a mask of the rows that are compared, where others chose the
    constant.  ``origin`` says what the constant is ("the mean of the training targets").
    """

    constant_errors: np.ndarray
    cap: float = np.inf
    constant: Any = None
    reach: float = np.inf
    rows: np.ndarray | None = None
    origin: str = ""

    @property
    def scale(self) -> float:
        """What an error counts as at most: ``reach``, or the root of the cap."""
        return self.reach if np.isfinite(self.reach) else float(np.sqrt(self.cap))

    @property
    def name(self) -> str:
        """The constant in words, and what it is."""
        answer = number(self.constant) if isinstance(self.constant, float) else repr(self.constant)
        return f"{answer}, {self.origin}" if self.origin else answer

    @property
    def subject(self) -> str:
        """The constant at the beginning of a sentence."""
        return f"Always answering {self.name}{',' if self.origin else ''}"

    def cut(self, square: float) -> str:
        """What a comparison of squares counts large ones as; nothing where they are not cut."""
        if not 0 < square < np.inf:
            return ""
        shown = at_most(square)
        return f"  Here a square above {shown} counts as {shown}, so that a few large errors do not decide."


def fewer_errors(errors: np.ndarray, other: np.ndarray, delta: float) -> bool:
    """Whether a model errs less often than another, from 0/1 errors on the same rows; wrongly with at most ``delta``.

    Rows on which exactly one of them errs decide: if the model errs as often or more, each of these is one of its
    errors with probability at least one half, whatever their number.  So the exact binomial test of McNemar (1947).

    >>> fewer_errors(np.repeat([1, 0], [10, 90]), np.repeat([0, 1, 0], [10, 30, 60]), 0.05)
    True
    """
    only_model, only_other = (int(np.sum(a > b)) for a, b in ((errors, other), (other, errors)))
    both = only_model + only_other
    return both > 0 and float(binomial_p(only_other, both, 0.5)) <= delta


def compared_labels(errors: np.ndarray, baseline: Baseline, delta: float, cautious: bool = False) -> Certificate:
    """Whether a classifier errs less often than a constant; with several, than every one of them.

    To claim that it beats all, each is tested at the whole ``delta``: the claim is wrong only if one of them is not
    beaten, and the test of that one errs with probability at most ``delta``.  ``cautious``: possible copies are counted
    as errors of the model.

    >>> constant = Baseline(np.repeat([0, 1], [60, 40]), constant="a")
    >>> print(compared_labels(np.repeat([1, 0], [5, 95]), constant, 0.05).statement)
    Always answering 'a' errs on 40.0 % of the same rows.  On future rows this model errs less often (confidence 95 %
    for this sentence alone).
    """
    others = np.atleast_2d(baseline.constant_errors)
    rates = others.mean(axis=1)
    better = all(fewer_errors(errors, other, delta) for other in others)
    least = float(rates.min())
    text = f"{baseline.subject} errs on {percent(least)} of the same rows.  "
    if better:
        text += f"On future rows this model errs less often ({alone(delta)})."
    elif float(np.mean(errors)) > least:
        text += "On these rows this model errs more often than that."
    else:
        text += "These rows do not show that this model errs less often; it may or may not."
    if cautious and not better:
        text = f"{COPIES_WRONG} err less often than always answering {baseline.name}."
    return Certificate(
        text,
        0.0 if better else -1.0, least - float(np.mean(errors)), delta, "exact binomial test, paired", (INDEPENDENT,),
        _verdict(better), {"n": len(errors)}, "McNemar (1947)",
    )  # fmt: skip


def compared_numbers(
    errors: np.ndarray, baseline: Baseline, delta: float, seed: int, common: float | None, cautious: bool = False
) -> Certificate:
    """Whether squared errors, each counted as at most ``baseline.scale**2``, are smaller than those of the constant.

    ``common``: the failure probability that the statement shares with others.  ``cautious``: possible copies are
    counted as errors, so that nothing was observed of what is compared.

    >>> z = np.random.default_rng(0).normal(size=300)
    >>> print(compared_numbers(np.abs(z) / 2, Baseline(np.abs(z), 9.0, 0.5), 0.05, 0, None).statement)
    On future rows the squared errors of this model are on average at least 0.6... smaller than those of always
    answering 0.5 (observed 0.7...; confidence 95 % for this sentence alone).  Here a square above 9 counts as 9, so
    that a few large errors do not decide.
    """
    chosen = slice(None) if baseline.rows is None else baseline.rows
    mine, other = (
        np.minimum(np.abs(part[chosen]) / baseline.scale, 1.0) ** 2 for part in (errors, baseline.constant_errors)
    )
    least, seen = least_gain(mine, other, delta, seed), float(np.mean(other - mine)) if len(mine) else 0.0
    with np.errstate(over="ignore"):
        square = float(np.float64(baseline.scale) ** 2)
    who, counted = f"always answering {baseline.name}", baseline.cut(square)
    opening, sure = ("On", f"; {alone(delta)}") if common is None else (f"{together(common)}: on", "")
    if least > 0:
        by, told = (f"at least {at_least(least * square)} ", f" (observed {number(seen * square)}{sure})")
        by, told = (by, told) if counted else ("", f" ({alone(delta)})")
        text = f"{opening} future rows the squared errors of this model are on average {by}smaller than those of {who}"
        text += f"{told}."
    else:
        found = "smaller on these rows, but chance may explain that" if seen > 0 else "no smaller on these rows"
        text = f"This model is not certified to beat {who}: its squared errors are {found}."
        if cautious:
            text = f"{COPIES_WRONG} have smaller squared errors than {who}."
    text += counted
    return Certificate(
        text, least * square if counted else max(least, 0.0), seen * square if counted else seen, delta,
        "betting, paired", (INDEPENDENT,), _verdict(least > 0), {"n": len(mine)},
    )  # fmt: skip


def compared_losses(
    losses: np.ndarray, baseline: Baseline, delta: float, seed: int, cautious: bool = False
) -> Certificate:
    """Whether the mean of a loss in [0, 1] is smaller than that of a constant; of several, than of all."""
    others = np.atleast_2d(baseline.constant_errors)
    chosen = slice(None) if baseline.rows is None else baseline.rows
    least = min(least_gain(losses[chosen], other[chosen], delta, seed) for other in others)
    seen = float(np.min(np.mean(others[:, chosen], axis=1)) - np.mean(losses[chosen])) if least > -1.0 else 0.0
    shown = "On future rows its mean loss is" if least > 0 else "These rows do not show that its mean loss is"
    words = f"{COPIES_WRONG} have a mean loss" if cautious and least <= 0 else shown
    return Certificate(
        f"{words} smaller than that of always answering {baseline.name} ({alone(delta)}).",
        least, seen, delta, "betting, paired", (INDEPENDENT,), _verdict(least > 0), {"n": len(losses)},
    )  # fmt: skip


def least_gain(losses: np.ndarray, other: np.ndarray, delta: float, seed: int) -> float:
    """A lower bound on how much smaller the mean of ``losses`` is than that of ``other``, both in [0, 1], by betting.

    >>> least_gain(np.zeros(200), np.ones(200), 0.05, 0) > 0.9
    True
    """
    if len(losses) == 0:
        return -1.0
    return 1.0 - 2.0 * float(betting((1.0 - (other - losses)) / 2.0, delta, seed=seed))


def verdict_of(bound: float, largest: float, compared: Certificate | None) -> Verdict:
    """Vacuous, or as the comparison says; without one nothing is certified to beat a constant."""
    if bound >= largest:
        return Verdict.VACUOUS
    return Verdict.NO_BETTER if compared is None else compared.status


def _verdict(better: bool) -> Verdict:
    return Verdict.INFORMATIVE if better else Verdict.NO_BETTER
