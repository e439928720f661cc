import numpy as np
import pytest
from scipy import linalg

from surefit.data.design import Design
from surefit.solvers.linear.factor import (
    check_underflow,
    cholesky_factor,
    common_centre,
    qr_factor,
    spectral_factor,
    svd_factor,
    triangle_of,
)


def design_of(n, d, seed=0, scales=None):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X if scales is None else X * scales


def test_triangles_of_blocks_stack_to_the_triangle_of_all_rows():
    """Catalogue A-02: R'R is the Gram matrix, whichever way the rows arrive."""
    X = design_of(37, 5)
    R = None
    for start in range(0, 37, 4):
        R = triangle_of(X[start : start + 4].copy(), R)
    np.testing.assert_allclose(R.T @ R, X.T @ X, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("route", ["cholesky", "qr"])
def test_a_triangular_factor_solves_the_normal_equations_in_any_units(route):
    """Catalogue A-01, A-02."""
    X = design_of(30, 4, scales=10.0 ** np.array([-8, 0, 3, 9]))
    gram = X.T @ X
    if route == "cholesky":
        factor = cholesky_factor(gram, np.zeros(4))
    else:
        factor, _ = qr_factor(triangle_of(X.copy()), 4, 30, np.zeros(4, dtype=bool))
    assert factor is not None
    assert factor.method == route
    v = np.array([1.0, 2.0, 3.0, 4.0]) * 10.0 ** np.array([8, 0, -3, -9])
    np.testing.assert_allclose(factor.solve_normal(gram @ v), v, rtol=1e-9)
    root = factor.inverse_root()
    np.testing.assert_allclose(
        root @ root.T @ gram, np.eye(4), atol=1e-6 * np.abs(gram).max() * np.abs(root).max() ** 2
    )


def test_cholesky_steps_aside_where_it_would_lose_the_digits():
    x = np.linspace(0, 1, 60)
    V = np.vander(x, 11)
    assert cholesky_factor(V.T @ V, np.zeros(11)) is None
    assert cholesky_factor(np.diag([1.0, 0.0]), np.zeros(2)) is None
    assert cholesky_factor(np.diag([np.inf, 1.0]), np.zeros(2)) is None
    assert cholesky_factor(V.T @ V, np.ones(11)) is not None


def test_dependent_columns_are_found_and_written_with_the_others():
    """Catalogue A-04."""
    X = design_of(25, 3)
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 2], np.zeros(25)])
    factor, _ = qr_factor(triangle_of(X.copy()), 5, 25, np.array([False] * 4 + [True]))
    assert factor.rank == 3
    assert 4 in factor.order[3:]
    basis = factor.null_basis()
    assert basis.shape == (5, 2)
    np.testing.assert_allclose(X @ basis, 0.0, atol=1e-13)


def test_columns_tied_within_given_errors_are_named_and_others_are_not():
    """Two pairs that are 1e-8 apart, and a column of its own, in units that do not matter."""
    base, noise = design_of(40, 3), design_of(40, 2, seed=1)
    X = np.column_stack([base, base[:, :2] + 1e-8 * noise]) * 10.0 ** np.array([0, 5, -3, 2, 8])
    factor, _ = qr_factor(triangle_of(X.copy()), 5, 40, np.zeros(5, dtype=bool))
    length = np.linalg.norm(X, axis=0)
    assert factor.rank == 5
    assert factor.tied_columns(1e-9 * length).tolist() == []
    assert factor.tied_columns(1e-7 * length).tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize(("n", "d"), [(2, 2), (3, 3), (2, 5), (1, 3)])
@pytest.mark.parametrize("made", [spectral_factor, lambda *asked: svd_factor(common_centre(*asked))])
def test_centring_costs_a_rank_whatever_rounding_leaves(n, d, made):
    for seed in range(100):
        design = Design.of(np.vstack([design_of(n, d, seed), np.ones((1, d))]), np.append(np.ones(n), 0.0))
        assert made(design, True).rank == made(design.counted(), True).rank == n - 1


@pytest.mark.parametrize(("n", "d"), [(40, 6), (6, 40), (12, 12)])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_spectral_factor_is_a_singular_value_decomposition(n, d, intercept):
    """Catalogue T-06: A = U S V' with orthonormal U, V; singular values are roots of eigenvalues."""
    X = design_of(n, d, seed=5)
    factor = spectral_factor(Design.of(X), intercept)
    A = X - X.mean(axis=0) if intercept else X
    U = np.vstack([block for _, block in factor.left_blocks()])
    V = factor.coef(np.eye(factor.rank))
    np.testing.assert_allclose((U * factor.singular) @ V.T, A, atol=1e-10)
    np.testing.assert_allclose(U.T @ U, np.eye(factor.rank), atol=1e-9)
    np.testing.assert_allclose(V.T @ V, np.eye(factor.rank), atol=1e-9)
    s = linalg.svdvals(A)
    np.testing.assert_allclose(factor.singular, s[: factor.rank], rtol=1e-9)
    t = np.random.default_rng(0).normal(size=n)
    np.testing.assert_allclose(factor.coordinates(t), U.T @ t, atol=1e-12)


def test_columns_in_very_different_units_take_the_accurate_route():
    """Eigenvalues of the Gram matrix would know nothing of the small columns: 1e18 against 1."""
    scales = 10.0 ** np.array([0.0, 0.0, 9.0])
    X = design_of(50, 3, seed=6, scales=scales)
    factor = spectral_factor(Design.of(X), False)
    assert factor.method == "qr + jacobi svd"
    product = np.prod(factor.singular)
    exact = np.sqrt(linalg.det((X / scales).T @ (X / scales))) * np.prod(scales)
    np.testing.assert_allclose(product, exact, rtol=1e-12)
    U = np.vstack([block for _, block in factor.left_blocks()])
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-13)


def test_a_constant_column_carries_nothing_once_centred():
    X = np.column_stack([design_of(30, 2), np.full(30, 0.1)])
    factor = spectral_factor(Design.of(X), True)
    assert factor.rank == 2


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_sizes_beyond_reason_are_refused_with_a_remedy(size):
    X = np.column_stack([np.ones(5), np.arange(5) * size])
    with pytest.raises(ValueError, match="StandardScaler"):
        spectral_factor(Design.of(X), False)


@pytest.mark.parametrize("size", [1e100, 1e-100])
def test_one_common_size_however_large_is_fine(size):
    X = design_of(20, 3) * size
    factor = spectral_factor(Design.of(X), True)
    np.testing.assert_allclose(factor.singular * factor.common_scale, linalg.svdvals(X - X.mean(axis=0)), rtol=1e-10)


@pytest.mark.parametrize("apart", [1e-6, 1e-7, 1e-10])
def test_a_direction_that_the_gram_matrix_rounds_away_is_in_the_spectrum(apart):
    x, z = design_of(40, 2, seed=1).T
    X = np.column_stack([x, x + apart * z])
    factor = spectral_factor(Design.of(X), False)
    assert factor.rank == 2
    np.testing.assert_allclose(factor.singular, linalg.svdvals(X), rtol=1e-3)


def test_columns_that_depend_on_each_other_exactly_keep_the_fast_route():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(2000, 3)), np.eye(5)[rng.integers(0, 5, 2000)]])
    factor = spectral_factor(Design.of(X), True)
    assert (factor.rank, factor.method) == (7, "primal eigen")


def test_only_coefficients_that_matter_must_not_underflow():
    design, unit = Design.of([[1.0, 1.0], [-1.0, 2.0]]), 1e-300
    for coef in ([[1.0], [1e-12]], [[1.0], [0.0]]):  # of a target of size one: rounding, or nothing
        check_underflow(design, np.array(coef), np.array(coef) * unit)
    for published in ([[unit], [1e-310]], [[unit], [0.0]]):
        with pytest.raises(ValueError, match=r"columns that reach 2e\+00 fall below the range"):
            check_underflow(design, np.array([[1.0], [0.5]]), np.array(published))
