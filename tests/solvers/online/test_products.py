"""Products in 106 bits: against exact fractions, and as corrections of what one pass found."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import qr, solve_triangular

from surefit.solvers.online.products import MOST_ROWS, centred, exact_products, over, plus, refined, times


def exactly(a, b):
    return sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0))


@pytest.mark.parametrize("m", [1, 7, MOST_ROWS])
def test_products_are_right_to_a_hundred_bits(m):
    """Entries of any size up to two, cancelling sums included."""
    rng = np.random.default_rng(m)
    rows = rng.uniform(-2, 2, size=(m, 3)) * [1.0, 2.0**-30, 1.0]
    rows[:, 2] = rows[:, 0] + 2.0**-40 * rng.normal(size=m)
    high, low = exact_products(rows)
    for i in range(3):
        for j in range(3):
            size = np.sqrt(float(exactly(rows[:, i], rows[:, i]) * exactly(rows[:, j], rows[:, j])))
            off = Fraction(high[i, j]) + Fraction(low[i, j]) - exactly(rows[:, i], rows[:, j])
            assert abs(off) <= m * 2.0**-104 * max(size, 1.0)


def test_pairs_add_multiply_and_divide():
    rng = np.random.default_rng(1)
    a, b = ((rng.normal(size=5), 1e-17 * rng.normal(size=5)) for _ in range(2))
    for found, exact in (
        (plus(a, b), lambda x, y: x + y),
        (times(a, b), lambda x, y: x * y),
        (over(a, b), lambda x, y: x / y),
    ):
        for k in range(5):
            wanted = exact(Fraction(a[0][k]) + Fraction(a[1][k]), Fraction(b[0][k]) + Fraction(b[1][k]))
            assert abs((Fraction(found[0][k]) + Fraction(found[1][k])) / wanted - 1) < 2.0**-98


def test_centring_the_products_is_the_product_of_centred_columns():
    """Means a million times the spread cost nothing."""
    rng = np.random.default_rng(2)
    X = 1.0 + 1e-6 * rng.normal(size=(200, 2))
    found = centred(exact_products(np.column_stack([np.ones(200), X])))
    means = [exactly(X[:, j], np.ones(200)) / 200 for j in range(2)]
    for i in range(2):
        for j in range(2):
            wanted = exactly(X[:, i], X[:, j]) - 200 * means[i] * means[j]
            assert abs((Fraction(found[0][i, j]) + Fraction(found[1][i, j])) / wanted - 1) < 2.0**-60


def test_a_crude_answer_is_corrected_to_the_last_digit():
    """Condition 1e7: QR alone keeps about nine digits, the corrected answer all of them."""
    rng = np.random.default_rng(3)
    U, _ = np.linalg.qr(rng.normal(size=(100, 4)))
    V, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    A = U * [1.0, 1e-2, 1e-5, 1e-7] @ V
    t = A @ np.ones(4) + 0.1 * rng.normal(size=100)
    R = qr(A, mode="r")[0][:4]
    solve = lambda g: solve_triangular(R, solve_triangular(R, g, trans="T"))
    found = refined(exact_products(np.column_stack([A, t])), np.zeros(4), solve(A.T @ t), solve)
    rows = [[Fraction(x) for x in row] for row in A]
    gram = [[sum(row[i] * row[j] for row in rows) for j in range(4)] for i in range(4)]
    residual = [
        sum(row[i] * Fraction(y) for row, y in zip(rows, t, strict=True))
        - sum(gram[i][j] * (Fraction(found.coef[0][j]) + Fraction(found.coef[1][j])) for j in range(4))
        for i in range(4)
    ]
    left = solve(np.array([float(r) for r in residual]))
    assert np.max(np.abs(left / found.coef[0])) < 1e-13
    assert found.rounds >= 1
