"""Nystroem maps and partial Cholesky factors against dense matrices; Catalogue A-14, A-15, K-09, C-09."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from surefit.data.fingerprints import distinct_rows
from surefit.kernels import Gaussian, Linear, Polynomial
from surefit.kernels.kernel import Kernel
from surefit.kernels.low_rank import PROPOSALS, map_from_pivots, nystroem_map, pivoted_cholesky
from surefit.progress import reporting

RULES = ("greedy", "random")


def sample(n=60, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


class Counting(Gaussian):
    """A Gaussian kernel that counts the pairs it evaluates."""

    pairs_seen = 0

    def block(self, X, Z, dtype=np.float64):
        Counting.pairs_seen += X.shape[0] * Z.shape[0]
        return super().block(X, Z, dtype)

    def gram(self, X, dtype=np.float64):
        Counting.pairs_seen += X.shape[0] ** 2
        return super().gram(X, dtype)


class Indefinite(Kernel):
    """Different points are more alike than a point is to itself: no kernel (K-09)."""

    def pairs(self, X, Z, dtype):
        return np.where(X == Z.T, 1.0, 3.0)


def khat(features, X):
    phi = features.transform(X)
    return phi @ phi.T


def nystroem_by_definition(K, landmarks):
    C = K[:, landmarks]
    return C @ np.linalg.pinv(K[np.ix_(landmarks, landmarks)], hermitian=True) @ C.T


@pytest.mark.parametrize("kernel", [Gaussian(1.5), Linear(), Polynomial(3), Gaussian(0.7) + 2.0 * Linear()])
@pytest.mark.parametrize("rule", ["uniform", "pivots"])
def test_with_every_row_a_landmark_the_kernel_is_exact(kernel, rule):
    X = sample()
    K = kernel.gram(X)
    np.testing.assert_allclose(khat(nystroem_map(kernel, X, 60, 0, rule=rule), X), K, atol=1e-11 * K.max())


@pytest.mark.parametrize("rule", ["uniform", "pivots"])
@pytest.mark.parametrize("m", [1, 5, 30])
def test_nystroem_equals_its_definition(m, rule):
    X = sample()
    K = Gaussian(1.5).gram(X)
    features = nystroem_map(Gaussian(1.5), X, m, 1, rule=rule)
    landmarks = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in features.landmarks]
    assert len(set(landmarks)) == features.rank == m
    np.testing.assert_allclose(khat(features, X), nystroem_by_definition(K, landmarks), atol=1e-11)
    whitened = Gaussian(1.5).block(X, features.landmarks) @ features.whitener
    np.testing.assert_allclose(whitened, features.transform(X), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_nystroem_leaves_has_no_negative_eigenvalue_and_shrinks_with_more_landmarks(seed):
    X = sample(seed=seed)
    K = Gaussian().gram(X)
    order = np.random.default_rng(seed).permutation(60)
    errors = []
    for m in (1, 3, 10, 30, 60):
        left = K - khat(nystroem_map(Gaussian(), X[order[:m]], 60), X)
        assert np.linalg.eigvalsh(left)[0] > -1e-13
        errors.append(np.trace(left))
    assert np.all(np.diff(errors) < 1e-12)
    assert abs(errors[-1]) < 1e-11


def test_landmark_weights_carry_coefficients_to_the_kernel():
    X, coef = sample(), np.arange(10.0)
    features = nystroem_map(Gaussian(), X, 10, 0)
    direct = Gaussian().times(X, features.landmarks, features.landmark_weights(coef))
    np.testing.assert_allclose(features.transform(X) @ coef, direct, atol=1e-11)


def test_repeated_rows_are_one_landmark_and_dependent_ones_are_dropped():
    X = np.repeat(sample(7), 5, axis=0)
    assert nystroem_map(Gaussian(), X, 35).rank == 7
    assert nystroem_map(Linear(), X, 35).rank == 3
    np.testing.assert_allclose(khat(nystroem_map(Linear(), X, 35), X), Linear().gram(X), atol=1e-13)


@pytest.mark.parametrize("X", [np.ones((1, 1)), np.ones((20, 2)), np.full((3, 2), 1e12)])
@pytest.mark.parametrize("rule", ["uniform", "pivots"])
def test_one_point_is_one_feature(X, rule):
    features = nystroem_map(Gaussian(), X, 5, rule=rule)
    assert features.rank == 1
    np.testing.assert_allclose(np.abs(features.transform(X)), 1.0, rtol=1e-15)


def test_a_kernel_that_vanishes_has_no_features():
    assert nystroem_map(Linear(), np.zeros((4, 2)), 3).transform(np.ones((2, 2))).shape == (2, 0)
    assert pivoted_cholesky(Linear(), np.zeros((4, 2)), 3).F.shape == (4, 0)


@pytest.mark.parametrize("rule", ["uniform", "pivots"])
def test_landmarks_depend_on_rows_and_weights_but_not_on_order_or_repetition(rule):
    X, rng = sample(), np.random.default_rng(3)
    weight = rng.integers(0, 4, 60)
    shuffled = rng.permutation(weight.sum())
    repeated = np.repeat(X, weight, axis=0)[shuffled]
    counted = nystroem_map(Gaussian(), X, 10, 0, weight, rule)
    copied = nystroem_map(Gaussian(), repeated, 10, 0, None, rule)
    np.testing.assert_allclose(counted.landmarks, copied.landmarks)
    assert not set(map(tuple, counted.landmarks)) & set(map(tuple, X[weight == 0]))


def test_uniform_landmarks_follow_the_weights():
    """The first of 2,000 draws is the heavy row (0.75) with a standard deviation of 0.01: four of them allowed."""
    X, weight = np.arange(4.0)[:, None], np.array([9.0, 1.0, 1.0, 1.0])
    drawn = Counter(float(nystroem_map(Gaussian(), X, 1, seed, weight).landmarks[0, 0]) for seed in range(2000))
    assert abs(drawn[0.0] / 2000 - 0.75) < 0.04


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("rank", [1, 7, 40])
def test_partial_cholesky_equals_nystroem_on_its_pivots_and_knows_its_error(rank, rule):
    X = sample()
    K = Gaussian(1.5).gram(X)
    found = pivoted_cholesky(Gaussian(1.5), X, rank, rule=rule, random_state=0)
    approximated = found.F @ found.F.T
    assert found.rank == rank == len(set(found.pivots))
    np.testing.assert_allclose(approximated, nystroem_by_definition(K, found.pivots), atol=1e-12)
    np.testing.assert_allclose(approximated[:, found.pivots], K[:, found.pivots], atol=1e-14)
    np.testing.assert_allclose(found.error, np.trace(K - approximated), rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(np.triu(found.F[found.pivots], 1), 0.0)


def test_partial_cholesky_agrees_with_nystroem_to_the_last_digits():  # 4e-16
    X = np.linspace(0.0, 4.0, 8)[:, None]
    K = Gaussian(0.5).gram(X)
    found = pivoted_cholesky(Gaussian(0.5), X, 4)
    assert np.max(np.abs(found.F @ found.F.T - nystroem_by_definition(K, found.pivots))) < 1e-15


def test_greedy_takes_the_largest_residual_each_time():
    X = sample(25)
    K = Polynomial(2).gram(X)
    found = pivoted_cholesky(Polynomial(2), X, 5)
    left = K.copy()
    for pivot in found.pivots:
        assert pivot == np.argmax(np.diag(left))
        left -= np.outer(left[:, pivot], left[:, pivot]) / left[pivot, pivot]
    np.testing.assert_allclose(found.residual, np.diag(left), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("kernel", "rank"), [(Linear(), 3), (Polynomial(2), 10), (Polynomial(1, 0.0).on([0]), 1)])
def test_elimination_ends_at_the_rank_of_the_kernel(kernel, rank, rule):
    X = sample(200)
    found = pivoted_cholesky(kernel, X, 150, rule=rule, random_state=0)
    assert found.rank == rank
    assert found.error < 1e-12 * np.sum(kernel.diag(X))


@pytest.mark.parametrize("rule", RULES)
def test_elimination_stops_at_the_tolerance(rule):
    X = sample(300, 1)
    found = pivoted_cholesky(Gaussian(), X, 300, tol=1e-3, rule=rule, random_state=0)
    assert found.error <= 1e-3
    assert found.rank < 60


def test_only_r_columns_are_touched():  # C-09
    X, r = sample(1000, 5), 30
    Counting.pairs_seen = 0
    assert pivoted_cholesky(Counting(), X, r).rank == r
    assert Counting.pairs_seen == 1000 * r
    Counting.pairs_seen = 0
    assert pivoted_cholesky(Counting(), X, r, rule="random", random_state=0).rank == r
    rounds = (Counting.pairs_seen - 1000 * r) / PROPOSALS**2
    assert rounds in (1, 2, 3)


def test_random_pivots_are_distributed_as_if_drawn_one_by_one():
    """Ordered pairs of pivots on 4 points, 3,000 draws: each frequency within 4.5 standard deviations (12 pairs)."""
    X = np.array([[0.0], [0.3], [1.5], [4.0]])
    K, draws, pairs = Gaussian().gram(X), 3000, Counter()
    for seed in range(draws):
        pairs[tuple(pivoted_cholesky(Gaussian(), X, 2, rule="random", random_state=seed).pivots)] += 1
    for i in range(4):
        left = 1.0 - K[:, i] ** 2
        for j in set(range(4)) - {i}:
            chance = 0.25 * left[j] / left.sum()
            assert abs(pairs[i, j] / draws - chance) < 4.5 * np.sqrt(chance * (1 - chance) / draws)


@pytest.mark.parametrize("rule", RULES)
def test_float32_factors_are_float32_accurate(rule):
    X = sample(300)
    K = Gaussian(1.5).gram(X)
    found = pivoted_cholesky(Gaussian(1.5), X, 250, rule=rule, random_state=0, dtype=np.float32)
    assert found.F.dtype == np.float32
    assert abs(np.trace(K) - np.sum(found.F.astype(float) ** 2) - found.error) < 3e-4
    assert np.max(np.abs(K - found.F @ found.F.T)) < 1e-4


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(1, 4), st.floats(1e-3, 1e3), st.sampled_from(RULES), st.integers(0, 2**32 - 1))
def test_the_residual_never_lies(n, d, scale, rule, seed):
    """Whatever the data: ``0 <= K - F F'`` and its trace is the error, to rounding."""
    X = scale * np.random.default_rng(seed).standard_normal((n, d)).round(1)
    for kernel in (Gaussian(), Linear(), Polynomial(2)):
        K = kernel.gram(X)
        found = pivoted_cholesky(kernel, X, max(n // 2, 1), rule=rule, random_state=seed)
        left = K - found.F @ found.F.T
        size = max(np.trace(K), 1e-300)
        assert np.linalg.eigvalsh(left)[0] > -1e-12 * size
        assert abs(np.trace(left) - found.error) < 1e-12 * size


def test_the_map_of_a_factor_gives_the_factor():
    X = sample()
    found = pivoted_cholesky(Gaussian(), X, 20)
    np.testing.assert_allclose(map_from_pivots(Gaussian(), X, found).transform(X), found.F, atol=1e-12)


def test_sparse_rows_give_what_dense_rows_give():
    X = sample() * (sample(seed=1) > 0.5)
    dense, thin = nystroem_map(Polynomial(2), X, 8, 0), nystroem_map(Polynomial(2), sparse.csr_matrix(X), 8, 0)
    np.testing.assert_allclose(dense.transform(X), thin.transform(sparse.csr_matrix(X)), atol=1e-12)
    np.testing.assert_array_equal(distinct_rows(X)[0], distinct_rows(sparse.csr_matrix(X))[0])


def test_what_is_not_a_kernel_is_refused():  # K-09
    with pytest.raises(ValueError, match="is not a kernel on these rows"):
        pivoted_cholesky(Indefinite(), np.arange(4.0)[:, None], 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: nystroem_map(Gaussian(), X, 0), "n_landmarks must be a whole number >= 1, got 0"),
        (lambda X: nystroem_map(Gaussian(), X, 2.5), "n_landmarks must be a whole number"),
        (lambda X: nystroem_map(Gaussian(), X, 2, rule="leverage"), "use 'uniform' or 'pivots'"),
        (lambda X: pivoted_cholesky(Gaussian(), X, True), "max_rank must be a whole number"),
        (lambda X: pivoted_cholesky(Gaussian(), X, 2, rule="lazy"), "use 'greedy' or 'random'"),
        (lambda X: pivoted_cholesky(Gaussian(), X, 2, tol=-1.0), "tol must be >= 0"),
        (lambda X: pivoted_cholesky(Gaussian(), X * np.nan, 2), "NaN or infinity"),
        (lambda X: nystroem_map(Gaussian(), X[:, 0], 2), "must have shape"),
    ],
)
def test_bad_requests_are_refused_with_a_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call(sample(5))


def test_long_eliminations_report_progress():
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        pivoted_cholesky(Gaussian(), sample(), 10)
    assert [one.step for one in said] == list(range(1, 11))
    assert said[-1].error < said[0].error


def test_rounding_in_single_precision_does_not_make_a_kernel_indefinite():
    """Five per cent off, more than any processor: what single precision cannot tell is decided in double."""

    class Coarse(Gaussian):
        def block(self, X, Z, dtype=np.float64):
            values = super().block(X, Z, dtype)
            return values if dtype == np.float64 else (1.05 * values).astype(dtype)

    X = np.random.default_rng(0).normal(size=(400, 2))
    found = pivoted_cholesky(Coarse(2.0), X, 60, rule="random", random_state=0, dtype=np.float32)
    exact = pivoted_cholesky(Gaussian(2.0), X, 60, rule="random", random_state=0)
    assert found.F.dtype == np.float32
    np.testing.assert_array_equal(found.pivots, exact.pivots)
