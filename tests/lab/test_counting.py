"""Textbook algorithms: right answers, and every multiplication counted."""

import numpy as np

from surefit.lab.counting import Count, cholesky, dot, forward


def test_the_factor_and_the_solve_are_right():
    A = np.random.default_rng(0).normal(size=(7, 4))
    gram = A.T @ A
    L = cholesky(gram.tolist(), Count())
    np.testing.assert_allclose(np.array(L) @ np.array(L).T, gram)
    np.testing.assert_allclose(forward(L, np.ones(4), Count()), np.linalg.solve(np.array(L), np.ones(4)))


def test_a_factor_takes_a_sixth_of_the_cube():
    count = Count()
    cholesky(np.eye(10).tolist(), count)
    assert count.multiplications == (10**3 - 10) / 6


def test_an_inner_product_counts_its_length():
    count = Count()
    assert dot([1, 2, 3], [4, 5, 6], count) == 32
    assert count.multiplications == 3
