"""A Gram matrix stored, or as features: the same products and the same inverse."""

import numpy as np
import pytest

from surefit.solvers.kernel.gram import DenseGram, LowRankGram, cholesky_inverse

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(7, 3))
GRAMS = [DenseGram(Z @ Z.T), LowRankGram(Z)]
both = pytest.mark.parametrize("gram", GRAMS, ids=["dense", "features"])


@both
@pytest.mark.parametrize("shape", [(7,), (7, 2)])
def test_products_and_the_inverse_are_those_of_the_matrix(gram, shape):
    V, scale = RNG.normal(size=shape), np.array([0.0, 1.0, 2.0, 0.5, 0.0, 3.0, 1e-9])
    np.testing.assert_allclose(gram.times(V), Z @ Z.T @ V, atol=1e-12)
    system = np.eye(7) + np.diag(scale) @ Z @ Z.T @ np.diag(scale)
    np.testing.assert_allclose(gram.inverse(scale)(V), np.linalg.solve(system, V), atol=1e-12)


@both
def test_parts_are_rows_and_columns_of_the_matrix(gram):
    rows, columns, V = np.array([0, 5]), np.array([1, 2, 6]), RNG.normal(size=(3, 2))
    np.testing.assert_allclose(gram.across(rows, columns, V), (Z @ Z.T)[np.ix_(rows, columns)] @ V, atol=1e-12)
    np.testing.assert_allclose(gram.part(columns).times(V), (Z @ Z.T)[np.ix_(columns, columns)] @ V, atol=1e-12)
    assert gram.mean_diagonal(np.full(7, 1 / 7)) == pytest.approx(np.trace(Z @ Z.T) / 7)


def test_the_lower_triangle_is_that_of_the_inverse():
    A = Z @ Z.T
    found = cholesky_inverse(lambda: A.copy(), 1.0).lower_triangle()
    np.testing.assert_allclose(np.tril(found), np.tril(np.linalg.inv(A + np.eye(7))), atol=1e-12)


def test_a_matrix_that_rounding_made_indefinite_still_gives_a_positive_inverse():
    A = 1e20 * np.ones((3, 3)) - np.diag([0.0, 1e5, 1e5])
    inverse = cholesky_inverse(lambda: A.copy(), 1.0)
    v = np.array([1.0, -1.0, 0.5])
    assert v @ inverse(v) > 0


def test_an_inverse_knows_how_much_was_added_to_the_matrix():
    assert cholesky_inverse(lambda: Z @ Z.T, 1.0).identity == 1.0
    inverse = cholesky_inverse(lambda: np.diag([-5.0, 1.0]), 1.0)
    assert inverse.identity > 5.0
    np.testing.assert_allclose(inverse(np.ones(2)), [1 / (inverse.identity - 5.0), 1 / (inverse.identity + 1.0)])


def test_the_allowance_for_rounding_covers_what_rounding_does():
    rng = np.random.default_rng(0)
    Z, V = 1e3 + rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    exact = Z.astype(np.longdouble) @ (Z.astype(np.longdouble).T @ V.astype(np.longdouble))
    for gram in (DenseGram(Z @ Z.T), LowRankGram(Z)):
        assert np.all(np.abs(gram.times(V) - exact) <= gram.rounding(V))
        assert np.all(gram.rounding(V) <= 1e-12 * np.abs(Z @ Z.T) @ np.abs(V))  # and little more
