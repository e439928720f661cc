"""Basis functions: column counts, ranks, FX1's polynomial fits, scikit-learn's contract."""

from itertools import product
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.features import BasisFunctions, BooleanMonomials, Polynomial, monomial_exponents


def shifted(X):
    return X[:, 0] - 1.0


@given(st.integers(1, 5), st.integers(0, 4))
def test_columns_are_the_brute_force_exponents(d, r):
    """D-02, T-47: C(d+r, r) columns, or sum_i C(d, i) for the boolean version; each exponent row exactly once."""
    every = [e for e in product(range(r + 1), repeat=d) if sum(e) <= r]
    ours = monomial_exponents(d, r)
    assert sorted(map(tuple, ours)) == every
    assert len(ours) == comb(d + r, r)
    boolean = monomial_exponents(d, r, boolean=True)
    assert sorted(map(tuple, boolean)) == [e for e in product((0, 1), repeat=d) if sum(e) <= r]
    assert len(boolean) == sum(comb(d, i) for i in range(r + 1))


@given(st.integers(1, 4), st.integers(1, 4), st.sampled_from([Polynomial, BooleanMonomials]))
def test_design_matrix_is_the_product_of_powers(d, r, transformer):
    """D-02: Phi_ij = prod_k X_ik ** e_jk."""
    X = np.random.default_rng(d + 10 * r).uniform(-2, 2, (6, d))
    basis = transformer(r, include_constant=True).fit(X)
    brute = np.prod(X[:, None, :] ** basis.exponents_[None], axis=2)
    np.testing.assert_allclose(basis.transform(X), brute, rtol=1e-13)
    np.testing.assert_array_equal(transformer(r).fit_transform(X), basis.transform(X)[:, 1:])


@pytest.mark.parametrize(("d", "r", "on_reals", "on_cube"), [(3, 2, 10, 7), (2, 3, 10, 4), (4, 2, 15, 11)])
def test_rank_equals_the_number_of_monomials(d, r, on_reals, on_cube):
    """T-45, T-47: linear independence, on random points of R^d and on all of {0, 1}^d."""
    X = np.random.default_rng(0).standard_normal((40, d))
    Phi = Polynomial(r, include_constant=True).fit_transform(X)
    assert Phi.shape[1] == np.linalg.matrix_rank(Phi) == on_reals
    cube = np.array(list(product((0.0, 1.0), repeat=d)))
    boolean = BooleanMonomials(r, include_constant=True).fit_transform(cube)
    assert boolean.shape[1] == np.linalg.matrix_rank(boolean) == on_cube
    # on the cube the full polynomial basis spans the same functions, with repeated columns
    both = np.hstack([boolean, Polynomial(r, include_constant=True).fit_transform(cube)])
    assert np.linalg.matrix_rank(both) == on_cube


def test_affine_functions_have_rank_d_plus_one():
    """T-46."""
    X = np.random.default_rng(1).standard_normal((12, 5))
    assert np.linalg.matrix_rank(Polynomial(1, include_constant=True).fit_transform(X)) == 6
    assert np.linalg.matrix_rank(Polynomial(1).fit_transform(X)) == 5


@pytest.mark.parametrize(
    ("degree", "coefficients", "rss"),
    [(0, [2.75], 8.75), (1, [1.1, 1.1], 2.7), (2, [1.35, 0.35, 0.25], 2.45), (3, [1, 35 / 6, -5, 7 / 6], 0.0)],
)
def test_polynomial_fits_of_the_first_fixture(degree, coefficients, rss):
    """D-02, FX1: x = (0,1,2,3), y = (1,3,2,5); degree 3 interpolates."""
    x, y = np.arange(4.0)[:, None], np.array([1.0, 3.0, 2.0, 5.0])
    Phi = Polynomial(degree, include_constant=True).fit_transform(x)
    solution = np.linalg.lstsq(Phi, y, rcond=None)[0]
    np.testing.assert_allclose(solution, coefficients, rtol=1e-11)
    np.testing.assert_allclose(np.sum((y - Phi @ solution) ** 2), rss, atol=1e-12)


def test_one_feature_gives_the_vandermonde_matrix():
    """X-11: Phi = [1 x] has shape (n, 2), the polynomial one (n, p + 1)."""
    x = np.linspace(-2, 3, 7)[:, None]
    np.testing.assert_array_equal(
        Polynomial(1, include_constant=True).fit_transform(x), np.hstack([np.ones((7, 1)), x])
    )
    vandermonde = np.vander(x[:, 0], 6, increasing=True)
    np.testing.assert_allclose(Polynomial(5, include_constant=True).fit_transform(x), vandermonde, rtol=1e-14)


def test_scaling_tames_the_vandermonde_matrix_without_changing_its_span():
    """A-02: degree 10 on 60 equispaced points of [0, 1] has condition number 2.05e7; QR keeps 9 digits, the normal
    equations 2; mapped to [-1, 1] the condition number falls below 1e4."""
    x = np.linspace(0, 1, 60)[:, None]
    raw = Polynomial(10, include_constant=True).fit_transform(x)
    assert np.linalg.cond(raw) == pytest.approx(2.05e7, rel=0.005)
    y = raw @ np.ones(11)
    Q, R = np.linalg.qr(raw)
    assert np.abs(np.linalg.solve(R, Q.T @ y) - 1).max() < 1e-8
    assert np.abs(np.linalg.solve(raw.T @ raw, raw.T @ y) - 1).max() > 1e-5
    scaled = Polynomial(10, include_constant=True, scaling="range").fit_transform(x)
    assert np.linalg.cond(scaled) < 1e4
    fitted = scaled @ np.linalg.lstsq(scaled, y, rcond=None)[0]
    np.testing.assert_allclose(fitted, y, rtol=1e-12)


def test_scaling_uses_the_training_range_and_survives_a_constant_feature():
    """D-02: the range [0, 4] goes to [-1, 1]; new points may leave it; a constant feature becomes zero."""
    basis = Polynomial(1, scaling="range").fit([[0.0, 7.0], [4.0, 7.0]])
    np.testing.assert_array_equal(basis.transform([[0.0, 7.0], [4.0, 7.0], [6.0, 8.0]]), [[-1, 0], [1, 0], [2, 1]])


def test_scaling_rescues_values_that_would_overflow():
    """D-02: huge scales give a clear error or a right answer."""
    X = np.array([[1e200], [-1e200], [0.5e200]])
    with pytest.raises(ValueError, match=r"overflow float64.*use scaling='range'"):
        Polynomial(3).fit(X).transform(X)
    np.testing.assert_allclose(Polynomial(3, scaling="range").fit_transform(X)[2], [0.5, 0.25, 0.125])


def test_names_follow_the_table_and_reach_pandas():
    """D-02: column names, constant first."""
    table = pd.DataFrame({"age": [1.0, 2.0], "income": [3.0, 5.0]})
    basis = Polynomial(2, include_constant=True).set_output(transform="pandas")
    out = basis.fit_transform(table)
    assert list(out.columns) == ["1", "age", "income", "age^2", "age income", "income^2"]
    assert out["age income"].tolist() == [3.0, 10.0]
    assert BooleanMonomials(2).fit(table).get_feature_names_out().tolist() == ["age", "income", "age income"]
    names = BasisFunctions([shifted, lambda X: X, np.cos]).fit(table).get_feature_names_out()
    assert names.tolist() == ["shifted", "f_0", "f_1", "cos_0", "cos_1"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(dtype):
    """D-02: float32 in, float32 out."""
    X = np.arange(6.0, dtype=dtype).reshape(3, 2)
    for basis in (Polynomial(2, scaling="range"), BooleanMonomials(2), BasisFunctions([np.cos])):
        assert basis.fit_transform(X).dtype == dtype


@pytest.mark.parametrize(
    ("basis", "message"),
    [
        (Polynomial(-1), "degree must be a whole number >= 0, got -1"),
        (Polynomial(1.5), "degree must be a whole number"),
        (Polynomial(0), "set include_constant=True"),
        (Polynomial(2, scaling="standard"), "use 'none' or 'range'"),
        (BasisFunctions([]), "give at least one function"),
        (BasisFunctions([lambda X: X[:-1]]), r"f gave shape \(2, 2\) for 3 rows"),
        (BasisFunctions([lambda X: X / np.float64("inf") * np.inf]), "gave NaN or inf"),
    ],
)
def test_wrong_bases_are_refused_with_a_remedy(basis, message):
    """D-02: cause, then remedy."""
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=message):
        basis.fit(np.arange(6.0).reshape(3, 2))


def test_functions_must_be_callable_and_act_row_by_row():
    """D-02."""
    with pytest.raises(TypeError, match="must be callable, got 3"):
        BasisFunctions([3]).fit(np.eye(2))
    across_rows = BasisFunctions([lambda X: X @ X.T]).fit(np.eye(2))
    with pytest.raises(ValueError, match="make them act row by row"):
        across_rows.transform(np.ones((3, 2)))
