"""The compiled logistic pass against its plain-Python twin.  Catalogue L-10, L-11, T-78, T-81."""

import numpy as np
import pytest

from surefit.compiled.twins import logistic

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")

SHAPES = [(1, 1), (37, 3), (300, 50), (1000, 70), (40, 700), (5, 3000)]


def data(n, d, width, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    share = rng.uniform(0, 1, n)
    return X, rng.integers(0, max(width, 2), n), share / share.sum(), rng.standard_normal((d + 1, width))


def passed(loops, X, codes, share, V, threads=1):
    slope = np.full(V.shape, np.nan)
    return loops.logistic_pass(X, codes, share, V, threads, slope), slope


@pytest.mark.parametrize(("dtype", "accuracy"), [(np.float64, 1e-13), (np.float32, 2e-5)])
@pytest.mark.parametrize("width", [1, 3, 8, 10, 17, 40])
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_compiled_pass_and_twin_agree(n, d, width, dtype, accuracy):
    given = data(n, d, width, dtype)
    risk, slope = passed(_native, *given)
    expected, gradient = passed(logistic, *given)
    assert risk == pytest.approx(expected, rel=accuracy)
    np.testing.assert_allclose(slope, gradient, atol=accuracy)


@pytest.mark.parametrize("width", [1, 4])
def test_the_number_of_threads_does_not_change_a_bit(width):
    given = data(5000, 60, width)
    one, three = passed(_native, *given), passed(_native, *given, threads=3)
    assert one[0] == three[0]
    assert np.array_equal(one[1], three[1])


@pytest.mark.parametrize("loops", [_native, logistic])
def test_far_scores_neither_overflow_nor_lose_small_losses(loops):
    X, codes, V = np.array([[800.0], [-800.0]]), np.array([0, 1]), np.array([[1.0], [0.0]])
    assert passed(loops, X, codes, np.full(2, 0.5), V)[0] == 800.0
    assert passed(loops, np.array([[40.0]]), np.array([1]), np.ones(1), V)[0] == pytest.approx(np.exp(-40), rel=1e-14)


@pytest.mark.parametrize("loops", [_native, logistic])
def test_far_scores_of_many_classes_do_not_overflow(loops):
    X, codes, V = np.array([[800.0]]), np.array([0]), np.array([[0.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    risk, slope = passed(loops, X, codes, np.ones(1), V)
    assert risk == 800.0
    np.testing.assert_allclose(slope, [[-800.0, 800.0, 0.0], [-1.0, 1.0, 0.0]], atol=1e-12)


@pytest.mark.parametrize("width", [1, 3])
def test_what_is_not_a_number_stays_so(width):
    X, codes, share, V = data(20, 5, width)
    X[7, 2] = np.nan
    risk, slope = passed(_native, X, codes, share, V)
    assert np.isnan(risk)
    assert np.all(np.isnan(slope[2]))


def test_codes_without_a_score_are_refused():
    X, codes, share, V = data(20, 5, 3)
    codes[4] = 3
    with pytest.raises(ValueError, match="codes"):
        passed(_native, X, codes, share, V)
