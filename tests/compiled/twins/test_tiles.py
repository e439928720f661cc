"""The compiled kernel tiles, triangles and folds equal their plain twins."""

import numpy as np
import pytest

from surefit.compiled.twins import tiles
from surefit.kernels.fold import fold
from surefit.kernels.library import Gaussian
from surefit.kernels.stored import entries
from surefit.kernels.tiles import PROFILES

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")

SIZES = [(1, 1, 1), (3, 5, 2), (4, 64, 3), (65, 63, 10), (130, 129, 1), (70, 200, 40)]


def points(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("n", "m", "d"), SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-15), (np.float32, 3e-7)])
def test_compiled_tiles_equal_their_plain_twins(profile, n, m, d, dtype, tolerance):
    X, Z = points(n, d).astype(dtype), points(m, d, 1).astype(dtype)
    V = points(m, 2, 2).astype(dtype)
    for threads in (1, 3):
        for name, inputs, shape in (
            ("radial_block", (X, Z), (n, m)),
            ("radial_gram", (X,), (n, n)),
            ("radial_times", (X, Z, V), (n, 2)),
            ("radial_symmetric_times", (Z, V), (m, 2)),
        ):
            kind = np.float64 if "times" in name else dtype
            ours, twin = np.empty(shape, kind), np.empty(shape, np.float64)
            getattr(_native, name)(PROFILES[profile], 0.3, *inputs, threads, ours)
            getattr(tiles, name)(PROFILES[profile], 0.3, *inputs, threads, twin)
            np.testing.assert_allclose(ours, twin, atol=tolerance * (10 + m if "times" in name else 5), rtol=0)


@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_compiled_triangle_equals_its_plain_twin(dtype):
    rng = np.random.default_rng(0)
    n, step = 150, 1 / 32767 if dtype == np.int16 else 1.0
    K = Gaussian(1.0).gram(rng.standard_normal((n, 2)), np.float32)
    V = rng.standard_normal((n, 3)).astype(np.float32)
    stores, products = [], []
    for loops in (_native, tiles):
        stored, out = np.empty(entries(n), dtype), np.empty((n, 3))
        for first in (0, 128):
            last = min(n, first + 128)
            loops.triangle_store(np.ascontiguousarray(K[first:last, :last]), first, step, 2, stored)
        loops.triangle_times(stored, step, V, 2, out)
        stores.append(stored)
        products.append(out)
    np.testing.assert_allclose(stores[0].astype(float), stores[1].astype(float), atol=1 if dtype == np.int16 else 0)
    np.testing.assert_allclose(products[0], products[1], atol=1e-3)


FOLD_SIZES = [(1, 1, 1), (5, 3, 2), (4, 64, 1), (131, 65, 3), (300, 100, 2), (1100, 17, 1)]


def problem(n, m, k, dtype, seed=0):
    rng = np.random.default_rng(seed)
    A, Y, w = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((n, k)), rng.random(n)
    return rng.standard_normal((n, m)).astype(dtype), A, Y, w


def by_definition(C, A, Y, w):
    C, A = np.asarray(C, np.float64), np.asarray(A, np.float64)
    left = Y - C @ A
    return np.vstack([C.T @ (w[:, None] * left), w @ left, w @ left**2])


@pytest.mark.parametrize(("n", "m", "k"), FOLD_SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_a_block_is_folded_by_its_definition_on_any_number_of_threads(n, m, k, dtype, tolerance):
    C, A, Y, w = problem(n, m, k, dtype)
    exact = by_definition(C, A, Y, w)
    size = np.max(np.abs(exact))
    answers = [fold(C, A, Y, w, threads) for threads in (1, 2, 5)]
    np.testing.assert_allclose(answers[0], exact, atol=tolerance * size * np.sqrt(m + n), rtol=0)
    assert all(np.array_equal(answers[0], one) for one in answers[1:])
    twin = np.empty_like(exact)
    tiles.block_fold(C, A, Y, w, 1, twin)
    np.testing.assert_allclose(twin, exact, atol=tolerance * size * np.sqrt(m + n), rtol=0)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("n", "m", "k"), FOLD_SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_a_radial_fold_equals_the_fold_of_its_block(profile, n, m, k, dtype, tolerance):
    _, A, Y, w = problem(n, m, k, dtype)
    X, Z = (np.random.default_rng(s).standard_normal((rows, 4)).astype(dtype) for s, rows in ((1, n), (2, m)))
    block, ours, twin = np.empty((n, m), dtype), np.empty((m + 2, k)), np.empty((m + 2, k))
    _native.radial_block(PROFILES[profile], 0.3, X, Z, 1, block)
    exact = by_definition(block, A, Y, w)
    for threads in (1, 3):
        _native.radial_fold(PROFILES[profile], 0.3, X, Z, A, Y, w, threads, ours)
        np.testing.assert_allclose(ours, exact, atol=tolerance * np.max(np.abs(exact)) * np.sqrt(m + n), rtol=0)
    tiles.radial_fold(PROFILES[profile], 0.3, X, Z, A, Y, w, 1, twin)
    np.testing.assert_allclose(twin, exact, atol=tolerance * np.max(np.abs(exact)) * np.sqrt(m + n), rtol=0)
