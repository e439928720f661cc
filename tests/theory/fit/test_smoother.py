import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefit.data.design import Design
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.fit.smoother import degrees_of_freedom, leverages

X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])


def hat_matrix(X, lam, weight=None, intercept=True):
    """The definition: fitted values as a matrix times y."""
    weight = np.ones(len(X)) if weight is None else weight
    A = np.column_stack([np.ones(len(X)), X]) if intercept else X
    penalty = weight.sum() * lam * np.eye(A.shape[1])
    if intercept:
        penalty[0, 0] = 0.0
    root = np.sqrt(weight)[:, None]
    return root * A @ np.linalg.solve((A.T * weight) @ A + penalty, (A * root).T)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(12, 4), (6, 9)])
@pytest.mark.parametrize("weighted", [False, True])
def test_leverages_are_the_diagonal_of_the_hat_matrix(n, d, intercept, weighted):
    """Catalogue S-09."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(n, d)), (rng.random(n) + 0.2 if weighted else np.ones(n))
    lams = [0.01, 0.3, 10.0]
    factor = spectral_factor(Design.of(X, weight), intercept)
    found, dof = leverages(factor, lams), degrees_of_freedom(factor, lams)
    for k, lam in enumerate(lams):
        H = hat_matrix(X, lam, weight, intercept)
        np.testing.assert_allclose(found[k], np.diag(H), atol=1e-12)
        traces = (np.trace(H), np.trace(H @ H.T), np.trace(2 * H - H @ H.T))
        np.testing.assert_allclose([dof.trace[k], dof.squared[k], dof.residual_form[k]], traces, rtol=1e-11)


def test_degrees_of_freedom_of_fixture_two():
    """Catalogue FX2, S-09: the intercept counts as one."""
    dof = degrees_of_freedom(spectral_factor(Design.of(X2), True), [0.1])
    np.testing.assert_allclose((dof.trace[0], dof.squared[0]), (3.709789129, 3.449165767), atol=5e-10)


@given(st.integers(2, 10), st.integers(1, 12), st.integers(0, 2**31))
@settings(max_examples=60)
def test_the_three_degrees_of_freedom_are_ordered_and_equal_the_rank_at_zero(n, d, seed):
    """Catalogue S-09: df2 <= df1 <= df3, all equal to the rank without penalty."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    factor = spectral_factor(Design.of(X), True)
    dof = degrees_of_freedom(factor, np.concatenate([[0.0], np.logspace(-6, 3, 10)]))
    slack = 1e-12 * n
    assert np.all(dof.squared <= dof.trace + slack)
    assert np.all(dof.trace <= dof.residual_form + slack)
    rank = 1 + np.linalg.matrix_rank(X - X.mean(axis=0))
    np.testing.assert_allclose([dof.trace[0], dof.squared[0], dof.residual_form[0]], rank, rtol=1e-12)
    assert np.all(np.diff(dof.trace) <= slack)


def test_the_hat_matrix_of_least_squares_is_a_projection():
    """Catalogue T-05, A-01: leverages in [0, 1], their sum the rank."""
    leverage = leverages(spectral_factor(Design.of(X2), True), [0.0])[0]
    assert np.all((leverage >= 0) & (leverage <= 1 + 1e-14))
    np.testing.assert_allclose(leverage.sum(), 4, rtol=1e-13)
