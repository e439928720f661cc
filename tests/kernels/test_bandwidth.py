"""The median heuristic (K-19, E-055)."""

import numpy as np
import pytest
from scipy import sparse

from surefit.kernels.bandwidth import median_distance

rng = np.random.default_rng(0)


def test_pairs_of_a_point_with_itself_are_left_out():
    """K-19, E-055: on 0, 1, 3 the median is 2; with the zeros it would be 1."""
    x = np.array([[0.0], [1.0], [3.0]])
    assert median_distance(x) == 2.0
    assert np.median(np.abs(x - x.T)) == 1.0
    assert median_distance(x, 0.25) == 1.5


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1e-5, 7.0, 1e300])
def test_the_median_scales_with_the_data(factor):
    X = rng.standard_normal((30, 3))
    assert median_distance(factor * X) == pytest.approx(
        factor * median_distance(X), rel=1e-3 if factor < 1e-310 else 1e-12
    )


def test_a_shift_changes_nothing():
    X = np.round(rng.random((30, 3)) * 64) / 64
    assert median_distance(X + 1e8) == pytest.approx(median_distance(X), rel=1e-14)


def test_sparse_rows_give_what_dense_ones_do():
    X = sparse.random(50, 80, density=0.1, format="csr", random_state=0)
    assert median_distance(X) == pytest.approx(median_distance(X.toarray()), rel=1e-13)


def test_a_sample_stands_for_many_rows():
    """2,000 of 5,000 rows: two million pairs; 2 % is far outside their sampling error."""
    X = rng.standard_normal((5000, 2))
    exact = median_distance(X, max_rows=5000)
    assert median_distance(X) == pytest.approx(exact, rel=0.02)
    assert median_distance(X) == median_distance(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 2)), "too many rows are equal; give the bandwidth as a number"),
        (np.array([[0.0], [0.0], [0.0], [0.0], [1.0]]), "too many rows are equal"),
        (np.ones((1, 2)), "at least two rows"),
        (np.ones(5), "at least two rows"),
        (np.array([[0.0], [np.nan]]), "NaN"),
        (np.array([[1.7e308], [-1.7e308]]), "exceed the largest number; rescale X"),
    ],
)
def test_data_without_a_scale_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        median_distance(X)


def test_quantiles_lie_between_0_and_1():
    with pytest.raises(ValueError, match="quantile must lie between"):
        median_distance(np.eye(3), 1.0)
