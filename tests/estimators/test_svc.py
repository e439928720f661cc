"""`SVC`: scikit-learn's contract, LIBSVM's answers for two and for more classes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.svm import SVC as LibSVC

from surefit import SVC, convert_lambda
from surefit.estimators.kinds import support_vectors
from surefit.kernels import Gaussian, Linear, Polynomial


def two_classes(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n) > 0, "yes", "no")


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, 1.0), Gaussian(1.3), Gaussian(1.0) + 0.5 * Linear()])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_scores_as_libsvm(kernel, weighted):
    X, y = two_classes()
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    model = SVC(kernel, convert_lambda(2.0, "sklearn.SVC", weight.sum()), max_violation=1e-7).fit(X, y, weight)
    K = kernel.gram(X)
    peer = LibSVC(kernel="precomputed", C=2.0, tol=1e-7).fit(K, y, weight)
    assert model.decision_function(X) == pytest.approx(peer.decision_function(K), abs=1e-4)
    assert np.array_equal(model.predict(X), peer.predict(K))
    assert model.solutions_[0].gap < 1e-6


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_three_classes_vote_as_libsvm_does(C):
    X, y = load_iris(return_X_y=True)
    model = SVC(Gaussian(1.0), convert_lambda(C, "sklearn.SVC", len(y)), max_violation=1e-7).fit(X, y)
    peer = LibSVC(C=C, gamma=0.5, tol=1e-7).fit(X, y)
    assert np.array_equal(model.predict(X), peer.predict(X))
    assert model.decision_function(X) == pytest.approx(peer.decision_function(X), abs=1e-4)
    assert np.array_equal(model.support_, np.sort(peer.support_))
    assert model.dual_coef_.shape == (3, len(model.support_))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0, 2: 0.5}])
def test_class_weights_are_those_of_libsvm(class_weight):
    X, y = load_iris(return_X_y=True)
    X, y = X[30:, :2], y[30:]  # twenty of one class and fifty of the others, which overlap
    factors = {0: 2.0, 1: 0.8, 2: 0.8} if class_weight == "balanced" else {1: 1.0, **class_weight}
    total = sum(factors[label] for label in y.tolist())
    lam = convert_lambda(1.0, "sklearn.SVC", total)
    model = SVC(Gaussian(1.0), lam, class_weight=class_weight, max_violation=1e-7).fit(X, y)
    peer = LibSVC(C=1.0, gamma=0.5, tol=1e-7, class_weight=class_weight).fit(X, y)
    assert model.decision_function(X) == pytest.approx(peer.decision_function(X), abs=1e-4)
    by_rows = SVC(Gaussian(1.0), class_weight=None).fit(X, y, [factors[label] for label in y])
    assert SVC(Gaussian(1.0), class_weight=class_weight).fit(X, y).lam_ == pytest.approx(by_rows.lam_, rel=1e-6)
    assert "class_weight lets a row count by its class" in str(model.certificate())
    assert "class_weight" not in str(SVC(Gaussian(1.0), lam).fit(X, y).certificate())


def test_many_rows_of_a_linear_kernel_are_solved_for_their_coefficients(monkeypatch):
    X, y = load_iris(return_X_y=True)
    dual = SVC(Linear(), 0.01, max_violation=1e-8).fit(X, y)
    monkeypatch.setattr(support_vectors, "SMALL", 30)
    primal = SVC(Linear(), 0.01, max_violation=1e-6).fit(sparse.csr_matrix(X), y)
    assert primal.coef_ == pytest.approx(dual.coef_, abs=1e-5)
    assert not hasattr(primal, "dual_coef_")
    assert np.array_equal(primal.predict(X), dual.predict(X))
    assert set(dual.support_) <= set(primal.support_)


def test_rows_far_on_the_wrong_side_of_a_linear_margin_are_support_vectors():
    """Those with t f(x) < -1 too: all of them carry the largest dual weight there is."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 3))
    y = np.where(X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=4000) > 0, 1, -1)
    model = SVC(Linear(), 1e-3).fit(X, y)
    margins = y * model.decision_function(X)
    assert not hasattr(model, "dual_coef_")
    assert np.sum(margins < -1) > 100
    assert np.array_equal(model.support_, np.flatnonzero(margins <= 1 + model.max_violation))
    peer = LibSVC(kernel="linear", C=1 / (2 * 4000 * 1e-3), tol=1e-6).fit(X, y)
    assert len(set(model.support_) ^ set(peer.support_)) <= 10
    assert model.certificate().inputs["k"] >= len(model.support_)


def test_weight_zero_may_remove_a_class():
    X, y = load_iris(return_X_y=True)
    model = SVC(Gaussian(1.0)).fit(X, y, (y != 1).astype(float))
    assert model.classes_.tolist() == [0, 2]
    assert set(model.predict(X)) <= {0, 2}
    with pytest.raises(ValueError, match="at least two classes"):
        SVC().fit(X, y, (y == 1).astype(float))


def test_a_multiple_of_the_kernel_multiplies_the_chosen_lam():
    """S-05: the grid begins at the mean of ``k(x, x)``, so the same functions are compared."""
    X, y = two_classes(50)
    plain, four = SVC(Gaussian(1.0)).fit(X, y), SVC(4.0 * Gaussian(1.0)).fit(X, y)
    np.testing.assert_allclose(four.lam_path_, 4 * plain.lam_path_)
    assert four.lam_ == pytest.approx(4 * plain.lam_)
    assert plain.lam_path_.min() < plain.lam_ < plain.lam_path_.max()
    assert plain.selection_.label == "Cross-validated soft error rate"


def test_separable_classes_have_margin_one():
    model = SVC(Linear(), lam=1e-4, max_violation=1e-8).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert model.decision_function([[1.0], [3.0]]) == pytest.approx([-1.0, 1.0], abs=1e-6)
    assert model.coef_[0] == pytest.approx([1.0], abs=1e-6)
    assert model.support_.tolist() == [1, 2]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-100, 1e99])
def test_units_of_the_columns_change_neither_gap_nor_objective(scale):
    X, y = np.array([[-2.2], [-2.3], [-9.0], [8.1], [-11.2]]), np.array([1, 0, 0, 1, 1])
    fit = lambda s: SVC(Linear(), 0.01 * s * s).fit(X * s, y).solutions_[0]
    base, found = fit(1.0), fit(scale)
    assert found.gap == pytest.approx(base.gap, rel=0.05, abs=2e-10)
    assert found.objective == pytest.approx(base.objective, rel=1e-8)
