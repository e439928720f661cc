"""Layer theory: certificates from held-out rows that do not count alike: whole groups of rows, rows of another law.

In: held-out losses or errors and a `Counting`: which draw each row belongs to and what share of it the row stands for.
Out: a `Certificate`.

- Groups (`by_groups`): rows of one group depend on each other, groups are independent draws.  What is bounded is the
  mean over groups of the mean loss within a group: a hundred rows of one patient are one draw.
- Covariate shift (`by_weights`): features of new rows follow another law than those of held-out rows, and a row weighs
  the ratio of the two densities at its features.  The mean of weight times loss is the risk under the new law.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from surefit.page import number
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.compared import Baseline, least_gain, verdict_of
from surefit.theory.certificates.holdout import COVERAGE, fixed_before, share_of
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.certificates.wording import alone, at_most, confidence, percent, percent_at_most, scale_of
from surefit.theory.means.betting import betting
from surefit.theory.means.fixed_sequence import share_quantile

SAME_TARGETS = "given its features, a target has the same law in held-out and in new rows"
RATIOS = "the weights are ratios of densities of the features, new rows over held-out rows"
WITHIN = "rows within a group need not be independent"
NOISE = 1e-4
"""Probability with which weights of mean one are found to have another."""


@dataclass(frozen=True)
class Terms:
    """What a certificate is asked for: failure probability, number of models, quantile; what is known of the rows."""

    delta: float = 0.05
    n_models_fixed: int = 1
    coverage: float = COVERAGE
    assumptions: tuple[Assumption, ...] = ()
    shuffle: Shuffle | None = None

    @property
    def each(self) -> float:
        """What each model may spend of ``delta``."""
        return share_of(self.delta, self.n_models_fixed)


USUAL = Terms()


@dataclass(frozen=True)
class Counting:
    """How rows count: row ``i`` is the share ``share[i]`` of draw ``member[i]``; a risk is ``scale`` times a mean draw.

    ``sample`` and ``rows`` are the words for the draws and for what is spoken about.
    """

    member: np.ndarray
    share: np.ndarray
    scale: float
    sample: str
    rows: str
    method: str
    assumptions: tuple[Assumption, ...]

    @property
    def n_draws(self) -> int:
        return int(self.member.max()) + 1

    def draws(self, losses: np.ndarray) -> np.ndarray:
        """The loss of each draw, in ``[0, 1]`` if the losses are."""
        return np.minimum(np.bincount(self.member, self.share * losses), 1.0)

    def mean(self, losses: np.ndarray) -> float:
        """The mean loss that was observed, rows counted so."""
        return float(self.scale * np.mean(self.draws(losses)))

    def quantile(self, errors: np.ndarray, coverage: float) -> float:
        """The quantile of errors that was observed, rows counted so."""
        order = np.argsort(errors)
        reached = np.cumsum(self.share[order])
        return float(errors[order][np.searchsorted(reached, coverage * reached[-1] * (1 - 1e-12))])

    def opening(self, delta: float) -> str:
        """How a sentence begins."""
        return f"With {confidence(delta)} confidence over the draw of the {self.sample}"


def by_groups(groups: np.ndarray) -> Counting:
    """Each group one draw, its rows counting alike within it.

    >>> by_groups(np.array([5, 5, 9])).draws(np.array([1.0, 0.0, 1.0]))
    array([0.5, 1. ])
    """
    names, member, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    independent = Assumption(
        "held-out and new groups are independent draws of one population", Standing.UNVERIFIABLE, WITHIN
    )
    return Counting(
        member, 1.0 / sizes[member], 1.0, _count(len(names), "group"),
        "the rows of new groups (averaged over groups, each counting once; for a single group nothing is promised)",
        "by whole groups", (independent,),
    )  # fmt: skip


def by_weights(weights: np.ndarray, known: bool) -> Counting:
    """Each row weighted by a ratio of densities, ``known`` or estimated; ``ValueError`` if their mean cannot be one.

    >>> by_weights(np.array([0.5, 1.0, 1.5]), True).scale
    1.5
    """
    weights = np.asarray(weights, dtype=float)
    refuse_other_mean(weights)
    largest = float(np.max(weights))
    ratio = Assumption(RATIOS, Standing.DECLARED, "known") if known else Assumption(RATIOS, Standing.UNVERIFIABLE)
    if not known:
        ratio = replace(ratio, evidence="estimated: what their errors cost is not in the bound")
    top = f"no row weighs more than {number(largest)}"
    assumptions = (
        Assumption("held-out rows are independent draws of one population", Standing.UNVERIFIABLE),
        ratio,
        Assumption(top, Standing.UNVERIFIABLE, "the largest weight of a held-out row"),
        Assumption(SAME_TARGETS, Standing.UNVERIFIABLE),
    )
    words = "whose features follow the law that the weights describe"
    rows = f"new rows {words}" if known else f"new rows {words}, if the estimated weights are right"
    return Counting(
        np.arange(len(weights)), weights / largest, largest, _count(len(weights), "row"), rows, "weighted", assumptions
    )


def refuse_other_mean(weights: np.ndarray) -> None:
    """Raise ``ValueError`` unless these can be density ratios, which average one over the held-out rows."""
    if not (np.all(np.isfinite(weights)) and np.all(weights >= 0) and np.max(weights) > 0):
        raise ValueError("weights must be finite, not negative and not all zero; give a density ratio for each row")
    top, mean = float(np.max(weights)), float(np.mean(weights))
    low, high = top - float(betting(top - weights, NOISE, upper=top)), float(betting(weights, NOISE, upper=top))
    if not low <= 1.0 <= high:
        raise ValueError(
            f"the mean of the weights is {mean:.3g}, and density ratios average one over the held-out rows; if they "
            "are known up to a factor, divide them by their mean"
        )


def _count(n: int, what: str) -> str:
    return f"one held-out {what}" if n == 1 else f"{n:,} held-out {what}s"


def unequal_mean(
    losses: np.ndarray,
    counting: Counting,
    terms: Terms = USUAL,
    constant: Baseline | None = None,
    what: str = "its mean loss is",
) -> Certificate:
    """The betting bound on the mean of a loss in ``[0, 1]``, rows counted by ``counting``; ``what`` calls it."""
    draws, seen = counting.draws(losses), counting.mean(losses)
    shuffle = Shuffle.of(draws) if terms.shuffle is None else terms.shuffle
    bound = min(1.0, counting.scale * float(betting(draws, terms.each, seed=shuffle.seed)))
    found = Certificate(
        f"{counting.opening(terms.delta)}, the mean loss of this model on {counting.rows} is at most {at_most(bound)} "
        f"(observed {number(seen)}).{scale_of(losses, 1.0)}",
        bound, seen, terms.delta, f"betting, {counting.method}",
        (*counting.assumptions, *terms.assumptions, fixed_before(terms.n_models_fixed), shuffle.assumption),
        verdict_of(bound, 1.0, None),
        {"n": len(losses), "draws": len(draws), "scale": counting.scale, "delta_each": terms.each,
         "seed": shuffle.seed},
        "Waudby-Smith and Ramdas (2024); Voracek and Orabona (2025)",
    )  # fmt: skip
    return _compared(found, losses, constant, counting, what)


def unequal_classifier(
    errors: np.ndarray,
    counting: Counting,
    terms: Terms = USUAL,
    constant: Baseline | None = None,
) -> Certificate:
    """The betting bound on an error rate, rows counted by ``counting``; ``errors`` are 0 or 1.

    >>> patients = by_groups(np.arange(400) // 10)
    >>> print(unequal_classifier(1.0 * (np.arange(400) % 20 == 0), patients).statement)
    With 95 % confidence over the draw of the 40 held-out groups, this model errs on at most ... % of the rows of new
    groups (averaged over groups, each counting once; for a single group nothing is promised; observed 5.0 %).
    """
    whole = unequal_mean(errors, counting, terms, constant, "its error rate is")
    text = (
        f"{counting.opening(terms.delta)}, this model errs on at most {percent_at_most(whole.bound)} of "
        f"{_observed(counting.rows, f'observed {percent(whole.empirical)}')}."
    )
    return replace(whole, statement=text)


def _observed(rows: str, what: str) -> str:
    """The rows that are spoken about and, in the same brackets where there are some, what was observed.

    >>> _observed("rows (all alike)", "observed 3"), _observed("rows", "observed 3")
    ('rows (all alike; observed 3)', 'rows (observed 3)')
    """
    return f"{rows[:-1]}; {what})" if rows.endswith(")") else f"{rows} ({what})"


def unequal_regressor(
    errors: np.ndarray,
    counting: Counting,
    terms: Terms = USUAL,
    constant: Baseline | None = None,
) -> Certificate:
    """A bound on a quantile of ``|error|``, rows counted by ``counting``; see `share_quantile`.

    >>> unequal_regressor(np.arange(1000.0) % 100, by_groups(np.arange(1000) // 10)).bound
    94.0
    """
    errors, coverage = np.abs(errors), terms.coverage
    largest = float(np.max(errors, where=np.isfinite(errors), initial=1e-300))
    shuffle = Shuffle.of(np.minimum(errors / largest, 2.0)) if terms.shuffle is None else terms.shuffle
    limit = (1.0 - coverage) / counting.scale
    bound = share_quantile(errors, counting.member, counting.share, limit, terms.each, seed=shuffle.seed)
    seen, most = counting.quantile(errors, coverage), f"{number(100 * coverage, 6)} %"
    if np.isinf(bound):
        are = "is" if counting.sample.startswith("one ") else "are"
        text = (
            f"No promise about {most} of future errors: {counting.sample} {are} too few for {confidence(terms.delta)} "
            "confidence; hold out more."
        )
    else:
        text = (
            f"{counting.opening(terms.delta)}, errors stay within {at_most(bound)} on at least {most} of "
            f"{_observed(counting.rows, f'observed: {number(seen)}')}."
        )
    found = Certificate(
        text, bound, seen, terms.delta, f"betting on the share above a quantile, {counting.method}",
        (*counting.assumptions, *terms.assumptions, fixed_before(terms.n_models_fixed), shuffle.assumption),
        verdict_of(bound, np.inf, None),
        {"n": len(errors), "draws": counting.n_draws, "scale": counting.scale, "coverage": coverage,
         "delta_each": terms.each, "seed": shuffle.seed},
        "Bates, Angelopoulos, Lei, Malik and Jordan (2021)",
    )  # fmt: skip
    if constant is None:
        return found
    squares, others = (np.minimum(one / constant.scale, 1.0) ** 2 for one in (errors, constant.constant_errors))
    what, cut = "its mean squared error is", constant.cut(constant.scale**2)
    return _compared(found, squares, replace(constant, constant_errors=others), counting, what, cut)


def _compared(
    found: Certificate, losses: np.ndarray, constant: Baseline | None, counting: Counting, what: str, cut: str = ""
) -> Certificate:
    """With the status that a comparison with a constant, draw by draw, gives: at ``delta``, losses in [0, 1].

    ``what`` names the loss and its verb, ``cut`` says what large ones count as.  Of several constants, all have to be
    beaten.  Where some rows chose the constant, whole draws of others are compared.
    """
    if found.vacuous or constant is None:
        return found
    mine, seed = counting.draws(losses), int(found.inputs["seed"])
    others = np.array([counting.draws(1.0 * one) for one in np.atleast_2d(constant.constant_errors)])
    if constant.rows is not None:
        kept = np.flatnonzero(np.bincount(counting.member, ~constant.rows) == 0)
        mine, others = mine[kept], others[:, kept]
    least = min(least_gain(mine, other, found.inputs["delta_each"], seed) for other in others)
    gain = float(np.min(others.mean(axis=1)) - mine.mean()) if len(mine) else 0.0
    better = least > 0.0
    words = f"On such new rows {what} smaller" if better else f"These rows do not show that {what} smaller"
    other = Certificate(
        f"{words} than that of always answering {constant.name} ({alone(found.delta)}).{cut}",
        least * counting.scale, counting.scale * gain, found.delta, "betting, paired", (),
        Verdict.INFORMATIVE if better else Verdict.NO_BETTER,
    )  # fmt: skip
    return replace(found, status=other.status, further=(*found.further, other))


def beside(found: Certificate, ordinary: Certificate, n_groups: int) -> Certificate:
    """``found``, about new groups, with what ``ordinary``, in which every row is a draw, says for the same groups."""
    if ordinary.vacuous:
        return found
    text = (
        f"If new rows come from these same {n_groups} held-out groups, in the same proportions, and rows are "
        f"independent: {ordinary.statement[0].lower()}{ordinary.statement[1:]}"
    )
    return replace(found, further=(*found.further, replace(ordinary, statement=text, further=())))
