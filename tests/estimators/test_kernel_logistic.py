"""Kernel logistic regression: fixtures, reference solvers, limits, odd data.  Catalogue A-32, L-09, L-11, F-06."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold

from surefit import ERM, KernelLogistic
from surefit.kernels import Gaussian, Linear, Polynomial
from surefit.objective import Logistic
from surefit.solvers.solution import Status

X1 = np.array([[0.0], [1], [2], [3]])
LABELS = {
    "strings": ["no", "yes", "no", "yes"],
    "zero and one": [0, 1, 0, 1],
    "signs": [-1, 1, -1, 1],
    "booleans": [False, True, False, True],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_fx1_to_the_digits_whatever_the_labels_are_called(labels):
    """A-32, E-061: labels are mapped to -1 and +1 before the margin formula sees them."""
    model = KernelLogistic(Gaussian(1.0), lam=0.01).fit(X1, labels)
    np.testing.assert_allclose(model.dual_coef_, [-3.40397429, 5.05791387, -5.05791387, 3.40397429], atol=5e-9)
    f = [-0.98289392, 0.38619708, -0.38619708, 0.98289392]
    np.testing.assert_allclose(model.decision_function(X1), f, atol=5e-9)
    assert model.solution_.objective == pytest.approx(0.524216196, abs=5e-10)
    assert list(model.predict(X1)) == list(labels)
    np.testing.assert_allclose(model.predict_proba(X1)[:, 1], 1 / (1 + np.exp(-np.array(f))), atol=1e-8)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0])
def test_a_linear_kernel_is_ridge_logistic_regression(lam, fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + 1
    t = np.where(X @ [1.0, -1.0, 0.5] + rng.normal(size=60) > 0, 1.0, -1.0)
    linear = ERM(Logistic(), lam=lam, fit_intercept=fit_intercept, tol=1e-12).fit(X, t)
    kernel = KernelLogistic(Linear(), lam, fit_intercept=fit_intercept).fit(X, t)
    np.testing.assert_allclose(kernel.points_.T @ kernel.dual_coef_, linear.coef_, atol=1e-7)
    assert kernel.intercept_ == pytest.approx(linear.intercept_, abs=1e-7)
    assert kernel.solution_.objective == pytest.approx(linear.solution_.objective, abs=1e-12)


def reference_scores(K, codes, k, lam, weight, fit_intercept):
    """The same problem as a cone programme."""
    values, vectors = np.linalg.eigh(K)
    Z = vectors * np.sqrt(np.maximum(values, 0.0))
    if k == 2:
        w, b = cp.Variable(len(K)), cp.Variable() if fit_intercept else 0.0
        f = Z @ w + b
        losses = cp.logistic(-cp.multiply(2.0 * codes - 1, f))
    else:
        w, b = cp.Variable((len(K), k)), cp.Variable((1, k)) if fit_intercept else np.zeros((1, k))
        f = Z @ w + np.ones((len(K), 1)) @ b
        losses = cp.log_sum_exp(f, axis=1) - cp.sum(cp.multiply(f, np.eye(k)[codes]), axis=1)
    p = weight / weight.sum()
    cp.Problem(cp.Minimize(p @ losses + lam * cp.sum_squares(w))).solve(
        solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10
    )
    return f.value


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate:UserWarning")
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_agree_with_a_cone_solver(k, fit_intercept):
    """L-09, L-11: to 1e-5, weights and offset included.

    The cone solver is asked for 1e-10 and says so where rounding ends it before, on some processors at 1e-8: that is
    near enough, or the comparison fails.
    """
    X, codes = make_blobs(36, centers=k, cluster_std=2.5, random_state=1)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 36)
    model = KernelLogistic(Gaussian(2.0), 1e-3, fit_intercept=fit_intercept).fit(X, codes, weight)
    f = reference_scores(Gaussian(2.0).gram(X), codes, k, 1e-3, weight, fit_intercept)
    q = np.exp(np.column_stack([np.zeros(36), f]) if k == 2 else f)
    np.testing.assert_allclose(model.predict_proba(X), q / q.sum(axis=1, keepdims=True), atol=1e-5)


def test_on_two_moons_it_beats_the_linear_model():
    """F-06: median bandwidth, training accuracy above 0.95, better than linear logistic regression."""
    X, y = make_moons(300, noise=0.15, random_state=0)
    kernel = KernelLogistic().fit(X, y)
    linear = ERM(Logistic(), lam=1e-3).fit(X, 2.0 * y - 1)
    assert kernel.score(X, y) > 0.95
    assert kernel.score(X, y) > np.mean((linear.scores(X) > 0) == y) + 0.05
    unseen, truth = make_moons(1000, noise=0.15, random_state=1)
    assert kernel.score(unseen, truth) > 0.95


def test_lam_is_the_one_with_the_least_cross_validated_log_loss():
    """S-05: the curve equals refits on the folds."""
    X, y = make_moons(60, noise=0.3, random_state=0)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    kernel, lams = Gaussian(0.8), [1e-7, 1e-4, 1e-2, 1.0]
    model = KernelLogistic(kernel, lams=lams, cv=folds).fit(X, y)
    refits = []
    for lam in model.lam_path_:
        losses = [
            -KernelLogistic(kernel, lam).fit(X[a], y[a]).predict_log_proba(X[b])[np.arange(len(b)), y[b]]
            for a, b in folds
        ]
        refits.append(np.mean(np.concatenate(losses)))
    np.testing.assert_allclose(model.criterion_path_, refits, atol=1e-3)
    assert model.lam_ == model.lam_path_[np.argmin(refits)]
    given = model.set_params(lam=0.1, lams=None).fit(X, y)
    assert given.selection_ is None
    assert not hasattr(given, "lam_path_")


def test_two_classes_by_softmax_would_be_half_the_lam():
    """The scores of softmax are ``-f/2`` and ``f/2``: half the squared norm in all."""
    X, y = make_blobs(30, centers=3, random_state=0, cluster_std=3.0)
    two = y < 2
    binary = KernelLogistic(Gaussian(1.0), 0.01).fit(X[two], y[two])
    from surefit import KernelERM
    from surefit.objective import SoftmaxCrossEntropy

    softmax = KernelERM(SoftmaxCrossEntropy(), Gaussian(1.0), 0.02).fit(X[two], y[two])
    np.testing.assert_allclose(softmax.decision_function(X), binary.decision_function(X), atol=1e-7)


def test_with_a_huge_penalty_the_offset_alone_is_the_class_frequencies():
    X, y = make_blobs([10, 20, 30], random_state=0)
    model = KernelLogistic(Gaussian(1.0), 1e8, fit_intercept=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[0], [1 / 6, 1 / 3, 1 / 2], atol=1e-6)


@pytest.mark.parametrize("k", [2, 3])
def test_duplicate_points_share_their_probability(k):
    """A singular Gram matrix: points of both classes at one place get the frequency there."""
    X, y = np.repeat([[0.0], [5.0], [9.0]], 4, axis=0), np.array([0, 0, 0, 1, 1, 1, 1, 0, 2, 2, 2, 1]) % k
    model = KernelLogistic(Gaussian(0.1), 1e-9).fit(X, y)
    frequencies = [np.bincount(y[i : i + 4], minlength=k) / 4 for i in (0, 4, 8)]
    np.testing.assert_allclose(model.predict_proba([[0.0], [5.0], [9.0]]), frequencies, atol=1e-3)
    assert model.solution_.status is Status.CONVERGED


def test_equal_rows_give_the_class_frequencies():
    X, y = np.ones((10, 2)), np.array([0] * 3 + [1] * 7)
    model = KernelLogistic(Gaussian(1.0), 0.1, fit_intercept=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[0], [0.3, 0.7], atol=1e-9)
    with pytest.raises(ValueError, match="all rows are equal"):
        KernelLogistic(lam=0.1).fit(X, y)
    with pytest.raises(ValueError, match="2 different rows"):
        KernelLogistic(Gaussian(1.0)).fit(X, y)


def test_one_class_and_one_point_are_refused():
    with pytest.raises(ValueError, match="one class only"):
        KernelLogistic(lam=0.1).fit(X1, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="one class only"):
        KernelLogistic(lam=0.1).fit(X1[:1], [1])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("bandwidth", [1e-8, 1e8])
def test_huge_and_tiny_bandwidths_have_their_limits(bandwidth, k):
    """Tiny: every point for itself, known nowhere else.  Huge: a constant function."""
    X, y = make_blobs(30, centers=k, random_state=0)
    model = KernelLogistic(Gaussian(bandwidth), 1e-3).fit(X, y)
    assert model.solution_.status is Status.CONVERGED
    if bandwidth < 1:
        np.testing.assert_allclose(model.predict_proba(X + 1.0), 1 / k)
        assert model.score(X, y) == 1.0
    else:
        np.testing.assert_allclose(model.predict_proba(X), 1 / k, atol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_separable_data_with_a_tiny_penalty_converge(k):
    X, y = make_blobs(40, centers=k, random_state=3, cluster_std=0.3)
    model = KernelLogistic(Gaussian(2.0), 1e-9).fit(X, y)
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.gap <= 1e-8
    assert model.score(X, y) == 1.0
    assert np.all(np.isfinite(model.predict_log_proba(100 * X)))


@pytest.mark.parametrize("lam", [1e-16, 1e-18, 1e-20])
def test_a_penalty_below_rounding_ends_converged_or_with_a_warning_and_an_honest_gap(lam):
    """Rounding decides which; the least risk falls with lam, so that of a larger lam bounds it from above."""
    X, y = make_moons(200, noise=0.2, random_state=0)
    larger = KernelLogistic(Gaussian(1.0), 1e-14).fit(X, y).solution_
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        solution = KernelLogistic(Gaussian(1.0), lam).fit(X, y).solution_
    assert solution.objective - solution.gap <= larger.objective
    if solution.status is Status.CONVERGED:
        assert not said
        assert solution.objective <= larger.objective
    else:
        assert "use a larger lam" in str(said[0].message)


def test_float32_goes_in_and_comes_out():
    X, y = make_moons(40, noise=0.2, random_state=0)
    model = KernelLogistic(Gaussian(0.5), 1e-3).fit(X.astype(np.float32), y)
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(
        model.predict_proba(X), KernelLogistic(Gaussian(0.5), 1e-3).fit(X, y).predict_proba(X), atol=1e-5
    )


def test_sparse_rows_are_taken_where_the_kernel_takes_them():
    from scipy import sparse

    X, y = make_moons(40, noise=0.2, random_state=0)
    dense, thin = (KernelLogistic(Polynomial(2), 1e-3).fit(rows, y) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), atol=1e-10)


def test_class_weights_are_sample_weights():
    """Of a class whose rows do not count, too."""
    X, y = make_blobs(90, centers=[[0, 0], [1, 1], [2, 0]], cluster_std=0.8, random_state=0)
    given = np.where(y == 1, 0.0, np.random.default_rng(0).uniform(0.5, 2.0, len(y)))
    for weight, factors in ((np.ones(90), {0: 6.0, 1: 0.5, 2: 1.0}), (given, {0: 2.0})):
        by_class = KernelLogistic(Gaussian(1.0), class_weight=factors).fit(X, y, weight)
        by_rows = KernelLogistic(Gaussian(1.0)).fit(X, y, weight * [factors.get(label, 1.0) for label in y.tolist()])
        np.testing.assert_allclose(by_class.lam_, by_rows.lam_, rtol=1e-9)
        np.testing.assert_allclose(by_class.predict_proba(X), by_rows.predict_proba(X), atol=1e-9)
    balanced = KernelLogistic(Gaussian(1.0), 1e6, class_weight="balanced").fit(X[:, :1], y > 1)
    np.testing.assert_allclose(balanced.predict_proba(X[:, :1]), 0.5, atol=1e-5)  # only the offset is left
    with pytest.raises(ValueError, match="fit_blocks takes no class_weight; let the weight column"):
        balanced.fit_blocks(np.column_stack([X, y]), "2")


def test_a_search_reaches_the_bandwidth():
    X, y = make_moons(60, noise=0.2, random_state=0)
    search = GridSearchCV(KernelLogistic(Gaussian(1.0), 1e-3), {"kernel__bandwidth": [0.3, 100.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel__bandwidth": 0.3}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0.0}, "lam must be finite and > 0"),
        ({"lam": -1.0}, "a tiny lam interpolates"),
        ({"lams": [0.0, 1.0]}, "lams must be a list of finite numbers > 0"),
        ({"kernel": 3}, "such as Gaussian"),
        ({"solver": "fast"}, "'auto', 'exact', 'nystroem'"),
        ({"cv": 1}, "at least 2 folds"),
    ],
)
def test_wrong_parameters_are_refused_with_a_remedy(parameters, message):
    with pytest.raises(ValueError, match=message):
        KernelLogistic(**parameters).fit(X1, [0, 1, 0, 1])


def test_predicting_before_fitting_is_refused():
    with pytest.raises(NotFittedError):
        KernelLogistic().predict(X1)


def test_no_warning_comes_from_scores_beyond_the_range_of_exp():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelLogistic(Linear(), 1e-6).fit([[-1.0], [1.0]], ["a", "b"])
        assert model.predict_proba([[1e6], [-1e6]]).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_a_lam_of_next_to_nothing_is_told_once_and_by_us():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        KernelLogistic(lam=1e-300).fit(X, X @ [1.0, 2.0, 3.0] + rng.normal(size=60) > 0)
    assert [one.category for one in said] == [ConvergenceWarning]
