"""Certificates on re-splits of real tables: are they kept, how sharp are they, are honest rows ever accused?

``make resplits`` prints two tables, in about ten minutes on two cores.

1. Eleven tables, each divided at random again and again: rows to fit, 300 held out, the rest to find out the truth.  A
   certificate is missed if the truth is worse than its bound; misses are compared with delta by an exact binomial test.
   The bound over the truth stands beside the smallest ratio that any valid bound can have (`least_rate`).
2. Tables of few values: the bound over that with every row declared to be a draw.

Whether honest rows are ever taken for copies: ``benchmarks/copies.py``.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.resplit_tables import tables
from surefit import certify
from surefit.guarantee.seen.prints import row_prints

DELTA, HELD_OUT, TRAINED = 0.05, 300, 600
ELEVEN = (
    "breast cancer",
    "ring",
    "digits",
    "titanic",
    "winequality-red-4",
    "phoneme",
    "magic",
    "spambase",
    "twonorm",
    "Wage",
    "diamonds",
)
NUMBERS = {"Wage", "diamonds", "diabetes", "Boston", "Hitters", "quine", "College", "Auto", "quakes", "CASchools"}
DISCRETE = ("titanic", "housevotes", "winequality-red-4", "mammographic", "led7digit", "wisconsin", "hayes-roth", "tae")
RESPLITS, DISCRETE_RESPLITS = 300, 40


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        print(f"{len(ELEVEN)} tables, {RESPLITS} re-splits each, delta = {DELTA}; medians of bound over truth")
        heads = ("rows", "fitted", "held out", "missed", "p", "all", "if draws", "least", "refused")
        print(f"{'table':20}" + "".join(f"{head:>9}" for head in heads))
        for line in pool.map(kept, ELEVEN):
            print(line, flush=True)
        print("\nTables of few values: bound over that of draws")
        print(f"{'table':20}{'rows':>7}{'different':>11}{'mean':>8}{'largest':>9}{'refused':>9}")
        for line in pool.map(beside_draws, DISCRETE):
            print(line, flush=True)


def kept(name: str) -> str:
    """A line of the first table."""
    X, y = tables()[name]()
    rng, ratios, missed, refused = np.random.default_rng(0), [], 0, 0
    trained = min(TRAINED, (len(y) - HELD_OUT) // 2)
    m = min(HELD_OUT, len(y) // 3)
    for _ in range(RESPLITS):
        order = rng.permutation(len(y))
        fit, held, rest = order[:trained], order[trained : trained + m], order[trained:]
        model, training = fitted(name, X[fit], y[fit]), (X[fit], y[fit])
        try:
            bound = certify(model, X[held], y[held], training=training, delta=DELTA).bound
        except ValueError:
            refused += 1
            continue
        draws = certify(model, X[held], y[held], training=training, delta=DELTA, equal_rows_are_draws=True).bound
        truth, least = truth_and_least(name in NUMBERS, y[rest], model.predict(X[rest]), m)
        missed += bound < truth
        ratios.append(np.array([bound, draws, least]) / truth)
    p = binom.sf(missed - 1, RESPLITS, DELTA)
    every, alone, least = np.median(ratios, axis=0)
    return (
        f"{name:20}{len(y):>9}{trained:>9}{m:>9}{missed / RESPLITS:>9.3f}{p:>9.3f}{every:>9.2f}{alone:>9.2f}"
        f"{least:>9.2f}{refused:>9}"
    )


def truth_and_least(numbers: bool, y: np.ndarray, answers: np.ndarray, m: int) -> tuple[float, float]:
    """What a certificate is about, and the least that the median of any valid bound on it from ``m`` rows can be.

    Of a quantile: whoever bounds that of one error in ten without assumptions on the law of errors has to reject, for
    each smaller number, that a tenth of the errors is above it.
    """
    if not numbers:
        truth = float(np.mean(y != answers))
        return truth, least_rate(truth, m)
    errors, share = np.abs(y - answers), brentq(lambda p: least_rate(p, m) - 0.1, 1e-6, 0.1)
    at, beyond = np.quantile(errors, [0.9, 1.0 - share], method="inverted_cdf")
    return float(at), float(beyond)


def least_rate(rate: float, m: int, delta: float = DELTA) -> float:
    """The least that the median of a valid upper bound on an error rate can be, if the rate is ``rate``.

    A bound is below ``q`` with probability at most ``delta`` if the rate is ``q``, so "the bound is below ``q``" is a
    test of ``q`` at that level.  By Neyman and Pearson none is more powerful at ``rate`` than to reject for few errors,
    with a throw of a coin at the last number.  Where its power is one half, the median of no bound is smaller.

    >>> round(least_rate(0.02, 300) / 0.02, 2)
    1.83
    """

    def power(q: float) -> float:
        k = binom.ppf(delta, m, q)
        below = binom.cdf(k - 1, m, q)
        coin = (delta - below) / binom.pmf(k, m, q)
        return float(binom.cdf(k - 1, m, rate) + coin * binom.pmf(k, m, rate))

    return float(brentq(lambda q: power(q) - 0.5, rate, 1.0 - 1e-9))


def beside_draws(name: str) -> str:
    """A line of the second table."""
    X, y = tables()[name]()
    rng, ratios, refused, different = np.random.default_rng(1), [], 0, len(np.unique(row_prints(X, y)))
    for _ in range(DISCRETE_RESPLITS):
        order = rng.permutation(len(y))
        fit, held = order[len(y) // 3 :], order[: len(y) // 3]
        model, training = DecisionTreeClassifier(random_state=0).fit(X[fit], y[fit]), (X[fit], y[fit])
        try:
            found = certify(model, X[held], y[held], training=training)
        except ValueError:
            refused += 1
            continue
        ratios.append(
            found.bound / certify(model, X[held], y[held], training=training, equal_rows_are_draws=True).bound
        )
    return f"{name:20}{len(y):>7}{different:>11}{np.mean(ratios):>8.3f}{np.max(ratios):>9.3f}{refused:>9}"


def fitted(name: str, X: np.ndarray, y: np.ndarray) -> Any:
    """A model that takes a millisecond to fit."""
    if name in NUMBERS:
        return LinearRegression().fit(X, y)
    if name in ("titanic", "winequality-red-4"):
        return DecisionTreeClassifier(random_state=0).fit(X, y)
    return GaussianNB().fit(X, y)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
