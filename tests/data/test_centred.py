import numpy as np
import pytest
from scipy import sparse

from surefit.data.centred import centre
from surefit.data.design import Design


def explicit(X, weight, scale):
    """The definition: sqrt(w) (X / scale - weighted mean)."""
    Z = X / scale
    return np.sqrt(weight)[:, None] * (Z - weight @ Z / weight.sum())


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_product_of_the_centred_design_agrees_with_the_dense_matrix(make, weighted):
    """Catalogue A-05."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.7) + 0.0
    weight = rng.random(9) + 0.1 if weighted else np.ones(9)
    scale = np.array([1.0, 2.0, 0.5, 4.0])
    A = centre(Design.of(make(X), weight), True, scale)
    truth = explicit(X, weight, scale)
    v, u = rng.normal(size=4), rng.normal(size=9)
    np.testing.assert_allclose(A.dense(), truth, atol=1e-14)
    np.testing.assert_allclose(A.matvec(v), truth @ v, atol=1e-14)
    np.testing.assert_allclose(A.rmatvec(u), truth.T @ u, atol=1e-14)
    np.testing.assert_allclose(A.gram(), truth.T @ truth, atol=1e-13)
    np.testing.assert_allclose(A.kernel(), truth @ truth.T, atol=1e-13)
    y = rng.normal(size=(9, 2))
    np.testing.assert_allclose(A.target(y), np.sqrt(weight)[:, None] * (y - weight @ y / weight.sum()), atol=1e-14)


def test_restoring_undoes_the_change_of_variables():
    """Catalogue A-05: b = mean(y) - mean(x) . w, in the user's units."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    A = centre(Design.of(X), True, np.array([2.0]))
    coef, intercept = A.restore(np.array([[2.2]]), np.array([2.75]))
    np.testing.assert_allclose((coef[0, 0], intercept[0]), (1.1, 1.1), rtol=1e-15)


def test_timestamps_in_milliseconds_are_centred_to_working_precision():
    """A mean of 1.7e12 rounds to 2e-4; a column with a spread of one must not feel it."""
    spread = np.random.default_rng(2).random(50).round(3)
    stamps = 1_700_000_000_000.0 + np.round(spread * 1000)
    A = centre(Design.of(stamps[:, None]), True)
    centred = A.dense()[:, 0]
    exact = np.round(spread * 1000) - np.round(spread * 1000).mean()
    np.testing.assert_allclose(centred, exact, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(A.gram()[0, 0], exact @ exact, rtol=1e-12)


def test_a_huge_mean_does_not_cancel_in_the_gram_matrix():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3)) + 1e7
    A = centre(Design.of(X), True)
    exact = X - X.mean(axis=0)
    np.testing.assert_allclose(A.gram(), exact.T @ exact, rtol=1e-8)


@pytest.mark.parametrize("mean", [0.0, 3.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_gram_matrix_and_products_with_a_target_in_one_pass(make, weighted, mean):
    rng = np.random.default_rng(5)
    X, target = mean + rng.standard_normal((60, 4)), rng.standard_normal(60)
    weight = rng.uniform(0.0, 2.0, 60) if weighted else np.ones(60)
    A = centre(Design(make(X), weight), fit_intercept=True)
    exact = np.sqrt(weight)[:, None] * (X - weight @ X / weight.sum())
    gram, moment = A.gram_and_moment(target)
    np.testing.assert_allclose(gram, exact.T @ exact, atol=1e-9)
    np.testing.assert_allclose(moment, exact.T @ target, atol=1e-11)
    assert len(A.gram_and_moment(np.empty(0))[1]) == 0


@pytest.mark.parametrize("constant", [1.0, 0.1, -1e6, 1e-9])
def test_nothing_at_all_is_left_of_a_constant(constant):
    """A sum of shares of it misses it by rounding, which is no column."""
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(size=3000), np.full(3000, constant)])
    design = Design.of(X, rng.uniform(0.5, 2, 3000))
    A = centre(design, True, np.array([1.0, 4.0]))
    np.testing.assert_array_equal(A.dense()[:, 1], 0.0)
    np.testing.assert_array_equal(A.gram()[1], 0.0)
    X[2999, 1] *= 2  # between the rows that are looked at first
    assert np.any(centre(design, True).dense()[:, 1])
