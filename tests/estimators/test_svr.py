"""`SVR`: scikit-learn's contract, LIBSVM's answers, weights, limits, bad input."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut
from sklearn.svm import SVR as LibSVR

from surefit import SVR, convert_lambda
from surefit.estimators.kinds import support_vectors
from surefit.estimators.svr import tube_heuristics
from surefit.kernels import Gaussian, Linear, Polynomial
from surefit.solvers.solution import Status
from surefit.solvers.support_vectors import limits

X1, Y1 = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])


def sample(n=120, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, -1] + 0.2 * rng.standard_normal(n)


def test_fx2_through_the_public_face():
    model = SVR(Linear(), lam=0.1, epsilon=0.2, max_violation=1e-10).fit(X2, Y2)
    assert model.coef_ == pytest.approx([24 / 35, 6 / 7, 11 / 7], abs=1e-8)
    assert model.intercept_ == pytest.approx(-22 / 35, abs=1e-8)
    assert model.solution_.objective == pytest.approx(0.519809524, abs=5e-10)
    assert model.support_.tolist() == [0, 1, 2, 3, 4, 5]
    quadratic = SVR(Linear(), lam=0.1, epsilon=0.2, loss="quadratic", max_violation=1e-10).fit(X2, Y2)
    assert quadratic.coef_ == pytest.approx([0.71173706, 0.84619587, 1.56467339], abs=5e-9)


def test_fx1_with_a_tube_of_width_zero_is_ridge():  # E-083, FX1: lambda = 1.25
    model = SVR(Linear(), lam=1.25, epsilon=0.0, loss="quadratic", max_violation=1e-11).fit(X1, Y1)
    assert (model.coef_[0], model.intercept_) == (pytest.approx(0.55, abs=1e-9), pytest.approx(1.925, abs=1e-9))


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, 1.0), Gaussian(1.3), Gaussian(1.0) + 0.5 * Linear()])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_function_as_libsvm(kernel, weighted):
    X, y = sample()
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    C = 2.0
    model = SVR(kernel, convert_lambda(C, "sklearn.SVR", weight.sum()), 0.15, max_violation=1e-7).fit(X, y, weight)
    K = kernel.gram(X)
    peer = LibSVR(kernel="precomputed", C=C, epsilon=0.15, tol=1e-7).fit(K, y, weight)
    assert model.predict(X) == pytest.approx(peer.predict(K), abs=1e-4)
    theirs, ours = np.zeros(len(y)), np.zeros(len(y))
    theirs[peer.support_], ours[model.support_] = peer.dual_coef_[0], model.dual_coef_

    def dual(beta):
        return beta @ y - 0.15 * np.abs(beta).sum() - beta @ K @ beta / 2

    assert dual(ours) == pytest.approx(dual(theirs), rel=1e-7)


def test_rows_of_weight_zero_might_as_well_not_be_there():
    X, y = sample(60)
    weight = np.r_[np.ones(40), np.zeros(20)]
    noisy = y.copy()
    noisy[40:] = 1e9
    a, b = SVR(max_violation=1e-6).fit(X, noisy, weight), SVR(max_violation=1e-6).fit(X[:40], y[:40])
    assert np.array_equal(a.predict(X), b.predict(X))
    assert np.array_equal(a.support_, b.support_)


def test_support_refers_to_the_rows_that_were_given():
    X, y = sample(60)
    weight = np.ones(60)
    weight[::3] = 0
    model = SVR(Gaussian(1.0)).fit(X, y, weight)
    assert np.all(model.support_ % 3 != 0)
    assert np.array_equal(model.support_vectors_, X[model.support_])


@pytest.mark.parametrize("loss", ["epsilon-insensitive", "quadratic"])
def test_many_rows_of_a_linear_kernel_are_solved_for_their_coefficients(monkeypatch, loss):
    X, y = sample(300)
    dual = SVR(Linear(), 0.01, loss=loss, max_violation=1e-9).fit(X, y)
    monkeypatch.setattr(support_vectors, "SMALL", 100)
    primal = SVR(Linear(), 0.01, loss=loss, max_violation=1e-6).fit(sparse.csr_matrix(X), y)
    assert not hasattr(primal, "dual_coef_")
    assert primal.coef_ == pytest.approx(dual.coef_, abs=1e-6)
    assert primal.intercept_ == pytest.approx(dual.intercept_, abs=1e-5)
    assert primal.solution_.objective == pytest.approx(dual.solution_.objective, abs=1e-9)
    assert set(dual.support_) <= set(primal.support_)
    assert primal.predict(X[:5]) == pytest.approx(dual.predict(X[:5]), abs=1e-5)


def test_the_interval_of_offsets_survives_many_rows(monkeypatch):  # E-079
    monkeypatch.setattr(support_vectors, "SMALL", 10)
    X, y = np.tile([[0.0], [1.0]], (20, 1)), np.tile([0.0, 1.0], 20)
    model = SVR(Linear(), lam=0.5, epsilon=0.1).fit(X, y)
    assert model.coef_[0] == pytest.approx(0.5, abs=1e-6)
    assert model.intercept_interval_ == pytest.approx((0.1, 0.4), abs=1e-6)
    assert model.intercept_ == pytest.approx(0.25, abs=1e-6)


def test_sparse_rows_give_the_dense_answer():
    X, y = sample(50)
    X[np.abs(X) < 0.7] = 0.0
    for kernel in (Linear(), Polynomial(2, 1.0), Gaussian(1.0)):
        dense, thin = (SVR(kernel, 0.01, max_violation=1e-8).fit(M, y) for M in (X, sparse.csr_matrix(X)))
        assert thin.predict(sparse.csr_matrix(X)) == pytest.approx(dense.predict(X), abs=1e-6)


def test_a_tube_wider_than_half_the_range_needs_no_support_vector():
    X, y = sample(30)
    wide = float(np.ptp(y))
    model = SVR(Gaussian(1.0), 0.01, epsilon=wide).fit(X, y)
    assert len(model.support_) == 0
    assert model.intercept_interval_ == pytest.approx((y.max() - wide, y.min() + wide))
    assert np.all(model.predict(X) == pytest.approx(model.intercept_))
    assert model.solution_.objective == 0.0


@pytest.mark.parametrize("loss", ["epsilon-insensitive", "quadratic"])
def test_hard_inputs_get_right_answers(loss):
    flat = SVR(Gaussian(1.0), 0.1, loss=loss).fit(np.ones((6, 2)), [0.0, 0, 0, 5, 0, 0])  # all points equal
    assert np.ptp(flat.predict(np.ones((3, 2)))) == 0
    one = SVR(Gaussian(1.0), 0.1, loss=loss).fit([[1.0, 2.0]], [3.0])
    assert one.predict([[0.0, 0.0]])[0] == pytest.approx(3.0)
    constant = SVR(Gaussian(1.0), 0.1, loss=loss).fit(X2, np.full(6, 7.0))
    assert constant.predict(X2) == pytest.approx(np.full(6, 7.0))
    X, y = sample(40)
    for bandwidth in (1e-6, 1e6):
        model = SVR(Gaussian(bandwidth), 1e-4, loss=loss, max_iter=10**6).fit(X, y)
        assert model.solution_.status is Status.CONVERGED
        assert model.solution_.gap <= 1e-3
    duplicates = SVR(Gaussian(1.0), 1e-3, loss=loss).fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert duplicates.solution_.gap < 1e-3


def test_the_flat_minimum_of_equal_points_is_the_median():
    model = SVR(Gaussian(1.0), 0.1, epsilon=0.0, max_violation=1e-9).fit(np.ones((5, 1)), [0.0, 1, 2, 3, 100])
    assert model.predict([[1.0]])[0] == pytest.approx(2.0)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("lam", [None, 0.01])
def test_units_of_the_target_change_nothing(scale, lam):
    """S-06: the default tube is a tenth of the mean distance of the targets from their median."""
    X, y = sample(80)
    factor = 1.0 if lam is None else lam  # C is in units of y
    a, b = (SVR(lam=lam and factor / unit).fit(X, y * unit) for unit in (1.0, scale))
    assert b.epsilon_ == pytest.approx(0.1 * scale * np.mean(np.abs(y - np.median(y))))
    np.testing.assert_allclose(b.predict(X) / scale, a.predict(X), atol=2e-3)


def test_lam_is_the_one_with_the_least_cross_validated_loss():
    """S-05: the curve equals refits on the folds, to the accuracy that choosing needs."""
    X, y = sample(90)
    folds, lams = list(KFold(3, shuffle=True, random_state=0).split(X)), [1.0, 0.1, 0.01, 1e-3, 1e-4]
    model = SVR(Gaussian(0.7), epsilon=0.1, lams=lams, cv=folds).fit(X, y)
    refits = [
        np.mean([np.maximum(np.abs(SVR(Gaussian(0.7), lam, 0.1).fit(X[a], y[a]).predict(X[b]) - y[b]) - 0.1, 0).mean()
                 for a, b in folds])
        for lam in lams
    ]  # fmt: skip
    np.testing.assert_allclose(model.criterion_path_, refits, rtol=0.05)
    assert model.lam_ == 1e-3  # below it the curve is flat up to the accuracy of the fits
    assert min(refits) == pytest.approx(refits[3], rel=2e-3)


def test_tube_heuristics_on_fx2():  # S-06
    found = tube_heuristics(Y2)
    assert found["pairs"] == pytest.approx(43 / 15, abs=1e-12)
    assert found["successive"] == pytest.approx(1.8, abs=1e-12)
    with pytest.raises(ValueError, match="two finite targets"):
        tube_heuristics([1.0])


def test_wider_tubes_have_fewer_support_vectors_on_fx2():  # S-06, C-10
    counts = [
        len(SVR(Linear(), 0.1, e, max_violation=1e-9).fit(X2, Y2).support_) for e in (0.0, 0.2, 0.5, 1.0, 2.0, 3.0)
    ]
    assert counts == sorted(counts, reverse=True)


def test_cross_validated_tube_is_the_best_leave_one_out_loss():  # S-05
    X, y = sample(25)
    grid = {"epsilon": [0.05, 0.5], "kernel__bandwidth": [0.5, 2.0]}
    search = GridSearchCV(SVR(Gaussian(1.0), 0.01), grid, cv=LeaveOneOut(), scoring="neg_mean_absolute_error").fit(X, y)
    for candidate, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        errors = []
        for i in range(25):
            rest = np.arange(25) != i
            model = SVR(Gaussian(candidate["kernel__bandwidth"]), 0.01, candidate["epsilon"]).fit(X[rest], y[rest])
            errors.append(abs(model.predict(X[[i]])[0] - y[i]))
        assert -score == pytest.approx(np.mean(errors))


def test_limits_warn_and_leave_a_feasible_answer(monkeypatch):
    X, y = sample(200)
    best = SVR(Gaussian(1.0), 1e-4, max_violation=1e-9).fit(X, y).solution_.objective
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = SVR(Gaussian(1.0), 1e-4, max_iter=20).fit(X, y)
    assert model.n_iter_ == 20
    assert model.solution_.gap >= model.solution_.objective - best
    assert np.max(np.abs(model.dual_coef_)) <= 1 / (2 * 200 * 1e-4) * (1 + 1e-12)
    monkeypatch.setattr(limits, "CHUNK", 1.0)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        SVR(Gaussian(1.0), 1e-4, time_limit=1e-9).fit(X, y)


def test_a_tight_memory_changes_the_route_not_the_answer(monkeypatch):
    monkeypatch.setattr(limits, "SMALL", 50)
    X, y = sample(300)
    wide, tight = (
        SVR(Gaussian(1.0), 1e-3, max_violation=1e-5, memory=memory).fit(X, y) for memory in (None, 2 * 200**2)
    )
    assert tight.predict(X) == pytest.approx(wide.predict(X), abs=1e-3)
    assert tight.solution_.status is Status.CONVERGED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lam": -1.0}, "lam must be"),
        ({"lam": 0.0}, "support vectors need a penalty"),
        ({"epsilon": -0.1}, "epsilon must be"),
        ({"loss": "squared"}, "loss must be one of"),
        ({"kernel": 3}, "kernel must be a Kernel"),
        ({"max_violation": 0.0}, "max_violation must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"time_limit": -1.0}, "time_limit must be"),
        ({"memory": 0}, "memory must be"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        SVR(**options).fit(X2, Y2)


def test_refitting_and_pickling():
    X, y = sample(40)
    model = SVR(Linear(), 0.01).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert not hasattr(model.set_params(kernel=Gaussian(1.0)).fit(X, y), "coef_")


def test_single_precision_in_single_precision_out():
    X, y = sample(40)
    model = SVR(Gaussian(1.0), 0.01).fit(X.astype(np.float32), y)
    assert model.predict(X.astype(np.float32)).dtype == np.float32


FIVE = np.array([[-2.2], [-2.2], [-9.0], [8.1], [-11.2]]), np.array([1.0, -1.1, -0.36, 0.16, -1.34])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-140, 1e-100, 1e70, 1e99, 1e140])
@pytest.mark.parametrize("loss", ["quadratic", "epsilon-insensitive"])
def test_units_of_the_columns_change_neither_gap_nor_objective(scale, loss):
    X, y = FIVE
    fit = lambda s: SVR(Linear(), 0.01 * s * s, 0.2, loss=loss, fit_intercept=False).fit(X * s, y).solution_
    base, found = fit(1.0), fit(scale)
    assert found.status is base.status is Status.CONVERGED
    assert found.gap == pytest.approx(base.gap, rel=0.05, abs=2e-10)
    assert found.objective == pytest.approx(base.objective, rel=1e-8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("model", "rows", "targets", "message"),
    [
        (SVR(Linear(), 1e-300, 0.1), 1e-170, 1.0, "at most, near the end of the range .*; rescale X"),
        (SVR(Linear(), 1e-300, 0.1), 1e-150, 1.0, "at most, near the end of the range .*; rescale X"),
        (SVR(Linear(), 1e300, 0.1), 1e152, 1.0, "at most, near the end of the range .*; rescale X"),
        (SVR(Linear(), 1e-200, 0.1), 1e99, 1.0, "lam = 1e-200 is out of all proportion .*; choose a lam nearer"),
        (SVR(Linear(), 1e198, 1e-130, loss="quadratic"), 1e100, 1e-130, "beyond the range .*; rescale X or y"),
        (SVR(Linear(), epsilon=0.1), 1e-60, 1.0, "lose digits in single precision, .*; rescale X, or give lam"),
    ],
)
def test_what_leaves_the_range_of_numbers_is_refused(model, rows, targets, message):
    X, y = np.eye(5), FIVE[1]
    with pytest.raises(ValueError, match=message):
        model.fit(X * rows, y * targets)


@pytest.mark.filterwarnings("error")
def test_a_weight_of_next_to_nothing_does_not_end_a_fit():
    weight = [1e12, 1, 1e-300]
    fit = SVR(Gaussian(1.0), 0.01, 0.1, loss="quadratic").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0], weight)
    assert fit.solution_.status is Status.CONVERGED
    assert fit.predict([[0.0]]) == pytest.approx(0.1, abs=1e-6)


def test_a_target_far_from_its_spread_is_told_the_remedy():
    y = 1e6 + np.array([0.0, 1e-9, 0.0, 2e-9])
    with pytest.warns(ConvergenceWarning, match="rounding decides; subtract a constant from y"):
        fit = SVR(Gaussian(1.0), 0.1, 0.0).fit(np.arange(4.0)[:, None], y)
    assert fit.solution_.status is Status.ROUNDING


@pytest.mark.filterwarnings("error")
def test_equal_targets_far_from_zero_are_no_reason_to_warn():
    fit = SVR(Gaussian(1.0), 0.1, 0.0).fit(np.arange(4.0)[:, None], np.full(4, 1e6))
    assert fit.solution_.status is Status.CONVERGED
    assert fit.intercept_ == 1e6


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_steps_that_go_astray_on_a_rounded_gram_matrix_are_taken_back():
    X = 1.7e6 + np.random.default_rng(0).normal(size=(7, 2))
    y = np.random.default_rng(1).normal(size=7)
    fit = SVR(Linear(), 3e-7, 0.1, loss="quadratic").fit(X, y)
    assert fit.solution_.status is Status.ROUNDING
    assert fit.solution_.objective <= 10 * np.mean(y**2)
    assert np.isfinite(fit.solution_.gap)
