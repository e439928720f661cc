"""Layer theory: the certificate of a fixed model from losses on rows it has never seen.

In: held-out errors or losses, and what they are compared with.  Out: a `Certificate`.
A classifier gets the exact bound on its error rate; a regressor a bound on a quantile of its absolute error, which
needs no bounded loss, and the mean of its capped squared error; any loss in ``[0, upper]`` the betting bound.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betainc

from surefit.page import number
from surefit.parameters import whole
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.compared import (
    INDEPENDENT,
    Baseline,
    compared_labels,
    compared_losses,
    compared_numbers,
    verdict_of,
)
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.certificates.wording import at_most, confidence, percent, percent_at_most, scale_of, together
from surefit.theory.means.arguments import checked_coverage, failure_probability, kept_promise, loss_array, unit_losses
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import binomial_upper, clopper_pearson

ROUNDING = 1e-10  # of a quotient of logarithms that is a whole number
COVERAGE = 0.9
LARGEST_ROOT = 1e154  # its square is finite, and above every cap
MOST_MODELS = 10**15
NEAR_CAP, MOST_ABOVE = 0.9, 0.5
"""A capped mean says nothing of use if its bound is nearer to the cap, or if more rows may exceed that."""
NO_MEAN = "No useful bound on the mean squared error: too little is known from these rows."


@dataclass(frozen=True)
class Cautious:
    """Losses as they are to be counted, beside those that were ``observed``: bounds are of the former, words of both.

    Where held-out rows may be copies, each kind counts once, and as an error where the model may have seen it; what was
    observed stays what was observed.
    """

    counted: Any
    observed: Any


def _both(losses: Any, read: Callable[[Any], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Losses as counted and as observed: one and the same array unless they are `Cautious`."""
    if isinstance(losses, Cautious):
        return read(losses.counted), read(losses.observed)
    values = read(losses)
    return values, values


def share_of(delta: float, n_models_fixed: int) -> float:
    """``delta / n_models_fixed``: what each of the models may spend that were fixed before this hold-out was looked at.

    >>> share_of(0.05, 20)
    0.0025
    """
    count = n_models_fixed
    if not (isinstance(count, Real) and 1 <= count <= MOST_MODELS and count == int(count)):
        raise ValueError(
            f"n_models_fixed must be a whole number from 1 to {MOST_MODELS:.0e}, got {_short(count)}; count every "
            "model that was fixed before the rows were looked at and is judged by them"
        )
    return kept_promise(delta) / int(count)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:20]}... ({len(text)} digits)"


def error_quantile(errors: Any, coverage: float = COVERAGE, delta: float = 0.05) -> float:
    """A number that at least a share ``coverage`` of all errors stay below, with probability ``1 - delta``.

    The ``k``-th smallest of ``n`` held-out errors, ``k`` the smallest with ``P(Binomial(n, coverage) >= k) <= delta``:
    no boundedness, no tuning.  Infinite if even the largest is not enough (see `rows_needed`).

    >>> error_quantile(np.arange(1.0, 101.0)), error_quantile(np.arange(28.0))
    (96.0, inf)
    """
    errors = np.sort(loss_array(errors).ravel())
    if np.any(np.isnan(errors)):
        raise ValueError("errors must not be missing; drop missing targets before looking at the others")
    k = upper_rank(len(errors), coverage, delta)
    return float(errors[k - 1]) if k <= len(errors) else np.inf


def upper_rank(n: int, coverage: float = COVERAGE, delta: float = 0.05) -> int:
    """The rank that `error_quantile` takes; ``n + 1`` if there is none.

    >>> [upper_rank(n) for n in (29, 50, 100, 200, 500, 1000, 5000)]
    [29, 49, 96, 188, 462, 916, 4536]
    """
    n, coverage, delta = _count(n), checked_coverage(coverage), failure_probability(delta)
    return 1 + bisect_left(range(1, n + 1), True, key=lambda k: betainc(k, n - k + 1, coverage) <= delta)


def rows_needed(coverage: float = COVERAGE, delta: float = 0.05) -> int:
    """Fewest rows for which `error_quantile` is finite: ``coverage**n <= delta``.

    >>> rows_needed(0.9, 0.05)
    29
    """
    exact = np.log(failure_probability(delta)) / np.log(checked_coverage(coverage))
    return max(1, int(np.ceil(exact - ROUNDING)))


def _count(n: int) -> int:
    return whole("n", n, "it counts the held-out rows", least=0)


def _one_each(losses: Any) -> np.ndarray:
    """``losses`` as a vector, for a certificate is about one model."""
    values = loss_array(losses)
    if values.ndim != 1:
        raise ValueError(f"losses must be one number per row, got shape {values.shape}; certify one model at a time")
    return values


def classifier_certificate(
    errors: Any,
    delta: float = 0.05,
    n_models_fixed: int = 1,
    baseline: Baseline | None = None,
    assumptions: Sequence[Assumption] = (),
) -> Certificate:
    """Clopper and Pearson's bound on the error rate, at ``delta / n_models_fixed``, from held-out 0/1 errors.

    With ``baseline``, the errors of a constant on the same rows, the two are compared row by row, at a ``delta`` of its
    own; without, nothing is certified to beat a constant.

    >>> print(classifier_certificate(np.repeat([1, 0], [10, 490])).statement)
    With 95 % confidence over the draw of the 500 held-out rows, this model errs on at most 3.4 % of future rows like
    these in the long run (observed 2.0 %; all kinds of errors together).
    """
    errors, observed = _both(errors, lambda part: unit_losses(_one_each(part)))
    each = share_of(delta, n_models_fixed)
    bound, seen = float(clopper_pearson(errors, each)), float(observed.mean())
    counts = _counts(errors, observed, n_models_fixed, each)
    further = () if baseline is None else (compared_labels(errors, baseline, each, errors is not observed),)
    return Certificate(
        statement=f"{_opening(delta, len(observed))}, this model errs on at most {percent_at_most(bound)} of future "
        f"rows like these in the long run (observed {percent(seen)}; all kinds of errors together)"
        f"{_tried(n_models_fixed)}.",
        bound=bound,
        empirical=seen,
        delta=delta,
        method="clopper-pearson",
        assumptions=(INDEPENDENT, *assumptions, fixed_before(n_models_fixed)),
        status=verdict_of(bound, 1.0, *further[:1] or (None,)),
        inputs={"errors": float(observed.sum()), **counts},
        reference="Clopper and Pearson (1934), with a union bound for several models",
        further=further,
    )


def regressor_certificate(
    errors: Any,
    delta: float = 0.05,
    n_models_fixed: int = 1,
    baseline: Baseline | None = None,
    assumptions: Sequence[Assumption] = (),
    shuffle: Shuffle | None = None,
    coverage: float = COVERAGE,
) -> Certificate:
    """A bound on a quantile of ``|error|``; with a ``baseline`` also a comparison and the capped mean.

    All of them hold together with probability ``1 - delta``: each of the three has ``delta / 3``.  Where some of the
    held-out rows chose the constant, the comparison alone is made, with its own ``delta``.  An error is infinite where
    nothing is known of a row.

    >>> print(regressor_certificate(np.arange(1.0, 101.0)).statement)
    With 95 % confidence over the draw of the 100 held-out rows, in the long run at least 90 % of future rows like these
    are predicted to within 96 (observed: 90 % within 90).
    """
    errors, observed = _both(errors, lambda part: np.abs(loss_array(part).ravel()))
    if len(errors) == 0 or np.any(np.isnan(errors)):
        raise ValueError("held-out errors must be finite and at least one; drop missing targets before looking at them")
    trained, cautious = baseline is not None and baseline.rows is None, errors is not observed
    each = share_of(delta, n_models_fixed) / (3 if trained else 1)
    bound = error_quantile(errors, coverage, each)
    seen = float(np.quantile(observed, coverage, method="inverted_cdf"))
    further: tuple[Certificate, ...] = ()
    if baseline is not None:
        common = delta if trained else None
        further = (compared_numbers(errors, baseline, each, _seed(errors, shuffle), common, cautious),)
    if baseline is not None and trained:
        further = (*further, _mean_square(Cautious(errors, observed), baseline.cap, (delta, each), shuffle))
    counts = _counts(errors, observed, n_models_fixed, each)
    sentence = _quantile_sentence(bound, seen, len(observed), (delta, each), coverage)
    return Certificate(
        statement=sentence + _tried(n_models_fixed) + ".",
        bound=bound,
        empirical=seen,
        delta=delta,
        method=f"order statistic ({_whole_percent(coverage)} quantile of |error|)",
        assumptions=(INDEPENDENT, *assumptions, fixed_before(n_models_fixed)),
        status=verdict_of(bound, np.inf, *further[:1] or (None,)),
        inputs={"coverage": coverage, **counts},
        reference="Wilks (1941)",
        further=further,
    )


def mean_certificate(
    losses: Any,
    delta: float = 0.05,
    n_models_fixed: int = 1,
    upper: float = 1.0,
    assumptions: Sequence[Assumption] = (),
    shuffle: Shuffle | None = None,
    baseline: Baseline | None = None,
) -> Certificate:
    """The betting bound on the mean of any loss in ``[0, upper]``; losses are shuffled with a recorded seed.

    Unless given, the losses decide the ``shuffle``.  Where these take few values, let all that is known of the rows
    decide: files of as many zeros and ones would all be shuffled alike.  ``baseline`` has the losses of a constant.

    >>> round(mean_certificate(np.linspace(0.0, 0.2, 400)).bound, 2)
    0.11
    """
    losses, observed = _both(losses, _one_each)
    each = share_of(delta, n_models_fixed)
    shuffle = Shuffle.of(unit_losses(losses, upper)) if shuffle is None else shuffle
    bound, seen = float(betting(losses, each, upper=upper, seed=shuffle.seed)), float(observed.mean())
    further = (
        ()
        if baseline is None
        else (compared_losses(losses / upper, baseline, each, shuffle.seed, losses is not observed),)
    )
    declared = Assumption(f"the loss lies in [0, {upper:g}]", Standing.DECLARED, "all held-out losses do")
    said = f"at most {at_most(bound)} (observed {number(seen)}){_tried(n_models_fixed)}.{scale_of(observed, upper)}"
    return Certificate(
        statement=f"{_opening(delta, len(observed))}, the mean loss of this model on future rows like these is in the "
        f"long run {said}",
        bound=bound,
        empirical=seen,
        delta=delta,
        method="betting",
        assumptions=(INDEPENDENT, *assumptions, fixed_before(n_models_fixed), declared, shuffle.assumption),
        status=verdict_of(bound, upper, *further or (None,)),
        inputs={"upper": upper, "seed": shuffle.seed, **_counts(losses, observed, n_models_fixed, each)},
        reference="Waudby-Smith and Ramdas (2024); Voracek and Orabona (2025)",
        further=further,
    )


def weaker(one: Certificate, other: Certificate) -> Certificate:
    """What both certificates of a model say: the larger bounds, the smaller gain on a constant, the worse status.

    If each holds under one of two readings of the data (equal rows are draws, or copies of one draw), this one holds
    under both.

    >>> few, many = (classifier_certificate(np.repeat([1, 0], [1, n])) for n in (30, 300))
    >>> weaker(many, few).bound == few.bound
    True
    """
    least = max(one, other, key=lambda found: found.bound)
    pairs = list(zip(one.further, other.further, strict=True))
    gains = tuple(min(pair, key=lambda found: found.bound) for pair in pairs[:1])
    rest = tuple(max(pair, key=lambda found: found.bound) for pair in pairs[1:])
    worst = Verdict.NO_BETTER if Verdict.NO_BETTER in (one.status, other.status) else least.status
    status = least.status if least.vacuous else worst
    return replace(least, status=status, further=gains + rest)


def _mean_square(errors: Cautious, cap: float, deltas: tuple[float, float], shuffle: Shuffle | None) -> Certificate:
    """`_capped_mean`, or the word that there is none, where squares of such errors cannot be written down."""
    if np.isfinite(cap):
        modest = Cautious(np.minimum(errors.counted, LARGEST_ROOT), np.minimum(errors.observed, LARGEST_ROOT))
        return _capped_mean(modest, cap, deltas, shuffle)
    return Certificate(
        "No bound on the mean squared error: squares of errors like these leave the range of floating point numbers; "
        "rescale y.",
        np.inf, np.inf, deltas[1], "betting on the capped loss", (INDEPENDENT,), Verdict.VACUOUS,
    )  # fmt: skip


def _capped_mean(errors: Cautious, cap: float, deltas: tuple[float, float], shuffle: Shuffle | None) -> Certificate:
    """The mean of ``min(error**2, cap)`` and the share above the cap, at half of the second of ``deltas`` each.

    The first is what all sentences share.
    """
    common, delta = deltas
    squares, observed = errors.counted**2, errors.observed**2
    above = float(binomial_upper(np.sum(squares > cap), len(squares), delta / 2))
    losses = Cautious(np.minimum(squares, cap), np.minimum(observed, cap))
    capped = mean_certificate(losses, delta / 2, upper=cap, shuffle=shuffle)
    shown = at_most(cap)
    chosen = Assumption(f"squared errors count as at most {shown}", Standing.CHECKED, "chosen from training rows")
    text = (
        f"{together(common)}: the mean squared error, a square above {shown} counted as {shown}, is at most "
        f"{at_most(capped.bound)} (observed {number(capped.empirical)}).  At most {percent_at_most(above)} of future "
        "rows are above that, and how far is not bounded."
    )
    useless = capped.bound > NEAR_CAP * cap or above > MOST_ABOVE
    return replace(
        capped,
        statement=NO_MEAN if useless else text,
        status=Verdict.VACUOUS if useless else capped.status,
        delta=delta,
        method="betting on the capped loss",
        assumptions=(INDEPENDENT, chosen, capped.assumptions[-1]),
        inputs={**capped.inputs, "cap": cap, "above_cap": above},
    )


def _counts(counted: np.ndarray, observed: np.ndarray, n_models_fixed: int, each: float) -> dict[str, float]:
    """Numbers of every certificate: rows observed, those that a cautious reading counts if fewer, shares of delta."""
    fewer = {} if len(counted) == len(observed) else {"n_counted": float(len(counted))}
    return {"n": len(observed), **fewer, "n_models_fixed": n_models_fixed, "delta_each": each}


def _seed(errors: np.ndarray, shuffle: Shuffle | None) -> int:
    """Of the order in which errors are bet on: given, or decided by them in units of their median."""
    if shuffle is not None:
        return shuffle.seed
    middle = float(np.median(errors))
    return Shuffle.of(np.minimum(errors / middle, 2.0) if 0 < middle < np.inf else np.zeros(len(errors))).seed


def _opening(delta: float, n: int) -> str:
    return f"With {confidence(delta)} confidence over the draw of the {_rows(n)}"


def _quantile_sentence(bound: float, seen: float, n: int, deltas: tuple[float, float], coverage: float) -> str:
    (delta, each), most = deltas, _whole_percent(coverage)
    if np.isinf(bound):
        needed = rows_needed(coverage, each)
        return (
            f"No promise about {most} of future errors: {_rows(n)} {'is' if n == 1 else 'are'} too few for "
            f"{confidence(delta)} confidence; hold out at least {needed} rows"
        )
    return (
        f"{_opening(delta, n)}, in the long run at least {most} of future rows like these are predicted to within "
        f"{at_most(bound)} (observed: {most} within {number(seen)})"
    )


def _whole_percent(share: float) -> str:
    """A share that was asked for, in per cent without needless digits.

    >>> _whole_percent(0.9), _whole_percent(1 - 0.9)
    ('90 %', '10 %')
    """
    return f"{number(100 * share, 6)} %"


def _rows(n: int) -> str:
    return "one held-out row" if n == 1 else f"{n:,} held-out rows"


def _tried(n_models_fixed: int) -> str:
    if n_models_fixed == 1:
        return ""
    return f"; this allows for {int(n_models_fixed)} models that were fixed before these rows were looked at"


def fixed_before(n_models_fixed: int) -> Assumption:
    """What every statement about held-out rows needs: nobody has chosen a model by them.

    >>> fixed_before(1).text
    'this model was fixed before these rows were looked at'
    """
    text = "this model was fixed" if n_models_fixed == 1 else f"all of the {int(n_models_fixed)} models were fixed"
    return Assumption(
        f"{text} before these rows were looked at",
        Standing.DECLARED,
        "if answers on these rows led to it, certify it on new rows, or ask through ReusableHoldOut from the start",
    )
