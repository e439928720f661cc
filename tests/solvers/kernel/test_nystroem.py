"""Ridge on Nystroem features: iterations against the direct solution; Catalogue A-14, A-09."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from surefit.data.design import Design
from surefit.kernels import Gaussian, Linear, Polynomial
from surefit.kernels.low_rank import nystroem_map
from surefit.progress import reporting
from surefit.solvers.kernel import limits
from surefit.solvers.kernel import nystroem as module
from surefit.solvers.kernel.nystroem import nystroem_ridge
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.solution import Status

N, RANK = 6000, 30


def sample(n=N, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    signal = np.sin(2 * X[:, :1]) + X[:, 1:2] * X[:, 2:3]
    return X, np.hstack([3.0 + signal, signal**2]) + 0.2 * rng.standard_normal((n, 2))


def direct(features, X, y, lam, weight=None, fit_intercept=False):
    return ridge(Design.of(features.transform(X), weight), y, lam, fit_intercept).solution


def objective(features, X, y, lam, solution):
    residual = y - features.transform(X) @ solution.coef - solution.intercept
    return np.sum(np.mean(residual**2, axis=0)) + lam * np.sum(solution.coef**2)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-8, 1e-4, 1.0, 1e4])
def test_iterations_find_the_direct_solution(lam, fit_intercept):
    X, y = sample()
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    found = nystroem_ridge(features, X, y, lam, fit_intercept=fit_intercept)
    exact = direct(features, X, y, lam, fit_intercept=fit_intercept)
    assert found.status is Status.CONVERGED
    assert found.n_iter > 0
    np.testing.assert_allclose(found.coef, exact.coef, atol=1e-5 * np.max(np.abs(exact.coef)))
    np.testing.assert_allclose(found.intercept, exact.intercept, atol=1e-6)
    np.testing.assert_allclose(found.objective, exact.objective, rtol=1e-10)


@pytest.mark.parametrize("lam", [1e-9, 1e-5, 1e-1])
@pytest.mark.parametrize("bandwidth", [0.5, 5.0, 50.0])
def test_the_gap_covers_what_is_missing_even_where_landmarks_almost_depend_on_each_other(bandwidth, lam):
    X, y = sample(d=3)
    features = nystroem_map(Gaussian(bandwidth), X, RANK, 0)
    found = nystroem_ridge(features, X, y, lam)
    best = direct(features, X, y, lam)
    missing = objective(features, X, y, lam, found) - objective(features, X, y, lam, best)
    assert missing <= found.gap + 1e-13
    assert found.gap < 1e-3 * found.objective
    np.testing.assert_allclose(found.objective, objective(features, X, y, lam, found), rtol=1e-8)


def test_integer_weights_are_repeated_rows():
    X, y = sample()
    weight = np.random.default_rng(1).integers(0, 4, N)
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    counted = nystroem_ridge(features, X, y, 1e-3, weight, fit_intercept=True)
    rows = np.repeat(np.arange(N), weight)
    copied = nystroem_ridge(features, X[rows], y[rows], 1e-3, fit_intercept=True)
    assert counted.n_iter > 0
    np.testing.assert_allclose(counted.coef, copied.coef, atol=1e-5)
    np.testing.assert_allclose(counted.intercept, copied.intercept, atol=1e-5)


def test_predictions_go_through_the_landmarks():
    X, y = sample()
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    found = nystroem_ridge(features, X, y, 1e-3)
    weights = features.landmark_weights(found.coef)
    np.testing.assert_allclose(Gaussian(1.5).times(X, features.landmarks, weights), features.transform(X) @ found.coef)
    K = Gaussian(1.5).gram(features.landmarks)
    np.testing.assert_allclose(np.diag(weights.T @ K @ weights), np.sum(found.coef**2, axis=0))


def test_few_rows_and_no_penalty_are_solved_directly():
    X, y = sample(200)
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    assert nystroem_ridge(features, X, y, 1e-3).status is Status.EXACT
    X, y = sample()
    found = nystroem_ridge(features, X, y, 0.0)
    assert found.status is Status.EXACT
    np.testing.assert_allclose(features.transform(X).T @ (y - features.transform(X) @ found.coef), 0.0, atol=1e-7)


def test_tiles_that_do_not_fit_are_computed_again_and_again(monkeypatch):
    X, y = sample()
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    kept = nystroem_ridge(features, X, y, 1e-3)
    monkeypatch.setattr(module, "memory_limit", lambda wanted: 0.0)
    again = nystroem_ridge(features, X, y, 1e-3)
    np.testing.assert_allclose(again.objective, kept.objective, rtol=1e-12)
    reach = [np.sqrt(found.gap / 1e-3) for found in (kept, again)]  # of a coefficient from its best value
    assert np.linalg.norm(again.coef - kept.coef) <= sum(reach) < 1e-3


def test_where_float32_cannot_resolve_the_answer_the_features_are_solved_directly(monkeypatch):
    """Landmarks that almost depend on each other and hardly a penalty: float32 values say nothing about the rest."""
    x = np.sort(np.random.default_rng(0).uniform(0, 1, N))[:, None]
    features, y = nystroem_map(Gaussian(0.5), x, RANK, 0), np.exp(np.sin(8 * x))
    found = nystroem_ridge(features, x, y, 1e-12)
    assert found.status is Status.EXACT
    monkeypatch.setattr(module, "memory_limit", lambda wanted: 1e5)
    approximate = nystroem_ridge(features, x, y, 1e-12)
    assert approximate.status is Status.MAX_ITER
    assert approximate.objective - found.objective <= approximate.gap


@pytest.mark.parametrize("kernel", [Polynomial(2), Linear(), Gaussian(2.0) + Linear()])
def test_any_kernel_will_do(kernel):
    X, y = sample()
    features = nystroem_map(kernel, X, RANK, 0)
    found, exact = nystroem_ridge(features, X, y, 1e-2), direct(features, X, y, 1e-2)
    np.testing.assert_allclose(found.objective, exact.objective, rtol=1e-10)


def test_sparse_rows_give_what_dense_rows_give():
    X, y = sample()
    X = X * (X > 0)
    features = nystroem_map(Polynomial(2), X, RANK, 0)
    dense = nystroem_ridge(features, X, y, 1e-2)
    thin = nystroem_ridge(nystroem_map(Polynomial(2), sparse.csr_matrix(X), RANK, 0), sparse.csr_matrix(X), y, 1e-2)
    np.testing.assert_allclose(thin.objective, dense.objective, rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-150, 1e100])
def test_units_of_the_targets_do_not_matter(scale):
    X, y = sample()
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    plain, scaled = nystroem_ridge(features, X, y, 1e-3).coef, nystroem_ridge(features, X, scale * y, 1e-3).coef / scale
    np.testing.assert_allclose(scaled, plain, rtol=0, atol=2e-6 * np.max(np.abs(plain)))  # each is within TOL = 1e-6


def test_constant_targets_are_the_intercept():
    X, _ = sample()
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    assert np.all(nystroem_ridge(features, X, np.zeros((N, 1)), 1e-3).coef == 0.0)
    found = nystroem_ridge(features, X, np.full((N, 1), 7.0), 1e-3, fit_intercept=True)
    np.testing.assert_allclose(found.coef, 0.0, atol=1e-6)
    np.testing.assert_allclose(found.intercept, 7.0, rtol=1e-6)


def test_bad_requests_are_refused_with_a_remedy():
    X, y = sample(50)
    features = nystroem_map(Gaussian(), X, 5, 0)
    with pytest.raises(ValueError, match="lam must be >= 0, got -1"):
        nystroem_ridge(features, X, y, -1.0)
    with pytest.raises(ValueError, match=r"targets must be finite with shape \(50, k\)"):
        nystroem_ridge(features, X, y[:, 0], 1.0)
    with pytest.raises(ValueError, match="targets must be finite"):
        nystroem_ridge(features, X, y * np.nan, 1.0)
    with pytest.raises(ValueError, match="all sample weights are zero"):
        nystroem_ridge(features, X, y, 1.0, np.zeros(50))


def test_long_fits_report_progress():
    X, y = sample()
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        nystroem_ridge(nystroem_map(Gaussian(1.5), X, RANK, 0), X, y, 1e-3)
    assert said[-1].error <= limits.LANDMARK_TOL


def test_on_the_same_landmarks_scikit_learn_predicts_the_same():
    """Its ``alpha`` is ``n * lam``, its ``gamma`` is ``1 / (2 bandwidth**2)``."""
    X, y = sample()
    theirs = make_pipeline(Nystroem(gamma=0.1, n_components=RANK, random_state=0), Ridge(alpha=0.1)).fit(X, y)
    features = nystroem_map(Gaussian(np.sqrt(5.0)), theirs[0].components_, RANK)
    found = nystroem_ridge(features, X, y, 0.1 / N, fit_intercept=True)
    assert found.n_iter > 0
    predicted = Gaussian(np.sqrt(5.0)).times(X, features.landmarks, features.landmark_weights(found.coef))
    np.testing.assert_allclose(predicted + found.intercept, theirs.predict(X), atol=2e-5)


@pytest.mark.parametrize(("lam", "precision"), [(1e-3, np.float32), (1e-8, np.float64)])
def test_the_sample_is_in_float32_only_where_its_rounding_is_far_below_lam(lam, precision, monkeypatch):
    X, y = sample()
    features = nystroem_map(Gaussian(1.5), X, RANK, 0)
    seen, block = [], Gaussian.block
    monkeypatch.setattr(
        Gaussian, "block", lambda self, X, Z, dtype=np.float64: seen.append((len(X), dtype)) or block(self, X, Z, dtype)
    )
    found = nystroem_ridge(features, X, y, lam)
    assert {np.dtype(one) for rows, one in seen if rows < len(y)} == {np.dtype(precision)}  # a kept block has all rows
    monkeypatch.undo()
    np.testing.assert_allclose(found.objective, direct(features, X, y, lam).objective, rtol=1e-10)


def test_a_block_is_kept_where_its_values_are_dear_and_fits_come_out_the_same(plain):
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((5000, 20)), rng.standard_normal((5000, 1))
    kernel = Gaussian(6.0)
    assert not kernel.recomputes(X)
    assert kernel.recomputes(X[:, :5]) == (not plain)  # values from the twins are always dear
    features = nystroem_map(kernel, X, RANK, 0)
    kept, computed = nystroem_ridge(features, X, y, 1e-3), nystroem_ridge(features, X, y, 1e-3, memory=1e5)
    np.testing.assert_allclose(kept.objective, computed.objective, rtol=1e-12)
