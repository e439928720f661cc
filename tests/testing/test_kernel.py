"""``check_kernel`` passes whatever the algebra builds and catches what is no kernel, by a sentence that says why."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from surefit.kernels.kernel import Kernel
from surefit.kernels.library import (
    FeatureMap,
    FiniteDomain,
    FromFunction,
    Gaussian,
    Laplace,
    Linear,
    Matern,
    Mercer,
    Min,
    Polynomial,
)
from surefit.testing import check_kernel


def cubes(X):
    return np.hstack([X[:, :1], X[:, :1] ** 3])


OURS = [
    Linear(),
    Polynomial(),
    Polynomial(degree=5, constant=0.0),
    Gaussian(),
    Gaussian("median"),
    Gaussian(1e-3),
    Gaussian(1e3),
    Laplace(0.5),
    Matern(smoothness=0.5),
    Matern(smoothness=1.5),
    Matern("median", smoothness=2.5),
    Min(),
    Min().on([0]) * Min().on([1]),
    FeatureMap(np.tanh),
    Mercer([1.0, 0.5], cubes),
    FromFunction(lambda X, Z: 1 / (1 + np.abs(X[:, None] - Z).sum(axis=2))),
    FiniteDomain([[2.0, 1.0], [1.0, 2.0]]),
    Linear().exp(),
    Gaussian().conformal(lambda X: X[:, 0] - 1),
]


@pytest.mark.parametrize("kernel", OURS, ids=repr)
def test_every_kernel_of_ours_conforms(kernel):
    check_kernel(kernel)


widths = st.sampled_from([0.3, 1.0, 5.0, "median"])
atoms = st.one_of(
    st.just(Linear()),
    st.builds(Polynomial, st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0])),
    st.builds(Gaussian, widths),
    st.builds(Laplace, widths),
    st.builds(Matern, widths, st.sampled_from([0.5, 1.5, 2.5])),
    st.builds(lambda j: Min().on([j]), st.integers(0, 2)),
    st.just(FeatureMap(np.sin)),
)
columns = st.lists(st.integers(0, 2), min_size=3, max_size=4)


def composed(parts):
    return st.one_of(
        st.builds(lambda a, b: a + b, parts, parts),
        st.builds(lambda a, b: a * b, parts, parts),
        st.builds(lambda c, k: c * k, st.sampled_from([0.0, 0.1, 2.0, 1e-8]), parts),
        st.builds(lambda k, p: k**p, parts, st.integers(0, 3)),
        st.builds(lambda k: (0.1 * k).exp(), parts),
        st.builds(lambda k: k.conformal(spread), parts),
        st.builds(lambda k, c: k.on(c), parts, columns),
    )


def spread(X):
    return np.ptp(X, axis=1) + 0.1


ROWS = np.random.default_rng(0).random((40, 3)) * [1.0, 0.5, 0.7]


@settings(max_examples=100)
@given(st.recursive(atoms, composed, max_leaves=5))
def test_whatever_the_algebra_builds_is_a_kernel(kernel):
    """T-66, K-11 to K-16: 100 kernels of up to five parts, those that overflow not counted."""
    try:
        kernel.for_data(ROWS).gram(ROWS)
    except ValueError as error:
        assume("overflows" not in str(error))
    check_kernel(kernel, ROWS)


class Minus(Kernel):
    def pairs(self, X, Z, dtype):
        return -(X @ Z.T)


class Lopsided(Kernel):
    def pairs(self, X, Z, dtype):
        return Gaussian().block(X, Z) + 0.01 * (X[:, :1] - Z[:, 0])


class WrongDiagonal(Gaussian):
    def self_pairs(self, X):
        return np.full(len(X), 2.0)


class SloppyTimes(Gaussian):
    def _times(self, X, Z, V, dtype):
        return super()._times(X, Z, V, dtype) * (1 + 1e-6)


class SloppySingle(Linear):
    def pairs(self, X, Z, dtype):
        return super().pairs(X, Z, np.float64) * (1.01 if dtype == np.float32 else 1.0)


class DependsOnCompany(Kernel):
    def pairs(self, X, Z, dtype):
        return Gaussian().block(X, Z) * (1 + 0.001 * (len(Z) > 1))


class OffTheDiagonalBlock(Gaussian):
    def _gram(self, X, dtype):
        return np.asarray(super()._gram(X, dtype)) * np.where(np.tri(len(X), dtype=bool), 1, 1 + 1e-15).astype(dtype)


class ForgetsItsParameter(Gaussian):
    def __init__(self, width=1.0):
        super().__init__(width)


class ClaimsSparse(Kernel):
    takes_sparse = True

    def pairs(self, X, Z, dtype):
        inner = X @ Z.T
        return (inner.toarray() if hasattr(inner, "toarray") else inner + 1.0) + 0.0


class AcceptsNaN(Linear):
    def block(self, X, Z, dtype=np.float64):
        return super().block(X if sparse.issparse(X) else np.nan_to_num(X), Z, dtype)


def sigmoid(X, Z):
    return np.tanh(X @ Z.T + 1.0)


def smallest(X, Z):
    return np.minimum(X[:, :1], Z[:, 0])


def difference(X, Z):
    return Linear().block(X, Z) + 1 - 0.9 * Gaussian().block(X, Z)


def negative_constant(X, Z):
    return (X @ Z.T - 1) ** 2


def too_smooth(X, Z):
    return np.exp(-(np.abs(X[:, None] - Z).sum(axis=2) ** 3))


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        (Minus(), "is negative"),
        (Lopsided(), "not symmetric"),
        (WrongDiagonal(), "diag says 2, k(x, x) is 1"),
        (SloppyTimes(), "times(X, Z, V) is not block(X, Z) @ V"),
        (SloppySingle(), "float32 gives"),
        (DependsOnCompany(), "k(x, z) is 1, block says 1.001"),
        (OffTheDiagonalBlock(), "not symmetric to the last bit"),
        (ForgetsItsParameter(), "store each argument under its own name"),
        (ClaimsSparse(), "sparse rows give"),
        (AcceptsNaN(), "the kernel accepts rows with NaN"),
        (FromFunction(sigmoid), "exceeds sqrt(k(x, x) k(z, z))"),
        (FromFunction(smallest), "is negative at x = [-"),
        (FromFunction(difference), "exceeds sqrt(k(x, x) k(z, z))"),
        (FromFunction(negative_constant), "exceeds sqrt(k(x, x) k(z, z))"),
        (FromFunction(too_smooth), "has the eigenvalue -"),
    ],
    ids=repr,
)
def test_planted_mistakes_are_caught_by_the_sentence_that_names_them(kernel, sentence):
    with pytest.raises(AssertionError) as caught:
        check_kernel(kernel)
    assert sentence in str(caught.value)


def test_a_counterexample_is_cut_down_to_the_rows_it_needs():
    with pytest.raises(AssertionError, match=r"rows \[\[[-0-9.e]+\](, \[[-0-9.e]+\]){1,3}\] has the eigenvalue"):
        check_kernel(FromFunction(too_smooth))


def test_min_is_refuted_on_negative_rows_only():
    """K-05, E-052."""
    check_kernel(FromFunction(smallest), [[0.2], [0.5], [3.0]])
    with pytest.raises(AssertionError, match="is negative"):
        check_kernel(FromFunction(smallest), [[-1.0], [1.0]])


def test_a_kernel_that_refuses_all_rows_asks_for_some():
    shy = FiniteDomain(np.eye(1))
    with pytest.raises(AssertionError, match="give X"):
        check_kernel(shy)
    check_kernel(shy, [[0.0], [0.0]])
