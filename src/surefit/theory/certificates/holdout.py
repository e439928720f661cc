"""Layer theory: the certificate of a fixed model from losses on rows it has never seen.

In: held-out errors or losses, and numbers that come from the training rows only.  Out: a `Certificate`.
A classifier gets the exact bound on its error rate; a regressor a bound on a quantile of its absolute error, which
needs no bounded loss, and the mean of its capped squared error; any loss in ``[0, upper]`` the betting bound.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betainc

from surefit.page import number
from surefit.parameters import whole
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.certificates.wording import (
    at_least,
    at_most,
    confidence,
    percent,
    percent_at_least,
    percent_at_most,
)
from surefit.theory.means.arguments import checked_coverage, failure_probability, kept_promise, loss_array, unit_losses
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import binomial_upper, clopper_pearson, lower_bound

ROUNDING = 1e-10  # of a quotient of logarithms that is a whole number
COVERAGE = 0.9
TOGETHER = "At the same time"  # of sentences that hold together with the first, with its confidence
LARGEST_ROOT = 1e154  # its square is finite, and above every cap
MOST_MODELS = 10**15
INDEPENDENT = Assumption("held-out and future rows are independent draws of one population", Standing.UNVERIFIABLE)


@dataclass(frozen=True)
class FromTraining:
    """What the training rows alone decide: the cap on squared errors, and the constant to compare with.

    ``constant_errors`` are the held-out errors of that constant: 0/1 for labels, absolute for numbers.
    """

    constant_errors: np.ndarray
    cap: float = np.inf
    constant: Any = None


@dataclass(frozen=True)
class Cautious:
    """Losses as they are to be counted, beside those that were ``observed``: bounds are of the former, words of both.

    Where held-out rows may be copies, each kind counts once, and as an error where the model may have seen it; what was
    observed stays what was observed.
    """

    counted: Any
    observed: Any


def _counted_and_observed(losses: Any) -> tuple[Any, Any]:
    return (losses.counted, losses.observed) if isinstance(losses, Cautious) else (losses, losses)


def share_of(delta: float, n_models_tried: int) -> float:
    """``delta / n_models_tried``: what each of the models tried on this hold-out may spend.

    >>> share_of(0.05, 20)
    0.0025
    """
    tried = n_models_tried
    if not (isinstance(tried, Real) and 1 <= tried <= MOST_MODELS and tried == int(tried)):
        raise ValueError(
            f"n_models_tried must be a whole number from 1 to {MOST_MODELS:.0e}, got {_short(tried)}; count every "
            "model tried"
        )
    return kept_promise(delta) / int(tried)


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


def lower_rank(n: int, coverage: float = COVERAGE, delta: float = 0.05) -> int:
    """The largest ``k`` whose ``k``-th smallest error is above the true quantile with probability at most ``delta``.

    ``P(Binomial(n, coverage) < k) <= delta``; 0 if there is none.

    >>> [lower_rank(n) for n in (1, 2, 100, 1000)]
    [0, 1, 85, 884]
    """
    n, coverage, delta = _count(n), checked_coverage(coverage), failure_probability(delta)
    return bisect_right(range(1, n + 1), delta, key=lambda k: betainc(n - k + 1, k, 1.0 - coverage))


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
    n_models_tried: int = 1,
    training: FromTraining | None = None,
    assumptions: Sequence[Assumption] = (),
) -> Certificate:
    """Clopper and Pearson's bound on the error rate, at ``delta / n_models_tried``, from held-out 0/1 errors.

    With ``training``, the constant's error rate is bounded from below on the same rows, at its own ``delta``; a
    bound that does not stay under it is no better than a constant.

    >>> print(classifier_certificate(np.repeat([1, 0], [10, 490])).statement)
    With 95 % confidence over the draw of the 500 held-out rows, this model errs on at most 3.4 % of future rows like
    these (observed 2.0 %).
    """
    errors, observed = (unit_losses(_one_each(part)) for part in _counted_and_observed(errors))
    each = share_of(delta, n_models_tried)
    bound, seen = float(clopper_pearson(errors, each)), float(observed.mean())
    counts = _counts(errors, observed, n_models_tried, each)
    further: tuple[Certificate, ...] = ()
    if training is not None:
        floor = float(lower_bound(clopper_pearson, training.constant_errors, delta))
        text = f"Always answering {training.constant!r} errs on at least {percent_at_least(floor)} of future rows like "
        text += f"these (confidence {confidence(delta)})."
        if floor == 0.0:
            text = f"Nothing is certain about the share on which always answering {training.constant!r} errs."
        further = (_constant(text, floor, float(np.mean(training.constant_errors)), delta, "clopper-pearson (lower)"),)
    return Certificate(
        statement=f"{_opening(delta, len(observed))}, this model errs on at most {percent_at_most(bound)} of future "
        f"rows like these (observed {percent(seen)}){_tried(n_models_tried)}.",
        bound=bound,
        empirical=seen,
        delta=delta,
        method="clopper-pearson",
        assumptions=(INDEPENDENT, *assumptions, _models(n_models_tried)),
        status=_verdict(bound, 1.0, further),
        inputs={"errors": float(observed.sum()), **counts},
        reference="Clopper and Pearson (1934), with a union bound for several models",
        further=further,
    )


def regressor_certificate(
    errors: Any,
    delta: float = 0.05,
    n_models_tried: int = 1,
    training: FromTraining | None = None,
    assumptions: Sequence[Assumption] = (),
    shuffle: Shuffle | None = None,
    coverage: float = COVERAGE,
) -> Certificate:
    """A bound on a quantile of ``|error|``; with ``training`` also the capped mean and the constant's quantile.

    All of them hold together with probability ``1 - delta``: each of the three has ``delta / 3``.  An error is infinite
    where nothing is known of a row.

    >>> print(regressor_certificate(np.arange(1.0, 101.0)).statement)
    With 95 % confidence over the draw of the 100 held-out rows, at least 90 % of future rows like these are predicted
    to within 96 (observed: 90 % within 90).
    """
    errors, observed = (np.abs(loss_array(part).ravel()) for part in _counted_and_observed(errors))
    if len(errors) == 0 or np.any(np.isnan(errors)):
        raise ValueError("held-out errors must be finite and at least one; drop missing targets before looking at them")
    each = share_of(delta, n_models_tried) / (1 if training is None else 3)
    bound = error_quantile(errors, coverage, each)
    seen = float(np.quantile(observed, coverage, method="inverted_cdf"))
    further: tuple[Certificate, ...] = ()
    if training is not None:
        further = (
            _constant_quantile(training, each, coverage),
            _mean_square(Cautious(errors, observed), training.cap, each, shuffle),
        )
    counts = _counts(errors, observed, n_models_tried, each)
    sentence = _quantile_sentence(bound, seen, len(observed), (delta, each), coverage)
    return Certificate(
        statement=sentence + _tried(n_models_tried) + ".",
        bound=bound,
        empirical=seen,
        delta=delta,
        method=f"order statistic ({_whole_percent(coverage)} quantile of |error|)",
        assumptions=(INDEPENDENT, *assumptions, _models(n_models_tried)),
        status=_verdict(bound, np.inf, further[:1]),
        inputs={"coverage": coverage, **counts},
        reference="Wilks (1941)",
        further=further,
    )


def mean_certificate(
    losses: Any,
    delta: float = 0.05,
    n_models_tried: int = 1,
    upper: float = 1.0,
    assumptions: Sequence[Assumption] = (),
    shuffle: Shuffle | None = None,
) -> Certificate:
    """The betting bound on the mean of any loss in ``[0, upper]``; losses are shuffled with a recorded seed.

    Unless given, the losses decide the ``shuffle``.  Where these take few values, let all that is known of the rows
    decide: files of as many zeros and ones would all be shuffled alike.

    >>> round(mean_certificate(np.linspace(0.0, 0.2, 400)).bound, 2)
    0.11
    """
    losses, observed = (_one_each(part) for part in _counted_and_observed(losses))
    each = share_of(delta, n_models_tried)
    shuffle = Shuffle.of(unit_losses(losses, upper)) if shuffle is None else shuffle
    bound, seen = float(betting(losses, each, upper=upper, seed=shuffle.seed)), float(observed.mean())
    declared = Assumption(f"the loss lies in [0, {upper:g}]", Standing.DECLARED, "all held-out losses do")
    return Certificate(
        statement=f"{_opening(delta, len(observed))}, the mean loss of this model on future rows like these is at most "
        f"{at_most(bound)} (observed {number(seen)}){_tried(n_models_tried)}.",
        bound=bound,
        empirical=seen,
        delta=delta,
        method="betting",
        assumptions=(INDEPENDENT, *assumptions, _models(n_models_tried), declared, shuffle.assumption),
        status=_verdict(bound, upper, ()),
        inputs={"upper": upper, "seed": shuffle.seed, **_counts(losses, observed, n_models_tried, each)},
        reference="Waudby-Smith and Ramdas (2024); Voracek and Orabona (2025)",
    )  # fmt: skip


def weaker(one: Certificate, other: Certificate) -> Certificate:
    """What both certificates of a model say: the larger bounds, the smaller floor of the constant, the worse status.

    If each holds under one of two readings of the data (equal rows are draws, or copies of one draw), this one holds
    under both.

    >>> few, many = (classifier_certificate(np.repeat([1, 0], [1, n])) for n in (30, 300))
    >>> weaker(many, few).bound == few.bound
    True
    """
    least = max(one, other, key=lambda found: found.bound)
    pairs = list(zip(one.further, other.further, strict=True))
    floors = tuple(min(pair, key=lambda found: found.bound) for pair in pairs[:1])
    rest = tuple(max(pair, key=lambda found: found.bound) for pair in pairs[1:])
    status = least.status if least.vacuous or not floors else _verdict(least.bound, np.inf, floors)
    return replace(least, status=status, further=floors + rest)


def _mean_square(errors: Cautious, cap: float, delta: float, shuffle: Shuffle | None) -> Certificate:
    """`_capped_mean`, or the word that there is none, where squares of such errors cannot be written down."""
    if np.isfinite(cap):
        modest = Cautious(np.minimum(errors.counted, LARGEST_ROOT), np.minimum(errors.observed, LARGEST_ROOT))
        return _capped_mean(modest, cap, delta, shuffle)
    return Certificate(
        "No bound on the mean squared error: squares of errors like these leave the range of floating point numbers; "
        "rescale y.",
        np.inf, np.inf, delta, "betting on the capped loss", (INDEPENDENT,), Verdict.VACUOUS,
    )  # fmt: skip


def _capped_mean(errors: Cautious, cap: float, delta: float, shuffle: Shuffle | None) -> Certificate:
    """The mean of ``min(error**2, cap)`` and the share above the cap, at ``delta / 2`` each."""
    squares, observed = errors.counted**2, errors.observed**2
    above = float(binomial_upper(np.sum(squares > cap), len(squares), delta / 2))
    losses = Cautious(np.minimum(squares, cap), np.minimum(observed, cap))
    capped = mean_certificate(losses, delta / 2, upper=cap, shuffle=shuffle)
    shown = number(cap)
    chosen = Assumption(f"squared errors count as at most {shown}", Standing.CHECKED, "chosen from training rows")
    return replace(
        capped,
        statement=f"{TOGETHER}, the mean squared error, each row counted as at most {shown}, is at most "
        f"{at_most(capped.bound)} (observed {number(capped.empirical)}); at most {percent_at_most(above)} of rows "
        "exceed that cap.",
        delta=delta,
        method="betting on the capped loss",
        assumptions=(INDEPENDENT, chosen, capped.assumptions[-1]),
        inputs={**capped.inputs, "cap": cap, "above_cap": above},
    )


def _counts(counted: np.ndarray, observed: np.ndarray, n_models_tried: int, each: float) -> dict[str, float]:
    """Numbers of every certificate: rows observed, those that a cautious reading counts if fewer, shares of delta."""
    fewer = {} if len(counted) == len(observed) else {"n_counted": float(len(counted))}
    return {"n": len(observed), **fewer, "n_models_tried": n_models_tried, "delta_each": each}


def _constant_quantile(training: FromTraining, delta: float, coverage: float) -> Certificate:
    """The constant's quantile of ``|error|`` from below: the ``k``-th smallest, ``P(Binomial < k) <= delta``."""
    errors, answer = np.sort(training.constant_errors), number(training.constant)
    k = lower_rank(len(errors), coverage, delta)
    floor, others = float(errors[k - 1]) if k >= 1 else 0.0, _whole_percent(1 - coverage)
    text = f"{TOGETHER}, always answering {answer} is off by {at_least(floor)} or more on at least {others} of future "
    text += "rows like these."
    if floor == 0.0:
        text = (
            f"Nothing is certain about how far always answering {answer} is off on {others} of future rows like these."
        )
    return _constant(text, floor, float(np.quantile(errors, coverage)), delta, "order statistic (lower)")


def _constant(text: str, floor: float, seen: float, delta: float, method: str) -> Certificate:
    return Certificate(
        text, floor, seen, delta, method, (INDEPENDENT,), Verdict.INFORMATIVE if floor > 0 else Verdict.VACUOUS,
    )  # fmt: skip


def _verdict(bound: float, largest: float, constant: Sequence[Certificate]) -> Verdict:
    if bound >= largest:
        return Verdict.VACUOUS
    return Verdict.NO_BETTER if any(bound >= one.bound for one in constant) else Verdict.INFORMATIVE


def _opening(delta: float, n: int) -> str:
    return f"With {confidence(delta)} confidence over the draw of the {_rows(n)}"


def _quantile_sentence(bound: float, seen: float, n: int, deltas: tuple[float, float], coverage: float) -> str:
    (delta, each), most = deltas, _whole_percent(coverage)
    if np.isinf(bound):
        needed = rows_needed(coverage, each)
        return (
            f"No bound: {_rows(n)} {'is' if n == 1 else 'are'} too few for {confidence(delta)} confidence, at least "
            f"{needed} needed for a {most} quantile; hold out more rows"
        )
    return (
        f"{_opening(delta, n)}, at least {most} of future rows like these are predicted to within {at_most(bound)} "
        f"(observed: {most} within {number(seen)})"
    )


def _whole_percent(share: float) -> str:
    """A share that was asked for, in per cent without needless digits.

    >>> _whole_percent(0.9), _whole_percent(1 - 0.9)
    ('90 %', '10 %')
    """
    return f"{number(100 * share, 6)} %"


def _rows(n: int) -> str:
    return "one held-out row" if n == 1 else f"{n:,} held-out rows"


def _tried(n_models_tried: int) -> str:
    return "" if n_models_tried == 1 else f"; this allows for {int(n_models_tried)} models tried on these rows"


def _models(n_models_tried: int) -> Assumption:
    text = "one model was tried" if n_models_tried == 1 else f"no more than {int(n_models_tried)} models were tried"
    return Assumption(f"{text} on these rows", Standing.DECLARED)
