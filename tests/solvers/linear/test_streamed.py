from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from benchmarks.exact import exact_fit_of_floats
from surefit import least_squares_from_blocks
from surefit.data.blocks.memory import RowBlocks
from surefit.data.design import Design
from surefit.solvers.linear.least_squares import least_squares


def problem(n=53, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1.0, 1e5, 1e-4, 3.0] + [0.0, 1e7, 0.0, -5.0]
    return X, X @ [1.0, -2e-5, 3e3, 0.5] + 2.0 + rng.normal(size=n)


@pytest.mark.parametrize("rows", [1, 8, 53, 100])
@pytest.mark.parametrize("intercept", [True, False])
def test_two_passes_over_blocks_equal_the_fit_in_memory(rows, intercept):
    """Catalogue A-02."""
    X, y = problem()
    whole = least_squares(Design.of(X), y[:, None], intercept).solution
    streamed = least_squares_from_blocks(RowBlocks(X, y, rows), passes=2, fit_intercept=intercept)
    np.testing.assert_allclose(streamed.coef, whole.coef[:, 0], rtol=1e-14)
    np.testing.assert_allclose(streamed.intercept, whole.intercept[0], rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(streamed.objective, whole.objective, rtol=1e-9)


def test_one_pass_is_plain_qr_and_takes_a_generator():
    X, y = problem()
    whole = least_squares(Design.of(X), y[:, None]).solution
    once = least_squares_from_blocks(((X[i : i + 8], y[i : i + 8]) for i in range(0, 53, 8)), passes=1)
    np.testing.assert_allclose(once.coef, whole.coef[:, 0], rtol=1e-9)
    with pytest.raises(ValueError, match="walked only once"):
        least_squares_from_blocks((block for block in [(X, y)]), passes=2)


def test_weights_travel_with_the_blocks():
    X, y = problem(seed=1)
    weight = np.random.default_rng(2).integers(0, 3, size=53).astype(float)
    blocks = [(X[i : i + 7], y[i : i + 7], weight[i : i + 7]) for i in range(0, 53, 7)]
    whole = least_squares(Design.of(X, weight), y[:, None]).solution
    np.testing.assert_allclose(least_squares_from_blocks(blocks).coef, whole.coef[:, 0], rtol=1e-13)


def test_dependent_columns_and_empty_streams_are_refused():
    X, y = problem()
    with pytest.raises(ValueError, match=r"rank 5 of 6.*ridge penalty"):
        least_squares_from_blocks(RowBlocks(np.column_stack([X, X[:, 0]]), y, 8))
    with pytest.raises(ValueError, match="no row"):
        least_squares_from_blocks([])
    with pytest.raises(ValueError, match="passes must be at least 1"):
        least_squares_from_blocks(RowBlocks(X, y, 8), passes=0)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_targets_of_any_size_stream_too(size):
    X, y = problem()
    plain, scaled = (least_squares_from_blocks(RowBlocks(X, t, 8)) for t in (y, y * size))
    np.testing.assert_allclose(scaled.coef, plain.coef * size, rtol=1e-12)
    assert not np.isnan(scaled.objective)


def test_a_column_may_grow_after_the_first_block():
    """The scale is that of the largest entry so far; the triangle is rescaled along, exactly."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    X[:8, 1] = 0.0
    plain = least_squares_from_blocks(RowBlocks(X, y, 8))
    scaled = least_squares_from_blocks(RowBlocks(X * [1.0, 1e300], y, 8))
    np.testing.assert_allclose(scaled.coef * [1.0, 1e300], plain.coef, rtol=1e-12)


def test_the_gap_of_a_stream_allows_for_rounding_to_doubles():
    """Against rational arithmetic: the excess of the returned numbers is never above the gap."""
    X, y = problem(n=20)
    answer = least_squares_from_blocks(RowBlocks(X, y, 8))
    exact = exact_fit_of_floats(X, y)
    theta = [Fraction(answer.intercept), *map(Fraction, answer.coef.tolist())]
    rows = [[Fraction(1), *map(Fraction, row)] for row in X.tolist()]
    moved = [sum(a * (c - e) for a, c, e in zip(row, theta, exact.coef, strict=True)) for row in rows]
    assert float(sum(m * m for m in moved)) / len(y) <= answer.gap < 1e-20


def test_row_blocks_carry_weights_and_sparse_rows():
    X, y = problem(seed=4)
    weight = np.random.default_rng(5).integers(0, 3, size=53).astype(float)
    whole = least_squares(Design.of(X, weight), y[:, None]).solution
    for rows in (X, sparse.csr_matrix(X)):
        streamed = least_squares_from_blocks(RowBlocks(rows, y, 7, weight))
        np.testing.assert_allclose(streamed.coef, whole.coef[:, 0], rtol=1e-13)
