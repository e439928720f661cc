"""Training rows with other last digits are recognised; coarse and discrete data are not refused for it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit.guarantee.seen.prints import row_prints
from surefit.guarantee.seen.rounded import NearRows, single_prints


def near(X, y):
    return NearRows.of(X, y, row_prints(X, y))


def continuous(n, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n)


def altered(values, digits, seed=1):
    """Noise of one part in ``10**digits``."""
    return values * (1 + 10.0**-digits * np.random.default_rng(seed).uniform(-1, 1, np.shape(values)))


@pytest.mark.parametrize("digits", [9, 12, 15])
def test_noise_in_the_last_digits_is_seen_through(digits):
    X, y = continuous(300)
    with pytest.raises(ValueError, match="of the 300 held-out rows equal training rows to seven digits"):
        near(X, y).refuse(altered(X, digits), altered(y, digits))


def test_a_tenth_of_altered_rows_is_enough():
    X, y = continuous(400)
    fresh, targets = continuous(90, seed=5)
    mixed, both = np.r_[fresh, altered(X[:10], 12)], np.r_[targets, y[:10]]
    with pytest.raises(ValueError, match="10 of the 100 held-out rows"):
        near(X, y).refuse(mixed, both)
    near(X, y).refuse(fresh, targets)


def test_sparse_frames_words_and_single_precision_are_compared_too():
    X, y = continuous(200)
    with pytest.raises(ValueError, match="200 of the 200"):
        near(sparse.csr_array(X), y).refuse(sparse.csc_array(altered(X, 12)), y)
    frame = pd.DataFrame(X).assign(word=np.where(X[:, 0] > 0, "a", "b"))
    other = pd.DataFrame(altered(X, 12)).assign(word=frame["word"])
    with pytest.raises(ValueError, match="200 of the 200"):
        near(frame, frame["word"]).refuse(other, other["word"])
    with pytest.raises(ValueError, match="200 of the 200"):
        near(X, y).refuse(X.astype(np.float32), y)
    np.testing.assert_array_equal(single_prints(X, y), single_prints(pd.DataFrame(X), y))


def test_a_stored_record_still_recognises_them():
    X, y = continuous(5000)
    stored = near(X, y).to_store()
    assert len(stored.prints) == 128
    stored.refuse(*continuous(1000, seed=3))
    with pytest.raises(ValueError, match=r"at least \d+ of the 1,000 held-out rows"):
        stored.refuse(altered(X[:1000], 12), y[:1000])


def test_readings_with_a_large_offset_are_not_refused():
    """Seconds of the clock: single precision merges most of them, in training as in the hold-out."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = 1.7e9 + 3600 * rng.random((800, 1))
        y = np.zeros(800)
        assert len(np.unique(X)) == 800
        near(X[:600], y[:600]).refuse(X[600:], y[600:])


def test_correlated_coarse_columns_are_not_refused():
    """Two columns that single precision merges together: a chance by independent columns would be far too small."""
    for seed in range(20):
        t = 1e9 + 1e5 * np.random.default_rng(seed).random(1000)
        X = np.column_stack([t, t + 1e-3, 2 * t])
        near(X[:700], X[:700, 0]).refuse(X[700:], X[700:, 0])


def test_chance_is_refused_as_rarely_as_is_claimed():
    """A law whose rows agree in single precision with probability 1 / n**2, the worst for a rule that counts pairs."""
    refused, n, m = 0, 60, 30
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        cell = rng.integers(0, n * n, n + m).astype(np.float64) + 1e6
        X = (cell + 1e-3 * rng.random(n + m))[:, None]  # 1e6 is told apart to 0.06
        try:
            near(X[:n], np.zeros(n)).refuse(X[n:], np.zeros(m))
        except ValueError:
            refused += 1
    assert refused <= 2


def test_numbers_beyond_single_precision_do_not_warn():
    X = np.array([[1e300], [-1e300], [1e-300]])
    assert near(X, np.zeros(3)).merged == 0.0
    assert len(single_prints(np.zeros((0, 2)), np.zeros(0))) == 0
