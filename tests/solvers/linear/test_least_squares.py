import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.linear import limits
from surefit.solvers.linear.factor import spectral_factor
from surefit.solvers.linear.least_squares import least_squares, ridge, solve_spectral

X1, Y1 = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])


def answer(X, y, lam=0.0, intercept=True, method="auto", weight=None):
    fit = ridge(Design.of(X, weight), np.asarray(y, dtype=float).reshape(len(y), -1), lam, intercept, method)
    return fit.solution.coef[:, 0], float(fit.solution.intercept[0]), fit


@pytest.mark.parametrize("method", ["auto", "qr", "svd", "cholesky"])
def test_fixture_one_by_every_route(method):
    """Catalogue FX1, A-01..A-03."""
    w, b, fit = answer(X1, Y1, method=method)
    np.testing.assert_allclose([w[0], b], [1.1, 1.1], rtol=1e-14)
    np.testing.assert_allclose(fit.residual[:, 0] @ fit.residual[:, 0], 2.7, rtol=1e-13)
    np.testing.assert_allclose(answer(X1, Y1, intercept=False, method=method)[0], 11 / 7, rtol=1e-15)
    np.testing.assert_allclose(answer(X1, Y1, 0.25, False, method)[0], 22 / 15, rtol=1e-15)
    w, b, _ = answer(X1, Y1, 1.25, True, method)
    np.testing.assert_allclose((w[0], b), (0.55, 1.925), rtol=1e-13)


def test_a_penalised_constant_column_is_another_model():
    """Catalogue D-03, FX1: (0.5703703704, 0.9777777778) against b = 1.925, w = 0.55."""
    w, _, _ = answer(np.column_stack([np.ones(4), X1]), Y1, 1.25, intercept=False)
    np.testing.assert_allclose(w, [0.5703703704, 0.9777777778], atol=1e-10)


def test_fixture_two_least_squares_and_ridge():
    """Catalogue FX2, A-01, A-10."""
    w, b, fit = answer(X2, Y2)
    np.testing.assert_allclose([b, *w], [-1.30446194, 0.80314961, 0.93963255, 1.86089239], atol=5e-9)
    np.testing.assert_allclose(6 * fit.solution.objective, 0.503937008, atol=5e-10)
    np.testing.assert_allclose(np.linalg.norm(w), 2.234027550, atol=5e-10)
    np.testing.assert_allclose(answer(X2, Y2, intercept=False)[0], [0.56706884, 0.70262598, 1.52945351], atol=5e-9)
    w, b, fit = answer(X2, Y2, 0.1)
    np.testing.assert_allclose([*w, b], [0.70202832, 0.87208583, 1.65852452, -0.781615237], atol=5e-9)
    np.testing.assert_allclose(fit.solution.objective, 0.530950467, atol=5e-10)


def test_residuals_are_orthogonal_to_the_columns_and_the_constant():
    """Catalogue T-05: the fit is the projection of y."""
    _, _, fit = answer(X2, Y2)
    np.testing.assert_allclose(X2.T @ fit.residual, 0, atol=1e-14)
    np.testing.assert_allclose(fit.residual.sum(), 0, atol=1e-14)


def test_fixture_eight_minimum_norm():
    """Catalogue FX8, A-03, D-03: an unpenalised offset is not part of the norm."""
    w, _, _ = answer(np.array([[1.0, 1, 0], [0, 1, 1]]), [1.0, 2], intercept=False)
    np.testing.assert_allclose(w, [0, 1, 1], atol=1e-15)
    np.testing.assert_allclose(w @ w, 2, rtol=1e-15)
    np.testing.assert_allclose(answer(np.array([[1.0, 2.0]]), [3.0], intercept=False)[0], [0.6, 1.2], rtol=1e-15)
    w, b, _ = answer(np.array([[2.0]]), [3.0])
    assert (w[0], b) == (0.0, 3.0)


@pytest.mark.parametrize(("n", "d"), [(30, 6), (6, 30)])
@pytest.mark.parametrize("method", ["auto", "svd"])
def test_rank_deficient_fits_are_the_pseudo_inverse(n, d, method):
    """Catalogue A-03, T-06, T-07: the shortest of all minimisers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, d))
    y = rng.normal(size=n)
    w, _, fit = answer(X, y, intercept=False, method=method)
    np.testing.assert_allclose(w, np.linalg.pinv(X) @ y, rtol=1e-9, atol=1e-11)
    assert fit.solution.facts["rank"] == 4
    w, b, _ = answer(X, y, method=method)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(w, np.linalg.pinv(centred) @ (y - y.mean()), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(b, y.mean() - X.mean(axis=0) @ w, rtol=1e-10)


def test_ridge_tends_to_minimum_norm_least_squares_and_to_zero():
    """Catalogue T-85, A-09, E-027."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(5, 9)), rng.normal(size=5)
    shortest = answer(X, y)[0]
    np.testing.assert_allclose(answer(X, y, 1e-9)[0], shortest, atol=1e-6)
    sizes = [np.linalg.norm(answer(X, y, lam)[0]) for lam in (0.0, 1e-3, 0.1, 1.0, 1e3, 1e9)]
    assert np.all(np.diff(sizes) < 0)
    centred, target = X - X.mean(axis=0), y - y.mean()
    np.testing.assert_allclose(answer(X, y, 1e9)[0], centred.T @ target / 5e9, rtol=1e-7)


def test_qr_keeps_the_digits_that_normal_equations_lose():
    """Catalogue A-02: Vandermonde of degree 10 on 60 points, condition 2e7, all coefficients one."""
    x = np.linspace(0, 1, 60)
    V = np.vander(x, 11, increasing=True)
    w, _, _ = answer(V, V.sum(axis=1), intercept=False)
    assert np.linalg.norm(w - 1) < 1e-8
    naive = np.linalg.solve(V.T @ V, V.T @ V.sum(axis=1))
    assert np.linalg.norm(naive - 1) > 1e-4


@pytest.mark.parametrize("lam", [0.0, 0.3])
@pytest.mark.parametrize("shape", [(300, 200), (200, 300)])
def test_the_fast_route_and_the_careful_route_agree(shape, lam):
    """Large enough for the Gram matrix; both sides of n = d.  Catalogue A-01, C-02, T-21."""
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    fast = ridge(Design.of(X), Y, lam).solution
    careful = ridge(Design.of(X), Y, lam, method="svd").solution
    np.testing.assert_allclose(fast.coef, careful.coef, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(fast.intercept, careful.intercept, rtol=1e-9, atol=1e-11)


def test_a_weight_of_k_is_k_copies_of_the_row():
    rng = np.random.default_rng(3)
    X, y, weight = rng.normal(size=(20, 3)), rng.normal(size=20), rng.integers(0, 4, size=20)
    once = answer(X, y, 0.2, weight=weight.astype(float))
    copied = answer(np.repeat(X, weight, axis=0), np.repeat(y, weight), 0.2)
    np.testing.assert_allclose([*once[0], once[1]], [*copied[0], copied[1]], rtol=1e-11)
    np.testing.assert_allclose(once[2].solution.objective, copied[2].solution.objective, rtol=1e-12)


def test_several_targets_are_as_many_single_fits():
    """Catalogue A-06, C-08."""
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(40, 5)), rng.normal(size=(40, 3))
    together = ridge(Design.of(X), Y, 0.1).solution
    for k in range(3):
        w, b, _ = answer(X, Y[:, k], 0.1)
        np.testing.assert_allclose([*together.coef[:, k], together.intercept[k]], [*w, b], rtol=1e-13)


@pytest.mark.parametrize("lam", [0.0, 0.05])
def test_large_sparse_designs_are_never_made_dense(monkeypatch, lam):
    """Gram route and iterations against the dense answer, intercept included.  Catalogue A-05."""
    rng = np.random.default_rng(5)
    X = sparse.random(120, 15, density=0.3, random_state=rng, format="csr")
    y = rng.normal(size=120)
    dense = answer(X.toarray(), y, lam)
    monkeypatch.setattr(limits, "DENSE_LIMIT", 10)
    whole = X.shape

    def watched(self, *args, toarray=sparse.csr_matrix.toarray, **kwargs):
        assert self.shape != whole, "a sparse design was made dense"
        return toarray(self, *args, **kwargs)

    monkeypatch.setattr(sparse.csr_matrix, "toarray", watched)
    gram = answer(X, y, lam)
    assert gram[2].solution.facts["method"] == "cholesky"
    monkeypatch.setattr(limits, "GRAM_SIDE_LIMIT", 1)
    iterated = answer(X, y, lam)
    assert iterated[2].solution.facts["method"] == "lsmr"
    for other in (gram, iterated):
        np.testing.assert_allclose([*other[0], other[1]], [*dense[0], dense[1]], rtol=1e-8, atol=1e-10)


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**31), st.sampled_from([0.0, 1e-6, 0.1]), st.booleans())
@settings(max_examples=150, derandomize=True, deadline=None)
def test_no_neighbour_is_better_than_the_answer_by_more_than_the_gap(n, d, seed, lam, intercept):
    """The reported gap bounds the excess: checked against the exact normal equations in high precision."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d), rng.normal(size=n)
    w, b, fit = answer(X, y, lam, intercept)

    def objective(coef, offset):
        long = np.asarray(y, np.longdouble) - X.astype(np.longdouble) @ coef - offset
        return (long @ long) / n + np.longdouble(lam) * (coef @ coef)

    here = objective(w.astype(np.longdouble), np.longdouble(b))
    slack = 1e-17 * float(np.mean(y**2))
    for _ in range(5):
        step = rng.normal(size=d) * 10.0 ** rng.integers(-12, -1) * (np.abs(w) + 1e-3)
        offset = rng.normal() * 10.0 ** rng.integers(-12, -1) * intercept
        assert here - objective(w + step.astype(np.longdouble), b + np.longdouble(offset)) <= fit.solution.gap + slack


def test_cholesky_on_request_refuses_what_it_cannot_do():
    x = np.linspace(0, 1, 60)
    with pytest.raises(ValueError, match="use solver='auto' or 'qr'"):
        answer(np.vander(x, 11), x, method="cholesky")


@pytest.mark.parametrize(("n", "d"), [(30, 4), (8, 20)])
def test_a_whole_grid_from_one_factorisation_equals_single_fits(n, d):
    """Catalogue A-09."""
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(n, d)), rng.normal(size=(n, 2))
    lams = np.array([1e-4, 0.1, 3.0])
    coefs, intercepts = solve_spectral(spectral_factor(Design.of(X), True), Y, lams)
    for k, lam in enumerate(lams):
        single = ridge(Design.of(X), Y, lam).solution
        np.testing.assert_allclose(coefs[k], single.coef, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(intercepts[k], single.intercept, rtol=1e-9, atol=1e-12)


def test_exact_interpolation_leaves_no_residual():
    """Catalogue FX1: degree 3 through four points."""
    V = np.vander(X1[:, 0], 4, increasing=True)
    w, _, fit = answer(V, Y1, intercept=False)
    np.testing.assert_allclose(w, [1, 35 / 6, -5, 7 / 6], rtol=1e-14)
    np.testing.assert_allclose(fit.residual, 0, atol=1e-14)
    w, b, fit = answer(V[:, 1:3], Y1)
    np.testing.assert_allclose([b, *w], [1.35, 0.35, 0.25], rtol=1e-13)
    np.testing.assert_allclose(4 * fit.solution.objective, 2.45, rtol=1e-13)


def test_least_squares_is_ridge_without_penalty():
    np.testing.assert_array_equal(least_squares(Design.of(X2), Y2[:, None]).solution.coef, answer(X2, Y2)[0][:, None])
