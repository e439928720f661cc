"""Walks over a kernel matrix in tiles."""

import numpy as np
import pytest

from surefit.kernels.library import Gaussian, Linear, Min, Polynomial
from surefit.progress import reporting


@pytest.mark.parametrize("kernel", [Linear() * Gaussian(), Polynomial(3) + Min().on([0]), Linear().exp()], ids=repr)
def test_tiles_give_what_one_block_gives(kernel):
    """1,100 rows: five tiles a side in float64, three in float32."""
    rows = np.abs(np.random.default_rng(0).standard_normal((1100, 3)))
    V = np.random.default_rng(1).standard_normal((700, 3))
    whole = np.asarray(kernel.pairs(rows, rows[:700], np.float64))
    np.testing.assert_allclose(kernel.block(rows, rows[:700]), whole, rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(rows)[:, :700], whole, rtol=1e-12)
    np.testing.assert_allclose(kernel.times(rows, rows[:700], V), whole @ V, rtol=1e-9)
    single = kernel.times(rows, rows[:700], V, np.float32)
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, whole @ V, atol=1e-5 * np.abs(whole).max() * 700)


def test_tiles_say_where_they_are():
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        (Linear() * Gaussian()).gram(np.random.default_rng(0).standard_normal((600, 2)))
    assert [one.step for one in said] == [1, 2, 3, 4, 5, 6]
    assert said[-1].error == 0.0


def test_huge_and_tiny_weights_survive_single_precision():
    kernel, rows = Gaussian() * Polynomial(), np.random.default_rng(0).standard_normal((30, 2))
    for size in (1e-60, 1e60):
        expected = kernel.gram(rows).sum(axis=1) * size
        np.testing.assert_allclose(kernel.times(rows, rows, np.full(30, size), np.float32), expected, rtol=1e-4)
