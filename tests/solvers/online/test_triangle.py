"""Online ridge: the batch answer at any moment, from any partition, in memory that does not grow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.data.design import Design
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.online.triangle import StackedRows


def stream(n=300, d=4, k=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1.0, 100.0, 1e-3, 1.0][:d] + 5.0
    return X, X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))


def stacked(X, Y, cuts, weight=None, **options):
    rows, start = StackedRows(X.shape[1], Y.shape[1], **options), 0
    for cut in [*cuts, len(X)]:
        block = slice(start, start + cut)
        rows.add(X[block], Y[block], None if weight is None else weight[block])
        start += cut
    return rows


@given(st.lists(st.integers(1, 150), max_size=8))
def test_the_partition_into_blocks_never_changes_a_bit(cuts):
    X, Y = stream()
    expected = stacked(X, Y, []).solved().ridge(0.1)
    found = stacked(X, Y, cuts).solved().ridge(0.1)
    np.testing.assert_array_equal(found.coef, expected.coef)
    np.testing.assert_array_equal(found.intercept, expected.intercept)


@pytest.mark.parametrize("lam", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("n", [5, 64, 65, 300])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_answer_is_that_of_the_batch_at_any_moment(lam, n, fit_intercept):
    """A-09, A-10: also while rows wait, for two targets and weights."""
    X, Y = stream(n, k=2)
    weight = np.random.default_rng(1).integers(0, 3, n).astype(float)
    found = stacked(X, Y, [1, 7, 100], weight, fit_intercept=fit_intercept).solved().ridge(lam)
    batch = ridge(Design.of(X, weight), Y, lam, fit_intercept).solution
    np.testing.assert_allclose(found.coef, batch.coef, rtol=1e-11)
    np.testing.assert_allclose(found.intercept, batch.intercept, rtol=1e-9, atol=1e-9)


def test_fewer_rows_than_columns_have_the_shortest_solution():
    X, Y = stream(3)
    found = stacked(X, Y, []).solved().ridge(0.0)
    assert found.factor.rank == 2
    np.testing.assert_allclose(found.coef, ridge(Design.of(X, None), Y, 0.0, True).solution.coef, rtol=1e-8)
    np.testing.assert_allclose(X @ found.coef + found.intercept, Y)


def test_a_constant_column_gets_coefficient_zero():
    X, Y = stream()
    X[:, 2] = 0.1
    assert stacked(X, Y, [10, 10]).solved().ridge(0.0).coef[2, 0] == 0.0


def test_forgetting_is_a_weight_that_falls_with_age():
    X, Y = stream()
    aged = 0.97 ** np.arange(len(X) - 1, -1, -1)
    found = stacked(X, Y, [3, 70], forget=0.97).solved().ridge(0.01)
    batch = ridge(Design.of(X, aged), Y, 0.01, True).solution
    np.testing.assert_allclose(found.coef, batch.coef, rtol=1e-9)
    np.testing.assert_allclose(found.intercept, batch.intercept, rtol=1e-9)


def test_columns_that_join_late_were_zero():
    X, Y = stream(200, d=3)
    X[:120, 2] = 0.0
    late = StackedRows(2)
    late.add(X[:120, :2], Y[:120])
    late.widen(3)
    late.add(X[120:], Y[120:])
    np.testing.assert_allclose(late.solved().ridge(0.0).coef, stacked(X, Y, []).solved().ridge(0.0).coef, rtol=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_smallest_penalised_sum_of_squares_is_that_of_ridge(fit_intercept):
    """What a comparator in hindsight costs, the constant being a feature like any other."""
    X, Y = stream()
    total, u = stacked(X, Y, [], fit_intercept=fit_intercept).solved().residual_square(3.0, penalise_constant=True)
    A = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    expected = np.linalg.solve(A.T @ A + 3.0 * np.eye(A.shape[1]), A.T @ Y[:, 0])
    np.testing.assert_allclose(u, expected, rtol=1e-6)
    np.testing.assert_allclose(total, np.sum((Y[:, 0] - A @ u) ** 2) + 3.0 * u @ u, rtol=1e-9)


def test_memory_does_not_grow_with_the_rows():
    rows = StackedRows(4)
    sizes = set()
    for seed in range(20):
        rows.add(*stream(seed=seed))
        sizes.add((rows.triangle.size, rows.waiting.size))
    assert len(sizes) == 1
    assert rows.rows == 6000


def test_no_rows_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match="no row with a positive weight has come yet; give"):
        StackedRows(2).solved()
