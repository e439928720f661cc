"""Gram matrices of many rows: every way to form them gives the same numbers."""

import numpy as np
import pytest

from surefit.data import gram

fill_gram = pytest.importorskip("surefit._native").fill_gram


def rows(shape, order="C", weighted=True):
    """``X, factor, beside`` and the matrix that they stand for."""
    rng = np.random.default_rng(sum(shape))
    X = np.asarray(rng.standard_normal(shape) + 1.0, order=order)
    beside = rng.standard_normal(shape[0])
    factor = rng.uniform(0.0, 2.0, shape[0]) if weighted else np.ones(shape[0])
    return (X, factor, beside), X * factor[:, None]


SHAPES = [(0, 3), (1, 1), (3, 7), (7, 24), (320, 24), (321, 25), (641, 31), (640, 48), (1000, 97)]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_compiled_loop_is_the_product(shape, order, weighted):
    """Shapes around the sides of its tiles, and fewer rows than parts."""
    given, A = rows(shape, order, weighted)
    size = np.sqrt(np.sum(A**2, axis=0))
    answers = []
    for parts, threads in ((2, 1), (2, 2), (2, 5), (4, 3)):
        out, cross = np.full((shape[1], shape[1]), np.nan), np.full(shape[1], np.nan)
        fill_gram(*given, parts, threads, out, cross)
        assert np.all(np.abs(out - A.T @ A) <= 1e-14 * np.multiply.outer(size, size) + 1e-300)
        np.testing.assert_array_equal(out, out.T)
        assert np.all(np.abs(cross - A.T @ given[2]) <= 1e-14 * size * np.linalg.norm(given[2]) + 1e-300)
        answers.append(out)
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def test_the_compiled_loop_takes_views_and_refuse_what_does_not_fit():
    X = np.random.default_rng(0).standard_normal((400, 60))
    for view in (X[::2, 1:], X[:, ::3], X[::-1], X.T[:, :350]):
        n, d = view.shape
        out = np.empty((d, d))
        fill_gram(view, np.ones(n), np.ones(n), 2, 2, out, np.empty(d))
        np.testing.assert_allclose(out, view.T @ view, atol=1e-11)
    zeros, ones, square, few = np.zeros(60), np.ones(400), np.empty((60, 60)), np.ones(3)
    for wrong in (
        (X, few, ones, 2, 2, square, zeros),
        (X, ones, few, 2, 2, square, zeros),
        (X, ones, ones, 2, 2, np.empty((60, 59)), zeros),
        (X, ones, ones, 2, 2, square, few),
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


def test_fields_of_packed_records_are_left_to_the_blas(monkeypatch):
    monkeypatch.setattr(gram, "FEWEST_ENTRIES", 1)
    records = np.zeros(1000, dtype=[("a", "f8", 100), ("b", "i1")])
    records["a"] = np.random.default_rng(0).standard_normal((1000, 100))
    np.testing.assert_allclose(gram.gram_matrix(records["a"])[0], records["a"].T @ records["a"], atol=1e-11)


def test_without_door_the_blas_serves(monkeypatch):
    X = np.random.default_rng(1).standard_normal((8000, 130))
    compiled, _ = gram.gram_matrix(X)
    monkeypatch.setattr(gram, "COMPILED", False)
    np.testing.assert_allclose(gram.gram_matrix(X)[0], compiled, atol=1e-10)


@pytest.mark.parametrize("shape", [(50, 300), (4000, 300)])
def test_a_product_that_takes_long_leaves_the_main_thread_to_signals(shape, monkeypatch):
    X, asked = np.random.default_rng(0).normal(size=shape), []
    monkeypatch.setattr(gram, "COMPILED", False)
    monkeypatch.setattr(gram, "interruptible", lambda work, product, A: (asked.append(work), product(A))[1])
    np.testing.assert_allclose(gram.gram_matrix(X)[0], X.T @ X, rtol=1e-12, atol=1e-9)
    assert asked == [X.size * 300]
