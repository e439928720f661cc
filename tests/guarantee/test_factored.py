"""The rows of a fit with its factor: one factorisation serves leave-one-out, intervals and standard errors."""

import numpy as np
import pytest
from scipy import sparse

import surefit.guarantee.factored as factored
from surefit import KernelRidge, LeastSquares, Ridge
from surefit.kernels import Gaussian
from surefit.theory.fit.loo import exact_loo, loo_by_refitting

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
Y = X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=60)


def refitted(lam):
    fit = lambda rows, y, new: Ridge(lam * 60 / 59).fit(rows, y).predict(new)
    return loo_by_refitting(fit, X, Y)


@pytest.mark.parametrize("model", [Ridge(0.1), Ridge(lams=[0.1]), Ridge()], ids=str)
def test_the_factor_on_the_record_gives_exact_leave_one_out(model):
    rows = model.fit(X, Y)._fit_record.factored
    np.testing.assert_allclose(exact_loo(rows.factor, Y, [rows.lam])[0], refitted(rows.lam), rtol=1e-8)
    np.testing.assert_allclose(rows.response.left_out, refitted(rows.lam), rtol=1e-8)


def test_the_factor_that_chose_lam_is_used_again(monkeypatch):
    model = Ridge().fit(X, Y)
    monkeypatch.setattr(factored, "spectral_factor", None)  # a second factorisation would fail
    rows = model._fit_record.factored
    assert rows.factor is rows.fit.factor
    model.predict_interval(X[:3])
    model.inference()


@pytest.mark.parametrize("model", [Ridge(0.1), Ridge(0.1, standardise=True), LeastSquares()], ids=str)
def test_a_factor_that_is_missing_is_made_once(model, monkeypatch):
    made = []
    plain = factored.spectral_factor
    monkeypatch.setattr(factored, "spectral_factor", lambda *given: made.append(1) or plain(*given))
    model.fit(X, Y)
    for _ in range(2):
        model.predict_interval(X[:3])
        model.inference()
        model.predict_interval(X[:3], method="full")
    assert len(made) == 1


def test_merged_copies_and_sparse_rows_get_a_factor_of_their_own_rows():
    twice = Ridge().fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2))._fit_record.factored
    assert twice.fit.factor.A.n == 60
    assert twice.factor.A.n == 120
    far = np.column_stack([X, 1e3 + X[:, 0]])
    thin, thick = (Ridge(lams=[0.1, 1.0]).fit(rows, Y) for rows in (sparse.csr_array(far), far))
    assert thin._fit_record.factored.fit.factor.A.design.offset is not None  # the fit moved the far column
    np.testing.assert_allclose(thin.predict_interval(far[:5]).lower, thick.predict_interval(far[:5]).lower, rtol=1e-6)


def test_kernel_rows_answer_as_the_model_does():
    model = KernelRidge(Gaussian(1.0), 0.01).fit(X, Y)
    rows = model._fit_record.factored
    np.testing.assert_allclose(rows.response.at(X[:5]).prediction, model.predict(X[:5]), rtol=1e-8)
    assert rows.size == (60, 60)
    few = KernelRidge(Gaussian(1.0), 0.01, solver="nystroem", n_landmarks=10).fit(X, Y)._fit_record.factored
    assert few.size == (60, 10)
