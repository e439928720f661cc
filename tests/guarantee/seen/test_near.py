"""Changed copies are found, and rows that are near by nature are not taken for them."""

import numpy as np
import pytest

from surefit.guarantee.seen.columns import Columns
from surefit.guarantee.seen.near import near_kinds, near_pairs

RNG = np.random.default_rng(0)


def joined(X, kinds=None):
    found = near_kinds(Columns.of(X, np.zeros(len(X))), np.arange(len(X)) if kinds is None else kinds)
    return len(X) - len(np.unique(found))


def test_pairs_are_those_of_brute_force():
    X = np.repeat(RNG.normal(size=(60, 3)), 3, axis=0) + RNG.choice([0.0, 1e-6, 1e-3], (180, 1)) * RNG.normal(
        size=(180, 3)
    )
    columns = Columns.of(X, np.zeros(180))
    apart = np.abs(columns.values[:, None] - columns.values[None])
    near = np.all(apart <= np.maximum(columns.tolerance[:, None], columns.tolerance[None]), axis=2)
    assert {tuple(sorted(pair)) for pair in near_pairs(columns).tolist()} == set(
        zip(*map(np.ndarray.tolist, np.nonzero(np.triu(near, 1))), strict=True)
    )


@pytest.mark.parametrize("copies", [1, 3])
def test_clusters_of_changed_copies_are_one_kind(copies):
    X = RNG.normal(size=(100, 5))
    more = np.vstack([X, *(X[:30] + 1e-6 * RNG.normal(size=(30, 5)) for _ in range(copies))])
    assert joined(more) == 30 * copies


def test_dense_rows_of_few_columns_are_no_copies():
    for d in (1, 2):
        assert joined(RNG.random((20_000, d))) == 0
    t = RNG.random(5000)
    assert joined(np.column_stack([t, np.sin(t), np.exp(t), t**2, t**3])) == 0


def test_equal_rows_stay_of_one_kind_and_small_tables_say_nothing():
    X = np.repeat(RNG.normal(size=(30, 4)), 2, axis=0)
    assert joined(X, np.arange(60) // 2) == 30
    assert joined(np.vstack([X[::2][:5], X[::2][:5] + 1e-9])) == 0
