"""The algebra of kernels (K-11 to K-16, T-66) and the face that all kernels share (K-09)."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from surefit.kernels.kernel import Conformal, Exponential, Kernel, OnColumns, Power, Product, Scaled, Sum, whole_power
from surefit.kernels.library import FromFunction, Gaussian, Laplace, Linear, Matern, Min, Polynomial

X = np.random.default_rng(0).standard_normal((40, 3))
Z = np.random.default_rng(1).standard_normal((25, 3))


def first_column(rows):
    return rows[:, 0]


EXPRESSIONS = [
    Gaussian(bandwidth=1.5) + 0.5 * Polynomial(degree=2, constant=1.0),
    Linear() + (Linear() + Gaussian()),
    (Linear() + Gaussian()) * (Linear() + Laplace(2.0)),
    Linear() * (Gaussian() * Laplace()),
    2 * (Linear() * Gaussian()),
    2 * Linear() * Gaussian(),
    (3 * (2 * Linear())) ** 2,
    (Linear() ** 2) ** 3,
    ((Linear() + Gaussian()) ** 2 * Matern(smoothness=2.5)).exp(),
    (0.1 * Linear().on([0, 2])).exp().on([0, 1, 2]),
    (Gaussian() + Linear()).conformal(first_column),
    Gaussian(bandwidth="median") * Linear().on(np.array([1])),
    Gaussian(np.float64(0.3)) + np.float64(2) * Linear(),
]


@pytest.mark.parametrize("kernel", EXPRESSIONS, ids=repr)
def test_what_is_printed_is_what_was_written(kernel):
    again = eval(repr(kernel))
    assert again == kernel
    assert hash(again) == hash(kernel)


@pytest.mark.parametrize("kernel", EXPRESSIONS, ids=repr)
def test_copies_are_equal(kernel):
    for twin in (copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel)), clone(kernel)):
        assert twin == kernel
        assert hash(twin) == hash(kernel)


def test_the_example_of_the_readme_prints_readably():
    assert repr(EXPRESSIONS[0]) == "Gaussian(bandwidth=1.5) + 0.5 * Polynomial(degree=2, constant=1.0)"


@pytest.mark.parametrize("kernel", EXPRESSIONS, ids=repr)
def test_gram_is_symmetric_to_the_last_bit_and_agrees_with_block_diag_and_times(kernel):
    kernel = kernel.for_data(X)
    K, V = kernel.gram(X), np.random.default_rng(2).standard_normal((40, 2))
    assert np.array_equal(K, K.T)
    assert np.array_equal(np.diagonal(K), kernel.diag(X))
    np.testing.assert_allclose(K, kernel.block(X, X), rtol=1e-12, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(kernel.times(X, X, V), K @ V, rtol=1e-11, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(kernel.times(X, X, V[:, 0]), K @ V[:, 0], rtol=1e-11, atol=1e-12 * np.abs(K).max())


def test_sums_products_and_factors_act_on_gram_matrices():
    """K-11, K-12."""
    one, two = Gaussian().block(X, Z), Linear().block(X, Z)
    np.testing.assert_allclose((Gaussian() + Linear()).block(X, Z), one + two, rtol=1e-14)
    np.testing.assert_allclose((Gaussian() * Linear()).block(X, Z), one * two, rtol=1e-14)
    np.testing.assert_allclose((0.25 * Gaussian()).block(X, Z), 0.25 * one, rtol=1e-15)
    np.testing.assert_allclose((Gaussian() * 0.25).block(X, Z), 0.25 * one, rtol=1e-15)
    np.testing.assert_allclose((Linear() ** 3).block(X, Z), two**3, rtol=1e-13)
    assert sum([Linear(), Gaussian(), Laplace()]) == Linear() + Gaussian() + Laplace()


def test_power_zero_is_the_constant_one():
    """K-12."""
    assert np.array_equal((Linear() ** 0).gram(np.zeros((2, 1))), np.ones((2, 2)))


def test_closure_gives_no_negative_eigenvalue():
    """K-11, K-12, K-16: budget, rounding of a 40 x 40 matrix at the scale of its largest entry."""
    for kernel in EXPRESSIONS:
        K = kernel.for_data(X).gram(X)
        assert np.linalg.eigvalsh(K)[0] > -1e-12 * np.abs(K).max() * len(K)


def test_a_difference_of_kernels_is_not_one_and_cannot_be_written():
    """K-11: K1 - 0.9 K2 has a negative eigenvalue."""
    K = Linear().gram(X) - 0.9 * Gaussian().gram(X)
    assert np.linalg.eigvalsh(K)[0] < -0.1
    with pytest.raises(ValueError, match=r"factor must be >= 0, got -0\.9; the negative of a kernel"):
        Linear() + -0.9 * Gaussian()
    with pytest.raises(TypeError):
        Linear() - Gaussian()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: np.inf * Linear(), "factor must be finite"),
        (lambda: np.nan * Linear(), "factor must be >= 0"),
        (lambda: Linear() ** -1, "power must be a whole number >= 0, got -1"),
        (lambda: Linear() ** 0.5, "power must be a whole number"),
        (lambda: Linear().on([]), "columns must be a list"),
        (lambda: Linear().on([-1]), "columns must be a list"),
        (lambda: Linear().on([0.5]), "columns must be a list"),
        (lambda: Linear().on(2), "columns must be a list"),
    ],
)
def test_what_would_leave_the_cone_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_operators_refuse_strangers():
    for attempt in (lambda: Linear() + 1, lambda: 1 + Linear(), lambda: Linear() * "k", lambda: Linear().conformal(2)):
        with pytest.raises(TypeError):
            attempt()


def test_tensor_product_and_direct_sum_over_columns():
    """K-14, K-15: Gram matrices of the inputs multiply and add."""
    first, rest = Gaussian(0.7).gram(X[:, [0]]), Polynomial().gram(X[:, [1, 2]])
    tensor = Gaussian(0.7).on([0]) * Polynomial().on([1, 2])
    np.testing.assert_allclose(tensor.gram(X), first * rest, rtol=1e-14)
    direct = Gaussian(0.7).on([0]) + Polynomial().on([1, 2])
    np.testing.assert_allclose(direct.gram(X), first + rest, rtol=1e-14)


def test_columns_that_do_not_exist_are_named():
    with pytest.raises(ValueError, match=r"Linear\(\).on\(\[0, 7\]\) needs at least 8 columns, X has 3"):
        Linear().on([0, 7]).gram(X)


def test_partial_sums_of_the_exponential_series_are_kernels_and_converge():
    """K-13."""
    K, total, term = (0.3 * Linear()).gram(X), np.zeros((40, 40)), np.ones((40, 40))
    for j in range(1, 60):
        total += term
        term = term * K / j
        assert np.linalg.eigvalsh(total)[0] > -1e-11 * total.max()
    np.testing.assert_allclose(total, (0.3 * Linear()).exp().gram(X), rtol=1e-12)


def test_polynomials_converge_to_the_exponential():
    """K-13: (1 + x'y / p)**p -> exp(x'y)."""
    errors = []
    for p in (10, 1000, 100_000):
        kernel = Polynomial(degree=p, constant=1.0).conformal(lambda rows: np.ones(len(rows)))
        errors.append(np.abs(kernel.gram(X / np.sqrt(p)) / Linear().exp().gram(X) - 1).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 2e-3


@pytest.mark.parametrize("width", [0.8, 2.0])
def test_the_exponential_of_the_linear_kernel_made_conformal_is_gaussian(width):
    """K-16: exp(x'y / nu^2) g(x) g(y) with g = exp(-||x||^2 / (2 nu^2)); small rows, so to 1e-15."""
    rows = 0.3 * X
    kernel = (Linear() * (1 / width**2)).exp().conformal(lambda A: np.exp(-(A**2).sum(axis=1) / (2 * width**2)))
    np.testing.assert_allclose(kernel.gram(rows), Gaussian(width).gram(rows), rtol=0, atol=1e-15)


def test_conformal_refuses_factors_of_the_wrong_shape():
    with pytest.raises(ValueError, match="g gave shape"):
        Linear().conformal(lambda rows: rows).gram(X)
    with pytest.raises(ValueError, match="finite"):
        Linear().conformal(lambda rows: np.full(len(rows), np.nan)).gram(X)


@pytest.mark.parametrize("kernel", [Linear().exp(), Polynomial(degree=9), 1e300 * Linear(), Linear() ** 7], ids=repr)
def test_overflow_is_named(kernel):
    rows = 1e40 * X
    for attempt in (kernel.gram, kernel.diag, lambda A: kernel.block(A, A), lambda A: kernel.times(A, A, np.ones(40))):
        with pytest.raises(ValueError, match=r"overflows float64 on these rows .*; rescale X"):
            attempt(rows)


def test_float32_overflow_is_named_where_float64_holds():
    kernel = Polynomial(degree=8)
    assert np.isfinite(kernel.gram(1e3 * X)).all()
    with pytest.raises(ValueError, match="overflows float32"):
        kernel.gram(1e3 * X, np.float32)


def test_a_median_bandwidth_is_settled_on_the_columns_it_sees():
    data = X * [1.0, 10.0, 100.0]
    kernel = Gaussian("median").on([2]) + Gaussian("median").on([0])
    settled = kernel.for_data(data)
    assert settled.left.kernel.bandwidth / settled.right.kernel.bandwidth == pytest.approx(100, rel=0.5)
    assert settled.for_data(data) is settled
    assert kernel.left.kernel.bandwidth == "median"
    with pytest.raises(ValueError, match=r"needs data; use kernel\.for_data"):
        kernel.gram(data)


def test_composites_take_sparse_rows_if_all_parts_do():
    rows = sparse.random(30, 12, density=0.3, format="csr", random_state=0)
    kernel = Gaussian() * Polynomial() + (0.1 * Linear().on([0, 5, 7])) ** 2
    assert kernel.takes_sparse
    for left, right in ((rows, rows), (rows, rows.toarray()), (rows.toarray(), rows), (rows.tocsc(), rows.tocoo())):
        dense = kernel.block(rows.toarray(), rows.toarray())
        np.testing.assert_allclose(kernel.block(left, right), dense, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(kernel.times(left, right, np.ones(30)), dense.sum(axis=1), rtol=1e-12)
    mixed = Gaussian() + Min().on([0])
    assert not mixed.takes_sparse
    with pytest.raises(ValueError, match="takes dense rows only; use X"):
        mixed.gram(rows)


def test_single_calls_take_points_only():
    assert Gaussian()(1.0, 1.0) == 1.0
    with pytest.raises(ValueError, match="use block"):
        Gaussian()(X, X)
    with pytest.raises(ValueError, match="columns"):
        Gaussian()([1.0], [1.0, 2.0])


def test_no_rows_give_empty_answers():
    none = np.zeros((0, 3))
    for kernel in (Gaussian(), Linear() * Gaussian(), Linear().exp()):
        assert kernel.gram(none).shape == (0, 0)
        assert kernel.block(none, X).shape == (0, 40)
        assert kernel.block(X, none).shape == (40, 0)
        assert kernel.diag(none).shape == (0,)
        assert np.array_equal(kernel.times(X, none, np.zeros(0)), np.zeros(40))


def test_a_kernel_that_returns_the_wrong_shape_is_told_so():
    with pytest.raises(ValueError, match="return one value per pair"):
        FromFunction(lambda A, B: np.ones(len(A))).gram(X)


class Cauchy(Kernel):
    """A user's kernel: one method, one parameter, all defaults."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def pairs(self, X, Z, dtype):
        return 1 / (1 + ((X[:, None] - Z) ** 2).sum(axis=2) / self.scale**2)


def test_one_method_makes_a_kernel():
    kernel = Cauchy(2.0)
    np.testing.assert_allclose(kernel.diag(X), 1.0)
    np.testing.assert_allclose(
        (kernel * Linear()).times(X, Z, np.ones(25)), (kernel * Linear()).block(X, Z).sum(axis=1)
    )
    assert kernel == eval(repr(kernel))
    assert not kernel.takes_sparse
    kernel.check(X)


def test_composites_are_what_the_operators_build():
    k = Linear()
    assert [type(one) for one in (k + k, k * k, 2 * k, k**2, k.exp(), k.conformal(abs), k.on([0]))] == [
        Sum,
        Product,
        Scaled,
        Power,
        Exponential,
        Conformal,
        OnColumns,
    ]


@pytest.mark.parametrize("power", range(12))
def test_powers_by_squaring_equal_powers(power):
    values = np.array([-1.5, 0.0, 0.3, 2.0])
    np.testing.assert_allclose(whole_power(values, power), values**power, rtol=1e-14)
