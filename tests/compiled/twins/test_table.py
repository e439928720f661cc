"""Products with a table: the compiled loops equal their twins, and products with the matrix that it stands for."""

import numpy as np
import pytest

from surefit.compiled import door
from surefit.compiled.twins import table as twin


def case(rows, cols, sizes, n_beside=0, width=1, dtype=np.float64, order="F"):
    """A table whose columns of words have so many levels, with rows without an indicator and weights of both signs."""
    rng = np.random.default_rng(rows + cols)
    numbers = np.asarray(rng.normal(size=(rows, cols)).astype(dtype), order=order)
    inverse, shift = rng.uniform(0.5, 2.0, cols), rng.normal(size=cols)
    starts = np.cumsum([0, *sizes])
    codes = np.empty((len(sizes), rows), dtype=np.int32)
    for k, size in enumerate(sizes):
        drawn = rng.integers(-1, size, rows)
        codes[k] = np.where(drawn >= 0, drawn + starts[k], -1)
    beside, U = rng.normal(size=(rows, n_beside)), rng.normal(size=(rows, width))
    hot = (codes.T[:, :, None] == np.arange(starts[-1])).any(axis=1).astype(float)
    A = np.hstack([np.ones((rows, 1)), numbers * inverse - shift, beside, hot])
    return (numbers, inverse, shift, codes), beside, rng.normal(size=rows), U, A, 1 + cols + n_beside


CASES = [
    (1000, 3, (3, 5, 2), 1, 1), (9000, 14, (4, 6), 0, 2), (129, 21, (), 2, 1), (50, 0, (40,), 0, 3), (1, 2, (2,), 0, 1),
]  # fmt: skip


@pytest.mark.parametrize("given", CASES)
@pytest.mark.parametrize("loops", [door, twin])
def test_sums_are_those_of_the_matrix(loops, given):
    table, beside, weight, U, A, q = case(*given)
    gram, cross, squares = np.zeros((A.shape[1],) * 2), np.zeros((A.shape[1], U.shape[1])), np.zeros(q)
    loops.table_products(*table, beside, weight, U, gram, cross, squares)
    size = np.sqrt(np.diag(A.T @ A)) + 1.0
    assert np.max(np.abs(gram - np.triu(A.T @ (A * weight[:, None]))) / np.multiply.outer(size, size)) <= 1e-13
    assert np.max(np.abs(cross - A.T @ U) / size[:, None]) <= 1e-11
    np.testing.assert_allclose(squares, U[:, -1] @ A[:, :q] ** 2, rtol=1e-10, atol=1e-10 * len(U))
    once = gram.copy()
    loops.table_products(*table, beside, weight, U, gram, cross, squares)
    np.testing.assert_allclose(gram, 2 * once, rtol=1e-12)  # sums are added to what is there


@pytest.mark.parametrize("loops", [door, twin])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_products_with_vectors_are_those_of_the_matrix(loops, dtype, order):
    table, _, _, _, A, _ = case(300, 5, (3, 4), dtype=dtype, order=order)
    V = np.random.default_rng(0).normal(size=(A.shape[1], 2))
    found = np.empty((300, 2))
    loops.table_times(*table, V, found)
    np.testing.assert_allclose(found, A @ V, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("loops", "single"), [(door, False), (twin, False), (door, True), (twin, True)])
@pytest.mark.parametrize("lams", [1, 50])
def test_rows_left_out_add_what_their_formula_says(loops, single, lams):
    table, _, weight, U, A, _ = case(700, 5, (3, 4))
    rng = np.random.default_rng(1)
    turn, coef = rng.normal(size=(A.shape[1], 6)) / 40.0, rng.normal(size=(6, lams))
    share, weight, y = rng.uniform(size=(6, lams)), np.abs(weight), U[:, 0]
    rows = A @ turn
    h = weight[:, None] * (rows**2 @ share + 1e-3)
    left = ((rows @ coef - y[:, None]) / (1 - h)) ** 2
    expected = np.stack([weight @ (left - (rows @ coef - y[:, None]) ** 2), weight @ left**2])
    found = np.zeros((2, lams))
    loops.table_left_out(*table, turn, coef, share, y, weight, 1e-3, single, found)
    np.testing.assert_allclose(found, expected, rtol=1e-5 if single else 1e-11)


def test_the_order_in_memory_changes_no_bit():
    found = []
    for order in ("C", "F"):
        table, beside, weight, U, A, q = case(700, 6, (3,), order=order)
        sums = np.zeros((A.shape[1],) * 2), np.zeros((A.shape[1], 1)), np.zeros(q)
        door.table_products(*table, beside, weight, U, *sums)
        found.append([one.tobytes() for one in sums])
    assert found[0] == found[1]


@pytest.mark.compiled
def test_codes_beyond_the_levels_and_wrong_shapes_are_refused():
    table, beside, weight, U, A, q = case(30, 2, (3, 4))
    s = A.shape[1]
    with pytest.raises(ValueError, match="level that is not there"):
        door.table_times(*table, np.ones((s - 1, 1)), np.empty((30, 1)))
    with pytest.raises(ValueError, match="level that is not there"):
        door.table_products(*table, beside, weight, U, np.zeros((s - 1, s - 1)), np.zeros((s - 1, 1)), np.zeros(q))
    with pytest.raises(ValueError, match="one row per row"):
        door.table_products(*table, beside, weight[1:], U, np.zeros((s, s)), np.zeros((s, 1)), np.zeros(q))
    with pytest.raises(ValueError, match="one entry per column"):
        door.table_times(table[0], table[1][1:], *table[2:], np.ones((s, 1)), np.empty((30, 1)))
