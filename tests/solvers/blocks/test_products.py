"""Products with words as codes are those of the matrix with their indicators.  Catalogue C-01."""

import numpy as np
import pytest

from surefit.solvers.blocks.products import by_level, gram, times, transposed_times

RNG = np.random.default_rng(5)
LEVELS = 7
Z = RNG.normal(size=(200, 3))
CODES = np.array(
    [RNG.integers(-1, 3, 200), np.where(RNG.random(200) < 0.2, -1, RNG.integers(3, LEVELS, 200))], np.int32
)
HOT = (CODES.T[:, :, None] == np.arange(LEVELS)).any(axis=1).astype(float)
A = np.hstack([Z, HOT])


@pytest.mark.parametrize("weight", [None, RNG.uniform(size=200), -RNG.uniform(size=200)])
def test_the_gram_matrix_is_that_of_all_columns_and_symmetric(weight):
    found = gram(Z, CODES, LEVELS, weight)
    np.testing.assert_allclose(found, A.T @ (A if weight is None else A * weight[:, None]), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


def test_products_with_vectors_are_those_of_all_columns():
    V, U = RNG.normal(size=(3 + LEVELS, 2)), RNG.normal(size=(200, 2))
    np.testing.assert_allclose(times(Z, CODES, V), A @ V, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(transposed_times(Z, CODES, LEVELS, U), A.T @ U, rtol=1e-12, atol=1e-12)


def test_without_words_nothing_is_added():
    none = np.empty((0, 200), dtype=np.int32)
    np.testing.assert_allclose(gram(Z, none, 0), Z.T @ Z)
    assert by_level(Z, none, 0).shape == (0, 3)
