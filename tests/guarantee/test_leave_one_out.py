"""`leave_one_out` of fitted models is what refits without each row give.  Catalogue T-76, S-03, S-04."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from surefit import KernelRidge, LeastSquares, Ridge
from surefit.kernels import Gaussian, Linear

RNG = np.random.default_rng(7)
X = RNG.normal(size=(14, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=14)
WEIGHT = RNG.integers(1, 4, size=14).astype(float)
TWO = np.column_stack([Y, X[:, 0] ** 2])
MODELS = [
    LeastSquares(),
    LeastSquares(False),
    LeastSquares(solver="svd"),
    Ridge(0.3),
    Ridge(0.3, fit_intercept=False),
    Ridge(),
    Ridge(0.3, standardise=True),
    KernelRidge(Gaussian(2.0), 0.05),
    KernelRidge(Gaussian(2.0), 0.05, fit_intercept=False),
    KernelRidge(Gaussian(2.0)),
    KernelRidge(Linear(), 0.2),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def refitted(model, X, Y, weight, group):
    """Predictions at every row of the fit without its group, with ``n * lam`` and the units of columns as they were."""
    found = np.empty(Y.shape)
    if getattr(model, "standardise", False):
        share = weight / weight.sum()
        X = X / np.sqrt(share @ (X - share @ X) ** 2)
    for g in np.unique(group):
        rest = group != g
        settings = {"fit_intercept": model.fit_intercept}
        if isinstance(model, LeastSquares):
            again = LeastSquares(**settings)
        else:
            lam = model.lam_ * weight.sum() / weight[rest].sum()
            kernel = [model.kernel_] if isinstance(model, KernelRidge) else []
            again = type(model)(*kernel, lam, **settings)
        found[~rest] = again.fit(X[rest], Y[rest], weight[rest]).predict(X[~rest])
    return found


def check(model, X, Y, weight, group):
    found = model.fit(X, Y, weight).leave_one_out()
    wanted = refitted(model, X, Y, np.ones(len(Y)) if weight is None else weight, group)
    np.testing.assert_allclose(found.predictions, wanted, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.residuals, Y - wanted, rtol=1e-6, atol=1e-9)
    return found


@each_model
def test_predictions_and_residuals_are_those_of_refits(model):
    found = check(model, X, Y, None, np.arange(14))
    np.testing.assert_allclose(found.residuals * (1 - found.leverages), Y - model.predict(X), rtol=1e-7, atol=1e-9)


@each_model
def test_a_weighted_row_leaves_with_all_its_weight(model):
    check(model, X, Y, WEIGHT, np.arange(14))


@each_model
def test_rows_that_equal_each_other_leave_together(model):
    rows = np.array([*range(14), 3, 3, 8])
    found = check(model, X[rows], Y[rows], None, rows)
    assert found.leverages[3] == found.leverages[14]
    repeated = np.bincount(rows).astype(float)
    again = model.fit(X, Y, repeated).leave_one_out()  # three copies are one row of weight three
    np.testing.assert_allclose(found.residuals, again.residuals[rows], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.leverages, again.leverages[rows], rtol=1e-6)


def test_of_rows_at_one_point_a_kernel_fit_leaves_all_out_and_a_linear_one_those_with_the_same_target():
    places, y = X[[0, 1, 2, 3, 4, 5, 5, 6]], Y[:8]
    check(KernelRidge(Gaussian(2.0), 0.05), places, y, None, np.array([0, 1, 2, 3, 4, 5, 5, 6]))
    check(Ridge(0.3), places, y, None, np.arange(8))


@pytest.mark.parametrize("model", [LeastSquares(), Ridge(0.3), KernelRidge(Gaussian(2.0), 0.05)], ids=repr)
def test_several_targets_have_a_column_each(model):
    found = check(model, X, TWO, None, np.arange(14))
    assert found.predictions.shape == (14, 2)
    assert found.leverages.shape == (14,)
    assert list(found.to_frame()) == ["prediction [0]", "prediction [1]", "residual [0]", "residual [1]", "leverage"]


@pytest.mark.parametrize("model", [Ridge(), Ridge(standardise=True), KernelRidge(Gaussian(2.0))], ids=repr)
@pytest.mark.parametrize("copied", [False, True])
def test_the_mean_squared_error_is_the_criterion_of_the_choice(model, copied):
    rows = np.array([*range(14), 3, 3, 8]) if copied else np.arange(14)
    model.fit(X[rows], Y[rows], WEIGHT[rows])
    at = int(np.flatnonzero(model.lam_path_ == model.lam_)[0])
    assert model.leave_one_out().mean_squared_error == pytest.approx(model.criterion_path_[at], rel=1e-8)


def test_landmarks_stay_where_they_are():
    rows = RNG.normal(size=(60, 2))
    y = np.sin(rows[:, 0])
    model = KernelRidge(Gaussian(1.0), 1e-2, solver="nystroem", n_landmarks=12).fit(rows, y)
    found = model.leave_one_out()
    features = model._features()
    again = Ridge(model.lam_).fit(features(rows), y).leave_one_out()
    np.testing.assert_allclose(found.predictions, again.predictions, rtol=1e-8)


def test_rows_of_no_weight_have_no_entry_and_sparse_rows_have_the_same():
    weight = np.where(np.arange(14) % 5 == 0, 0.0, 1.0)
    found = Ridge(0.3).fit(X, Y, weight).leave_one_out()
    again = Ridge(0.3).fit(sparse.csr_array(X[weight > 0]), Y[weight > 0]).leave_one_out()
    assert len(found.residuals) == np.count_nonzero(weight)
    np.testing.assert_allclose(found.residuals, again.residuals, rtol=1e-9)


def test_a_row_that_decides_its_own_fit_has_no_left_out_prediction():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]])
    found = LeastSquares().fit(rows, [1.0, 3.0, 2.0, 5.0]).leave_one_out()
    assert np.isnan(found.predictions[3])
    assert found.residuals[3] == np.inf
    assert found.leverages[3] == pytest.approx(1.0)
    assert np.all(np.isfinite(found.residuals[:3]))


def test_the_factor_of_a_choice_is_used_again():
    linear, kernel = Ridge().fit(X, Y), KernelRidge(Gaussian(2.0)).fit(X, Y)
    assert linear._fit_record.factored.factor is linear._fit_record.factored.fit.factor
    assert kernel._fit_record.factored.spectrum is not None
    before = linear.inference()
    linear.leave_one_out()
    np.testing.assert_array_equal(linear.inference().estimate, before.estimate)


def test_models_without_their_rows_refuse_and_a_stored_exact_kernel_fit_has_them():
    with pytest.raises(ValueError, match=r"do not travel with a stored model; call leave_one_out\(\) before storing"):
        pickle.loads(pickle.dumps(Ridge(0.3).fit(X, Y))).leave_one_out()
    with pytest.raises(ValueError, match="an exact solution, which iterative solvers lack"):
        LeastSquares(solver="gradient").fit(X, Y).leave_one_out()
    model = KernelRidge(Gaussian(2.0), 0.05).fit(X, Y)
    again = pickle.loads(pickle.dumps(model)).leave_one_out()
    np.testing.assert_allclose(again.residuals, model.leave_one_out().residuals, rtol=1e-9)


def test_rows_that_were_changed_in_place_are_refused():
    rows, y = X.copy(), Y.copy()
    model = Ridge(0.3).fit(rows, y)
    rows[0, 0] += 1.0
    with pytest.raises(ValueError, match="changed in place since the fit; fit again"):
        model.leave_one_out()


def test_a_kernel_fit_beyond_its_memory_is_refused_with_a_remedy():
    model = KernelRidge(Gaussian(2.0), 0.05).fit(X[:5], Y[:5])
    model._remember(factored=replace(model._fit_record.factored, memory=10.0))
    with pytest.raises(ValueError, match=r"takes 600 B and the limit is 10 B; raise memory, or hold rows out"):
        model.leave_one_out()
