"""The stored triangle: products equal the dense matrix's to its rounding, whoever computes them."""

import numpy as np
import pytest

from surefit.kernels.library import Gaussian, Polynomial
from surefit.kernels.stored import StoredGram, entries, rounding

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200, 700])
@pytest.mark.parametrize("dtype", [np.int16, np.float32])
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(degree=3, constant=1.0)])
def test_products_are_as_exact_as_the_rounding_says(n, dtype, kernel):
    rng = np.random.default_rng(n)
    X, V = rng.standard_normal((n, 3)), rng.standard_normal((n, 2))
    stored = StoredGram.of(kernel, X, dtype)
    exact, largest = kernel.gram(X), float(kernel.diag(X).max())
    error = np.linalg.norm(stored.times(V) - exact @ V, axis=0) / np.linalg.norm(V, axis=0)
    single = 1e-6 * np.linalg.norm(exact)  # products within a tile are in float32
    assert np.all(error <= 2 * rounding(n, largest, dtype) + single)


def test_the_answer_does_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    stored = StoredGram.of(Gaussian(1.0), rng.standard_normal((1000, 3)))
    V = rng.standard_normal((1000, 1)).astype(np.float32)
    answers = []
    for threads in (1, 2, 5):
        out = np.empty((1000, 1))
        _native.triangle_times(stored.tiles, stored.step, V, threads, out)
        answers.append(out)
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])


def test_shapes_that_do_not_fit_are_refused():
    tiles = np.zeros(entries(64), np.int16)
    with pytest.raises(ValueError, match="multiple of 64"):
        _native.triangle_store(np.zeros((1, 64), np.float32), 3, 1.0, 1, tiles)
    with pytest.raises(ValueError, match="room for the rows"):
        _native.triangle_store(np.zeros((65, 65), np.float32), 0, 1.0, 1, tiles)
    with pytest.raises(ValueError, match="more rows than the matrix"):
        _native.triangle_times(tiles, 1.0, np.zeros((65, 1), np.float32), 1, np.zeros((65, 1)))


def test_loops_never_write_into_a_converted_copy():
    """Any step is taken, and an output array of another type is refused instead of being copied."""
    tiles = np.zeros(entries(64), np.float32)
    _native.triangle_store(np.ones((64, 64), np.float32), 0, 0.1, 1, tiles)
    np.testing.assert_allclose(tiles, 10.0, rtol=1e-6)
    with pytest.raises(TypeError, match="incompatible"):
        _native.triangle_times(tiles, 0.1, np.ones((64, 1), np.float32), 1, np.zeros((64, 1), np.float32))
