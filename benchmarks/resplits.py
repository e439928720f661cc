"""Certificates on re-splits of real tables: are they kept, how sharp are they, are honest rows ever accused?

``make resplits`` prints three tables, in about ten minutes on two cores.

1. Ten tables, each divided at random again and again: rows to fit, 300 held out, the rest to find out the truth.  A
   certificate is missed if the truth is worse than its bound; misses are compared with delta by an exact binomial test.
2. Tables of few values: the bound over that with every row declared to be a draw.
3. More than forty tables: how often rows of an honest division are refused, or taken for changed copies of others.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.resplit_tables import tables
from surefit import certify
from surefit.guarantee.inside import Memory
from surefit.guarantee.seen.prints import row_prints

DELTA, HELD_OUT, TRAINED = 0.05, 300, 600
TEN = (
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
RESPLITS, DISCRETE_RESPLITS, HONEST = 300, 40, 60
MOST_ROWS = 1000
"""Rows of a table that honest divisions are made of."""


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        print(f"Ten tables, {RESPLITS} re-splits each, delta = {DELTA}")
        heads = (
            ("rows", 7),
            ("fitted", 8),
            ("held out", 10),
            ("missed", 8),
            ("p", 8),
            ("bound/truth", 13),
            ("refused", 9),
        )
        print(f"{'table':20}" + "".join(f"{head:>{width}}" for head, width in heads))
        for line in pool.map(kept, TEN):
            print(line, flush=True)
        print("\nTables of few values: bound over that of draws")
        print(f"{'table':20}{'rows':>7}{'different':>11}{'mean':>8}{'largest':>9}{'refused':>9}")
        for line in pool.map(beside_draws, DISCRETE):
            print(line, flush=True)
        found = list(pool.map(accused, tables()))
    splits, refused, copies = (sum(one[k] for one in found) for k in (1, 2, 3))
    print(f"\nHonest divisions of {len(found)} tables: {splits}, refused {refused}, with changed copies {copies}")
    for name, _, no, near in found:
        if no or near:
            print(f"  {name}: refused {no}, changed copies {near}")


def kept(name: str) -> str:
    """A line of the first table."""
    X, y = tables()[name]()
    rng, ratios, missed, refused = np.random.default_rng(0), [], 0, 0
    trained = min(TRAINED, (len(y) - HELD_OUT) // 2)
    m = min(HELD_OUT, len(y) // 3)
    for _ in range(RESPLITS):
        order = rng.permutation(len(y))
        fit, held, rest = order[:trained], order[trained : trained + m], order[trained:]
        model = fitted(name, X[fit], y[fit])
        try:
            bound = certify(model, X[held], y[held], training=(X[fit], y[fit]), delta=DELTA).bound
        except ValueError:
            refused += 1
            continue
        errors = (
            np.abs(y[rest] - model.predict(X[rest])) if name in NUMBERS else 1.0 * (y[rest] != model.predict(X[rest]))
        )
        truth = np.quantile(errors, 0.9, method="inverted_cdf") if name in NUMBERS else errors.mean()
        missed += bound < truth
        ratios.append(bound / truth)
    p = binom.sf(missed - 1, RESPLITS, DELTA)
    return (
        f"{name:20}{len(y):>7}{trained:>8}{m:>10}{missed / RESPLITS:>8.3f}{p:>8.3f}{np.median(ratios):>13.2f}"
        f"{refused:>9}"
    )


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


def accused(name: str) -> tuple[str, int, int, int]:
    """Of a table: honest divisions, how many are refused, and how many have rows taken for changed copies."""
    X, y = tables()[name]()
    rng, refused, changed = np.random.default_rng(2), 0, 0
    for _ in range(HONEST):
        rows = rng.permutation(len(y))[:MOST_ROWS]
        held, fit = rows[: len(rows) * 3 // 10], rows[len(rows) * 3 // 10 :]
        try:
            found = Memory.of_rows(X[fit], y[fit]).compared(X[held], y[held])[0]
        except ValueError:
            refused += 1
        else:
            changed += found.nearly > 0 or found.mixed > 0
    return name, HONEST, refused, changed


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
