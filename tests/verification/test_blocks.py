"""Certificates of rows held out of blocks hold as often as they say, also where rows are copies as draws are."""

import warnings

import numpy as np
import pytest

from surefit import LogisticRegression, Ridge
from surefit.data.blocks.block import Block
from surefit.data.blocks.hold_out import HoldOut
from surefit.theory.means.concentration import clopper_pearson

pytestmark = pytest.mark.verify

MASS = np.r_[0.3, 0.2, np.full(50, 0.01)]
"""Kinds of rows: two of them are half of the population."""


def drawn(numbers, rows, share):
    return np.concatenate(
        [HoldOut(share).mask(Block(numbers[start : start + rows])) for start in range(0, len(numbers), rows)]
    )


def by_kind(numbers, rows, share):
    """What is wrong: equal rows are held out together or not at all."""
    kinds = np.unique(numbers[:, 0])
    luck = np.random.default_rng(len(numbers) + int(numbers.sum())).random(len(kinds)) < share
    return luck[np.searchsorted(kinds, numbers[:, 0])]


def misses(divide, rng, R, rows, n=300, delta=0.05):
    """How often the bound is below the true error of a model that errs on new kinds, or on the first kind alone."""
    missed = np.zeros(2, dtype=int)
    for _ in range(R):
        kind = rng.choice(len(MASS), n, p=MASS)
        held = divide(kind[:, None] * 1.0, rows, 1 / 3)
        known = np.isin(np.arange(len(MASS)), kind[~held])
        missed[0] += clopper_pearson(~known[kind[held]], delta) < MASS[~known].sum() if held.any() else 0
        missed[1] += clopper_pearson(kind[held] == 0, delta) < MASS[0] if held.any() else 0
    return missed


@pytest.mark.parametrize("rows", [16, 100, 65_536])
def test_bounds_from_blocks_of_copies_fail_no_more_often_than_they_say(protocol, rows):
    R = protocol.of(200, 4000)
    assert np.all(misses(drawn, np.random.default_rng(rows), R, rows) <= protocol.allowed(R))


def test_copies_held_out_together_are_caught(protocol):
    R = protocol.of(200, 1000)
    assert misses(by_kind, np.random.default_rng(0), R, 100)[1] > 0.2 * R


def test_draws_of_neighbouring_rows_and_blocks_do_not_depend_on_each_other():
    """Pairs at some distances, and the same place in other blocks: five standard errors, seeds fixed."""
    rng, n = np.random.default_rng(1), 400_000
    for numbers in (rng.normal(size=(n, 1)), np.repeat(np.arange(n // 100.0), 100)[:, None]):
        held = drawn(numbers, 1000, 0.2)
        assert abs(held.mean() - 0.2) < 5 * np.sqrt(0.16 / n)
        for apart in (1, 2, 7, 100, 1000):
            both = np.mean(held[:-apart] & held[apart:])
            assert abs(both - 0.04) < 5 * np.sqrt(0.04 / n)


def population(rng, n):
    """Rows of three words each, with labels and numbers that depend on them."""
    X = rng.integers(0, 3, size=(n, 3)).astype(float)
    score = X[:, 0] - X[:, 1] * (X[:, 2] > 0)
    return X, score


def test_certificates_of_whole_fits_hold(protocol):
    """Error rates of a classifier, and the distance within which nine of ten numbers are predicted."""
    rng, R = np.random.default_rng(2), protocol.of(20, 500)
    X_all, score_all = population(rng, 200_000)
    missed = np.zeros(2, dtype=int)
    for _ in range(R):
        X, score = population(rng, 1500)
        yes, number = score + rng.logistic(size=1500) > 0, score + rng.laplace(size=1500)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            label = LogisticRegression(lam=1e-3).fit_blocks(X, y=np.where(yes, "yes", "no"), rows=256, certify=0.3)
            line = Ridge(lam=1e-3).fit_blocks(X, y=number, rows=256, certify=0.3)
        chance = 1 / (1 + np.exp(-score_all))
        errs = np.where(label.predict(X_all) == "yes", 1 - chance, chance).mean()
        missed[0] += label.certificate().bound < errs
        away, reach = line.predict(X_all) - score_all, line.certificate().bound
        beyond = 0.5 * np.exp(-np.abs(reach - away)) + 0.5 * np.exp(-np.abs(reach + away))
        missed[1] += np.mean(1 - beyond) < 0.9
    assert np.all(missed <= protocol.allowed(R))
