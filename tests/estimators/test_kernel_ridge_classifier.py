"""KernelRidgeClassifier: scores against scikit-learn's, sets of labels against refits, what is promised and refused."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.kernel_ridge import KernelRidge as PeerKernelRidge
from sklearn.preprocessing import StandardScaler

from surefit import KernelRidge, KernelRidgeClassifier, calibrate, load, save
from surefit.data.design import Design
from surefit.kernels import Gaussian, Linear
from surefit.theory.intervals.class_sets import full_class_wanted, two_columns


def noisy(n, k, seed=0, names="abc"):
    """Rows of ``k`` classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    code = (X[:, 0] + 0.7 * rng.normal(size=n) > 0) * 1
    if k == 3:
        code = code + (X[:, 1] + rng.normal(size=n) > 0.8)
    return X, np.array(list(names))[code]


def signs_of(y):
    found = np.where(y[:, None] == np.unique(y), 1.0, -1.0)
    return found[:, 1] if found.shape[1] == 2 else found


@pytest.mark.parametrize("k", [2, 3])
def test_scores_are_scikit_learns_on_signs_and_the_largest_wins(k):
    X, y = noisy(60, k)
    model = KernelRidgeClassifier(Gaussian(1.0), 0.01, fit_intercept=False).fit(X, y)
    theirs = PeerKernelRidge(kernel="rbf", gamma=0.5, alpha=0.6).fit(X, signs_of(y)).predict(X + 0.1)
    np.testing.assert_allclose(model.decision_function(X + 0.1), theirs, atol=1e-10)
    wins = (theirs > 0).astype(int) if k == 2 else theirs.argmax(axis=1)
    assert model.predict(X + 0.1).tolist() == model.classes_[wins].tolist()


@pytest.mark.parametrize("k", [2, 3])
def test_lam_and_kernel_are_chosen_as_kernel_ridge_chooses_them_on_signs(k):
    X, y = noisy(70, k)
    kernels, lams = [Gaussian(0.3), Gaussian(1.5), Linear()], np.geomspace(1e-4, 10, 12)
    model = KernelRidgeClassifier(kernels, lams=lams).fit(X, y)
    numbers = KernelRidge(kernels, lams=lams).fit(X, signs_of(y))
    assert (model.lam_, model.kernel_) == (numbers.lam_, numbers.kernel_)
    np.testing.assert_allclose(model.criterion_path_, numbers.criterion_path_, rtol=1e-12)
    assert model.selection_.criterion == "loo"


def by_refits(values_of, X, label, new, wanted):
    """Which labels of one new row are not strange: one refit for each label and each row that is left out."""
    K, found = label.max() + 1, []
    for k in range(K):
        rows, labels, scores = np.vstack([X, new]), np.append(label, k), []
        for i in range(len(rows)):
            keep = np.arange(len(rows)) != i
            values = values_of(rows[keep], labels[keep], rows[[i]])
            own = values[labels[i]]
            strange = -np.inf if own >= values.max() else 1 - own
            scores.append(np.inf if np.sum(labels == labels[i]) == 1 else strange)
        found.append(np.sum(np.array(scores[:-1]) >= scores[-1] - 1e-9) >= wanted)
    return found


def by_signs(rows, labels, new):
    """Indicators from the model's own scores, with an offset, at the same sum of penalties."""
    scores = KernelRidgeClassifier(Gaussian(1.0), 0.8 / len(rows)).fit(rows, labels).decision_function(new)[0]
    signs = np.array([-scores, scores]) if np.ndim(scores) == 0 else scores
    return (signs + 1) / 2


def by_indicators(rows, labels, new):
    """scikit-learn's kernel ridge on indicators, without an offset."""
    targets = np.eye(labels.max() + 1)[labels]
    return PeerKernelRidge(kernel="rbf", gamma=0.5, alpha=0.8).fit(rows, targets).predict(new)[0]


@pytest.mark.parametrize(("values_of", "intercept"), [(by_signs, True), (by_indicators, False)])
@pytest.mark.parametrize("k", [2, 3])
def test_sets_are_those_of_a_refit_for_every_label_and_every_row_left_out(k, values_of, intercept):
    X, y = noisy(18, k, seed=2)
    new, label = np.random.default_rng(5).normal(size=(4, 2)), np.unique(y, return_inverse=True)[1]
    found = KernelRidgeClassifier(Gaussian(1.0), 0.8 / 18, fit_intercept=intercept).fit(X, y).predict_set(new, 0.75)
    wanted = full_class_wanted(18, 0.75)
    assert found.member.tolist() == [by_refits(values_of, X, label, row, wanted) for row in new]
    assert 1 < found.size.mean() < k


def from_training_scores(model, X, y, new):
    """The sabotage: the scores of training rows in the fit that has seen them, as if they were new."""
    own = two_columns(model.decision_function(X))[np.arange(len(X)), np.searchsorted(model.classes_, y)]
    least = np.sort(own)[int(0.2 * (len(X) + 1)) - 1]
    return model.classes_[two_columns(model.decision_function(new))[0] >= least]


@pytest.mark.verify
def test_sets_have_the_label_as_often_as_promised_and_training_scores_do_not(protocol):
    """One new row a sample; a right promise is accused with probability below 1e-4."""
    R, missed, wrong = protocol.of(200), 0, 0
    for seed in range(R):
        X, y = noisy(41, 3, seed=1000 + seed)
        model = KernelRidgeClassifier(Gaussian(0.5), 1e-3).fit(X[:-1], y[:-1])
        missed += not model.predict_set(X[-1:], 0.8).contains(y[-1:])[0]
        wrong += y[-1] not in from_training_scores(model, X[:-1], y[:-1], X[-1:])
    assert missed <= protocol.allowed(R, 0.2)
    assert wrong > protocol.allowed(R, 0.2)


def test_what_was_chosen_on_the_same_rows_breaks_the_promise_and_a_hold_out_mends_it():
    X, y = noisy(300, 2)
    given = KernelRidgeClassifier(Gaussian(1.0), 0.01).fit(X[:100], y[:100]).predict_set(X[200:])
    assert (given.guaranteed, given.broken, given.method) == (0.9, (), "full conformal")
    assert given.contains(y[200:]).mean() > 0.8
    model = KernelRidgeClassifier(Gaussian(1.0)).fit(X[:100], y[:100])
    chosen = model.predict_set(X[200:])
    assert (chosen.guaranteed, chosen.broken) == (0.0, ("lam was chosen on the same rows",))
    assert "surefit.calibrate(model, X_new, y_new)" in chosen.statement
    scaled = KernelRidgeClassifier(lam=0.01).fit(X[:100], y[:100]).predict_set(X[200:])
    assert scaled.broken == ("the kernel was chosen or scaled on the same rows",)
    assert calibrate(model, X[100:200], y[100:200]).predict_set(X[200:]).guaranteed == 0.9


def test_copies_break_the_promise_unless_they_are_declared_to_be_draws():
    X, y = noisy(60, 2)
    model = KernelRidgeClassifier(Gaussian(1.0), 0.01).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert "60 of 120 training rows equal another" in model.predict_set(X).statement
    assert model.predict_set(X, equal_rows_are_draws=True).guaranteed == 0.9


def test_weights_are_repeated_rows_and_class_weights_are_weights():
    X, y = noisy(40, 3)
    weight = np.random.default_rng(1).integers(0, 3, 40)
    weighted = KernelRidgeClassifier(Gaussian(1.0), lams=[0.01, 0.1]).fit(X, y, weight)
    copied = KernelRidgeClassifier(Gaussian(1.0), lams=[0.01, 0.1]).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    assert weighted.lam_ == copied.lam_
    np.testing.assert_allclose(weighted.decision_function(X), copied.decision_function(X), atol=1e-9)
    share = {label: 40 / (3 * np.sum(y == label)) for label in "abc"}
    balanced = KernelRidgeClassifier(Gaussian(1.0), 0.1, class_weight="balanced").fit(X, y)
    by_rows = KernelRidgeClassifier(Gaussian(1.0), 0.1).fit(X, y, [share[label] for label in y])
    np.testing.assert_allclose(balanced.decision_function(X), by_rows.decision_function(X), atol=1e-9)
    for model in (balanced, by_rows):
        with pytest.raises(ValueError, match=r"unequal sample_weight or class_weight are not exchangeable.*calibrate"):
            model.predict_set(X)


def test_a_class_of_rows_that_do_not_count_is_no_class():
    X, y = noisy(40, 3)
    model = KernelRidgeClassifier(Gaussian(1.0), 0.1, class_weight="balanced").fit(X, y, (y != "b").astype(float))
    assert model.classes_.tolist() == ["a", "c"]
    assert model.decision_function(X).shape == (40,)
    with pytest.raises(ValueError, match="at least two classes"):
        KernelRidgeClassifier().fit(X, y, (y == "b").astype(float))


@pytest.mark.parametrize("k", [2, 3])
def test_a_stored_model_gives_the_same_sets(k, tmp_path):
    X, y = noisy(40, k)
    model = KernelRidgeClassifier(Gaussian(1.0), 0.05).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    one, other = model.predict_set(X + 0.2, 0.8), again.predict_set(X + 0.2, 0.8)
    np.testing.assert_array_equal(one.member, other.member)
    assert one.statement == other.statement


def test_landmarks_are_drawn_from_the_rows_and_their_sets_do_not_travel(tmp_path):
    X, y = noisy(60, 2)
    model = KernelRidgeClassifier(Gaussian(1.0), 0.05, solver="nystroem", n_landmarks=60).fit(X, y)
    exact = KernelRidgeClassifier(Gaussian(1.0), 0.05).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=1e-6)
    assert model.predict_set(X).broken == ("the landmarks were drawn from the training rows",)
    save(model, tmp_path / "model")
    with pytest.raises(ValueError, match=r"do not travel with a stored model; fit again, or use surefit\.calibrate"):
        load(tmp_path / "model").predict_set(X)


def test_sets_need_rows_that_are_still_there_and_enough_of_them():
    X, y = noisy(30, 2)
    model = KernelRidgeClassifier(Gaussian(1.0), 0.05).fit(X, y)
    with pytest.raises(ValueError, match="30 rows are too few"):
        model.predict_set(X, 0.99)
    with pytest.raises(ValueError, match="coverage"):
        model.predict_set(X, 90)
    X[0] += 1.0
    with pytest.raises(ValueError, match="changed in place since the fit; fit again to have its sets"):
        model.predict_set(X)


def test_sparse_rows_give_the_sets_of_dense_ones():
    X, y = noisy(30, 2)
    dense = KernelRidgeClassifier(Linear(), 0.1).fit(X, y)
    thin = KernelRidgeClassifier(Linear(), 0.1).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(thin.predict_set(sparse.csr_array(X)).member, dense.predict_set(X).member)


def test_two_classes_are_certified_by_their_margin_and_several_by_a_hold_out():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = KernelRidgeClassifier(Gaussian(20.0), 0.01).fit(X, y)
    assert model.certificate().method == "rademacher, margin"
    assert model.certificate().bound >= np.mean(model.predict(X) != y)
    tuned = KernelRidgeClassifier(lam=0.01).fit(X, y).certificate()
    assert "the kernel was scaled on the same rows" in tuned.statement
    flowers, kind = load_iris(return_X_y=True)
    three = KernelRidgeClassifier(Gaussian(1.0), 0.001)
    assert three.fit(flowers, kind).certificate().bound == 1.0
    assert three.fit(flowers, kind, certify=0.4).certificate().bound < 0.3


def test_folds_spread_the_classes():
    """A class of as many rows as folds is in all of them, so that none is judged without it."""
    X, y = noisy(60, 2)
    y = np.array(["rare" if i % 12 == 0 else label for i, label in enumerate(y)])
    model = KernelRidgeClassifier(Gaussian(1.0), lams=[0.01, 0.1], criterion="cv", cv=5)
    folds = model._folds(Design.of(X), np.unique(y, return_inverse=True)[1], labelled=True)
    assert [set(y[test]) for _, test in folds] == [{"a", "b", "rare"}] * 5
    assert model.fit(X, y).selection_.criterion == "cv"
