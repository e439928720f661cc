"""One comparison for all rows: what it says of held-out rows, and of training rows alone."""

import numpy as np

from surefit.guarantee.seen.alike import Alike
from surefit.guarantee.seen.prints import row_prints

RNG = np.random.default_rng(0)


def alike(X, y):
    return Alike.of(X, y, row_prints(X, y))


def test_new_rows_are_told_from_changed_copies():
    X, y = RNG.normal(size=(200, 5)), RNG.integers(0, 2, 200)
    back = np.vstack([X[100:150] * (1 + 1e-9), X])
    found = alike(back, np.r_[y[100:150], y]).held_out(50)
    assert (found.shared, found.nearly, found.mixed, found.near_seen) == (50, 50, 0, True)
    found = alike(X, y).held_out(50)
    assert (found.any, found.nearly, found.coarse) == (False, 0, 0)


def test_coarse_rows_are_draws_also_with_dust_on_their_last_bits():
    X, y = RNG.integers(0, 3, (300, 4)) * 0.1, RNG.integers(0, 2, 300)
    for rows in (X, X * (1 + 1e-16 * RNG.integers(-2, 3, X.shape)) + 0.3):
        found = alike(rows, y).held_out(100)
        assert not found.any
        assert found.coarse > 20
        assert alike(rows, y).copies() == ""


def test_declared_draws_are_not_judged():
    X, y = RNG.integers(0, 3, (60, 2)).astype(float), np.zeros(60)
    assert alike(X, y).held_out(20, draws=True).coarse == 0
