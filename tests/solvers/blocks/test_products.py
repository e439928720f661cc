"""Products with words as codes are those of the matrix with their indicators, narrow or wide.  Catalogue C-01."""

import numpy as np
import pytest

from surefit.data.blocks.layout import Table
from surefit.solvers.blocks import products as module
from surefit.solvers.blocks.products import products, times

RNG = np.random.default_rng(5)
LEVELS = 7
NUMBERS = RNG.normal(size=(200, 3))
CODES = np.array(
    [RNG.integers(-1, 3, 200), np.where(RNG.random(200) < 0.2, -1, RNG.integers(3, LEVELS, 200))], np.int32
)
TABLE = Table(NUMBERS, np.array([0.5, 1.0, 2.0]), np.array([1.0, 0.0, -1.0]), CODES, LEVELS)
HOT = (CODES.T[:, :, None] == np.arange(LEVELS)).any(axis=1).astype(float)
DENSE = np.hstack([np.ones((200, 1)), NUMBERS * TABLE.inverse - TABLE.shift])
A = np.hstack([DENSE, HOT])


@pytest.fixture(params=[64, 2], ids=["compiled", "wide"])
def _way(request, monkeypatch):
    monkeypatch.setattr(module, "NARROW", request.param)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("weight", [None, RNG.uniform(size=200), -RNG.uniform(size=200)])
def test_the_gram_matrix_is_that_of_all_columns_and_symmetric(weight):
    found = products(TABLE, weight)
    w = np.ones(200) if weight is None else weight
    np.testing.assert_allclose(found.gram, A.T @ (A * w[:, None]), rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(found.gram, found.gram.T)
    np.testing.assert_allclose(found.squares, w @ A**2, rtol=1e-11, atol=1e-11)


@pytest.mark.usefixtures("_way")
def test_products_with_vectors_and_columns_beside_are_those_of_all_columns():
    V, U, y = RNG.normal(size=(A.shape[1], 2)), RNG.normal(size=(200, 2)), RNG.normal(size=(200, 1))
    np.testing.assert_allclose(times(TABLE, V), A @ V, rtol=1e-12, atol=1e-12)
    whole = np.hstack([DENSE, y, HOT])
    found = products(TABLE, None, U, y)
    np.testing.assert_allclose(found.cross, whole.T @ U, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found.gram, whole.T @ whole, rtol=1e-11, atol=1e-11)
