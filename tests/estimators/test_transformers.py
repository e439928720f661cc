"""`Nystroem` and `PivotedCholesky` in pipelines; Catalogue A-14, A-15."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from surefit import Nystroem, PivotedCholesky, Ridge
from surefit.kernels import Gaussian, Kernel, Linear, Polynomial
from surefit.kernels.low_rank import nystroem_map
from surefit.theory.fit.loo import loo_by_refitting


class Products(Kernel):
    """A kernel of somebody's own, for dense rows."""

    def pairs(self, X, Z, dtype):
        return X @ Z.T


def sample(n=80, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("transformer", [Nystroem(Gaussian(1.5), n_landmarks=80), PivotedCholesky(Gaussian(1.5))])
def test_features_of_full_rank_are_the_kernel(transformer):
    X, _ = sample()
    phi = transformer.fit_transform(X)
    np.testing.assert_allclose(phi @ phi.T, Gaussian(1.5).gram(X), atol=1e-11)


def test_ridge_on_all_landmarks_is_kernel_ridge():
    """The representer theorem: ``f = K a`` with ``(K + n lam I) a = y``."""
    X, y = sample()
    K, lam = Gaussian().gram(X), 1e-3
    dual = np.linalg.solve(K + 80 * lam * np.eye(80), y)
    model = make_pipeline(Nystroem(Gaussian(), n_landmarks=80), Ridge(lam, fit_intercept=False)).fit(X, y)
    np.testing.assert_allclose(model.predict(X), K @ dual, atol=1e-9)
    np.testing.assert_allclose(np.sum(model[-1].coef_ ** 2), dual @ K @ dual, rtol=1e-8)


def test_leave_one_out_chooses_lam_on_the_features():
    """Exact leave-one-out, given the map, equals n refits of the last step."""
    X, y = sample(30)
    lams = np.array([1e-4, 1e-2, 1.0])
    model = make_pipeline(Nystroem(Gaussian(), n_landmarks=10), Ridge(lams=lams)).fit(X, y)
    phi = model[0].transform(X)
    for lam, criterion in zip(lams, model[-1].criterion_path_, strict=True):
        refit = lambda P, t, p, lam=lam: Ridge(lam * 30 / 29).fit(P, t).predict(p)
        np.testing.assert_allclose(np.mean(loo_by_refitting(refit, phi, y) ** 2), criterion, rtol=1e-8)


@pytest.mark.parametrize(
    "transformer",
    [
        Nystroem(),
        Nystroem(Polynomial(2), n_landmarks=5),
        Nystroem(Gaussian(2.0), rule="pivots"),
        PivotedCholesky(),
        PivotedCholesky(Polynomial(3), max_rank=7),
    ],
)
def test_weights_count_copies(transformer):
    X, _ = sample()
    weight = np.random.default_rng(1).integers(0, 3, 80)
    counted = clone(transformer).fit(X, sample_weight=weight)
    copied = clone(transformer).fit(np.repeat(X, weight, axis=0)[::-1])
    np.testing.assert_allclose(counted.transform(X), copied.transform(X), atol=1e-9)


def test_sample_weights_pass_through_a_pipeline():
    X, y = sample()
    weight = np.where(np.arange(80) < 40, 1.0, 0.0)
    pipeline = make_pipeline(Nystroem(Gaussian(), n_landmarks=10), Ridge(1e-3))
    weighted = clone(pipeline).fit(X, y, nystroem__sample_weight=weight, ridge__sample_weight=weight)
    np.testing.assert_allclose(weighted.predict(X), clone(pipeline).fit(X[:40], y[:40]).predict(X), atol=1e-9)


def test_float32_in_float32_out():
    X, _ = sample()
    wide, narrow = Nystroem(Gaussian()).fit_transform(X), Nystroem(Gaussian()).fit_transform(X.astype(np.float32))
    assert narrow.dtype == np.float32
    assert narrow.shape == wide.shape


def test_data_frames_come_out_with_names():
    X, _ = sample()
    frame = pd.DataFrame(X, columns=["a", "b"])
    out = PivotedCholesky(Gaussian(), max_rank=3).set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["pivotedcholesky0", "pivotedcholesky1", "pivotedcholesky2"]


def test_the_error_of_the_partial_factor_is_the_trace_that_is_left():
    X, _ = sample()
    model = PivotedCholesky(Gaussian(), max_rank=12).fit(X)
    phi = model.transform(X)
    np.testing.assert_allclose(model.error_, np.trace(Gaussian().gram(X) - phi @ phi.T), rtol=1e-10)
    assert PivotedCholesky(Gaussian(), tol=0.5).fit(X).error_ <= 0.5


def test_nystroem_is_the_map_of_the_features_layer():
    X, _ = sample()
    direct = nystroem_map(Gaussian(), X, 9, 4)
    np.testing.assert_array_equal(
        Nystroem(Gaussian(), n_landmarks=9, random_state=4).fit(X).landmarks_, direct.landmarks
    )


def test_sparse_rows_where_the_kernel_takes_them():
    X = sample()[0] * (sample(seed=2)[0] > 0)
    dense, thin = (PivotedCholesky(Linear()).fit(rows).transform(rows) for rows in (X, sparse.csr_matrix(X)))
    np.testing.assert_allclose(dense, thin, atol=1e-12)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        Nystroem(Products()).fit(sparse.csr_matrix(X))


@pytest.mark.parametrize("transformer", [Nystroem(Gaussian()), PivotedCholesky(Gaussian())])
@pytest.mark.parametrize("X", [np.ones((1, 2)), np.ones((9, 2)), np.full((2, 1), 1e300)])
def test_one_point_however_often_is_one_feature(transformer, X):
    np.testing.assert_allclose(transformer.fit_transform(X), 1.0)


def test_bad_kernels_are_refused_with_a_remedy():
    X, _ = sample(5)
    with pytest.raises(ValueError, match=r"kernel must be a Kernel such as .*, got 3"):
        Nystroem(3).fit(X)
    with pytest.raises(ValueError, match="vanishes on every row"):
        PivotedCholesky(Linear()).fit(0.0 * X)
