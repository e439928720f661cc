"""Rows mixed from two others are found; grids, lines and small tables have none."""

import numpy as np

from surefit.guarantee.seen.between import segments
from surefit.guarantee.seen.columns import Columns

RNG = np.random.default_rng(0)


def middles(X):
    return np.unique(segments(Columns.of(X, np.zeros(len(X))))[0][:, 0])


def test_mixed_rows_are_found_in_double_and_single_precision():
    X = RNG.normal(size=(60, 6))
    near = np.argsort(np.sum((X[:, None] - X[None]) ** 2, axis=2), axis=1)[:, 1:6]
    one = RNG.integers(0, 60, 40)
    mixed = X[one] + RNG.random((40, 1)) * (X[near[one, RNG.integers(0, 5, 40)]] - X[one])
    for rows in (np.vstack([X, mixed]), np.vstack([X, mixed]).astype(np.float32)):
        found = middles(rows)
        assert len(found) > 10
        assert np.mean(found >= 60) > 0.9


def test_grids_lines_and_few_rows_have_none():
    assert len(middles(RNG.integers(0, 5, (400, 5)).astype(float))) == 0
    assert len(middles(np.outer(RNG.random(300), np.arange(1.0, 7.0)))) == 0
    assert len(middles(RNG.normal(size=(5, 3)))) == 0


def test_large_tables_are_looked_at_in_part():
    found, looked_at = segments(Columns.of(RNG.normal(size=(30_000, 3)), np.zeros(30_000)))
    assert looked_at < 2000
    assert len(found) <= 3
