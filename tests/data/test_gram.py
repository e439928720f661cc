"""Gram matrices of many rows: every way to form them gives the same numbers."""

import numpy as np
import pytest

from surefit._native import fill_gram
from surefit.data import gram

NONE = np.empty(0)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 7), (7, 24), (320, 24), (321, 25), (641, 31), (1000, 97)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("with_target", [False, True])
def test_the_compiled_loop_is_the_product(shape, order, weighted, with_target):
    """Shapes around the sides of its tiles, and fewer rows than parts."""
    rng = np.random.default_rng(sum(shape))
    X = np.asarray(rng.standard_normal(shape), order=order)
    factor, beside = rng.uniform(0.0, 2.0, shape[0]), rng.standard_normal(shape[0])
    A = X * factor[:, None] if weighted else X
    answers = []
    for parts, threads in ((2, 1), (2, 2), (2, 5), (4, 3)):
        out = np.full((shape[1], shape[1]), np.nan)
        cross = np.full(shape[1] if with_target and shape[0] else 0, np.nan)
        fill_gram(X, factor if weighted else NONE, beside if with_target else NONE, parts, threads, out, cross)
        size = np.sqrt(np.sum(A**2, axis=0))
        assert np.all(np.abs(out - A.T @ A) <= 1e-14 * np.multiply.outer(size, size) + 1e-300)
        np.testing.assert_array_equal(out, out.T)
        if len(cross):
            assert np.all(np.abs(cross - A.T @ beside) <= 1e-14 * size * np.linalg.norm(beside))
        answers.append(out)
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def test_the_compiled_loop_takes_views_and_refuses_what_does_not_fit():
    X = np.random.default_rng(0).standard_normal((400, 60))
    for view in (X[::2, 1:], X[:, ::3], X[::-1], X.T[:, :350]):
        out = np.empty((view.shape[1], view.shape[1]))
        fill_gram(view, NONE, NONE, 2, 2, out, NONE)
        np.testing.assert_allclose(out, view.T @ view, atol=1e-11)
    square = np.empty((60, 60))
    for wrong in (
        (X, np.ones(3), NONE, 2, 2, square, NONE),
        (X, NONE, np.ones(3), 2, 2, square, np.empty(60)),
        (X, NONE, NONE, 2, 2, np.empty((60, 59)), NONE),
        (X, NONE, np.ones(400), 2, 2, square, np.empty(59)),
    ):
        with pytest.raises(ValueError, match="native loop"):
            fill_gram(*wrong)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("d", [7, 100])
@pytest.mark.parametrize("cores", [1, 2, 4, 64])
def test_the_way_that_is_chosen_does_not_matter(order, d, cores, monkeypatch):
    rng = np.random.default_rng(4)
    X = np.asarray(rng.standard_normal((1201, d)), order=order)
    factor, beside = rng.uniform(0.0, 2.0, 1201), rng.standard_normal(1201)
    monkeypatch.setattr(gram, "cores", lambda: cores)
    monkeypatch.setattr(gram, "FEWEST_ENTRIES", 1000)
    product, cross = gram.gram_matrix(X, factor, beside)
    A = X * factor[:, None]
    np.testing.assert_allclose(product, A.T @ A, atol=1e-11)
    np.testing.assert_allclose(cross, A.T @ beside, atol=1e-11)
    np.testing.assert_array_equal(product, product.T)
    single, _ = gram.gram_matrix(X.astype(np.float32))
    assert single.dtype == np.float32


def test_without_compiled_loops_the_blas_serves(monkeypatch):
    X = np.random.default_rng(1).standard_normal((8000, 130))
    compiled, _ = gram.gram_matrix(X)
    monkeypatch.setattr(gram, "COMPILED", False)
    np.testing.assert_allclose(gram.gram_matrix(X)[0], compiled, atol=1e-10)
