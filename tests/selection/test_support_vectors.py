"""The choice of lam for support vectors: the loss on held-out rows, by whatever way it is solved."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.model_selection import KFold, StratifiedKFold

from surefit import SVC, SVR
from surefit.kernels import Gaussian, Linear
from surefit.selection.support_vectors import soft_error
from surefit.solvers.support_vectors import limits

pytestmark = pytest.mark.filterwarnings("ignore:.*lam of its grid:surefit.warnings.ChoiceWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))
LABELS = np.where(X[:, 0] ** 2 + X[:, 1] + 0.5 * RNG.normal(size=90) > 0.5, "in", "out")
LAMS = [1.0, 0.1, 0.01, 1e-3, 1e-4]


def mistakes(model, rows, labels):
    return soft_error(np.where(labels == model.classes_[1], 1, -1), model.decision_function(rows))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_curve_of_two_classes_is_that_of_refits(weighted):
    """S-05."""
    weight = RNG.uniform(0.5, 2.0, 90) if weighted else np.ones(90)
    folds = list(StratifiedKFold(3).split(X, LABELS))
    model = SVC(Gaussian(1.0), lams=LAMS, cv=folds).fit(X, LABELS, weight)
    for lam, found in zip(LAMS, model.criterion_path_, strict=True):
        total = 0.0
        for a, b in folds:
            refit = SVC(Gaussian(1.0), lam).fit(X[a], LABELS[a], weight[a])
            total += weight[b] @ mistakes(refit, X[b], LABELS[b])
        assert found == pytest.approx(total / weight.sum(), rel=0.03)
    assert model.lam_ == model.lam_path_[np.argmin(model.criterion_path_)]


def test_the_curve_of_three_classes_is_averaged_over_pairs():
    rows, y = make_blobs(90, centers=3, cluster_std=2.5, random_state=1)
    folds = list(StratifiedKFold(3).split(rows, y))
    model = SVC(Gaussian(3.0), lams=LAMS, cv=folds).fit(rows, y)
    for lam, found in zip(LAMS, model.criterion_path_, strict=True):
        losses = []
        for a, b in folds:
            for first, second in ((0, 1), (0, 2), (1, 2)):
                inside, held = a[(y[a] == first) | (y[a] == second)], b[(y[b] == first) | (y[b] == second)]
                refit = SVC(Gaussian(3.0), lam * len(a) / len(inside)).fit(rows[inside], y[inside])
                losses.append(mistakes(refit, rows[held], y[held]))
        assert found == pytest.approx(np.mean(np.concatenate(losses)), rel=0.03)


@pytest.mark.parametrize(
    "model", [SVC(Gaussian(1.0)), SVC(Linear()), SVC(Gaussian(1.0), fit_intercept=False)], ids=repr
)
def test_without_room_for_the_shared_matrix_the_choice_is_the_same(model, monkeypatch):
    model.set_params(lams=LAMS)
    shared = model.fit(X, LABELS).criterion_path_
    monkeypatch.setattr(limits, "SHARED", 10)
    np.testing.assert_allclose(model.fit(X, LABELS).criterion_path_, shared, rtol=0.03)


def test_the_constant_is_the_majority_or_the_median():
    model = SVC(Gaussian(1.0), cv=KFold(2), lams=LAMS).fit(X, LABELS)
    halves = [(np.arange(45, 90), np.arange(45)), (np.arange(45), np.arange(45, 90))]
    names, signs = np.unique(LABELS), np.where(LABELS == "out", 1.0, -1.0)
    assert names[1] == "out"
    expected = np.mean([np.mean(signs[b] != np.sign(signs[a].sum())) for a, b in halves])
    assert model.selection_.constant == pytest.approx(expected)
    y = X[:, 0] + X[:, 1] ** 2
    tube = SVR(Gaussian(1.0), epsilon=0.2, cv=KFold(2), lams=LAMS).fit(X, y)
    expected = np.mean([np.maximum(np.abs(y[b] - np.median(y[a])) - 0.2, 0).mean() for a, b in halves])
    assert tube.selection_.constant == pytest.approx(expected, rel=0.02)


def test_a_fold_without_a_class_is_refused():
    splits = [(np.flatnonzero(LABELS == "in"), np.flatnonzero(LABELS == "out"))]
    with pytest.raises(ValueError, match="a fold leaves no row of some class to fit on; use stratified or fewer folds"):
        SVC(cv=splits).fit(X, LABELS)


def test_separable_classes_stop_where_the_penalty_no_longer_matters():
    rows, y = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    model = SVC().fit(rows, y)
    assert model.score(rows, y) == 1.0
    assert len(model.lam_path_) < 25


def test_copies_and_weights_choose_the_same_lam():
    weight = RNG.integers(1, 4, 90)
    one = SVC().fit(X, LABELS, weight)
    other = SVC().fit(np.repeat(X, weight, axis=0), np.repeat(LABELS, weight))
    assert one.lam_ == pytest.approx(other.lam_)
    np.testing.assert_allclose(one.criterion_path_, other.criterion_path_, rtol=0.03)


@pytest.mark.parametrize("seed", [0, 5])
def test_weights_and_copies_choose_the_same_tube_model(seed):
    """Candidates are solved well enough that the way rows are counted does not decide."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(200, 3))
    y = rows @ [1.0, 2.0, 3.0] + rng.normal(size=200)
    weight = rng.integers(0, 4, 200)
    one, other = SVR().fit(rows, y, weight), SVR().fit(np.repeat(rows, weight, axis=0), np.repeat(y, weight))
    assert one.lam_ == pytest.approx(other.lam_)
    length = min(len(one.criterion_path_), len(other.criterion_path_))
    np.testing.assert_allclose(one.criterion_path_[:length], other.criterion_path_[:length], rtol=0.02)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("loss", ["epsilon-insensitive", "quadratic"])
def test_targets_beyond_single_precision_choose_as_others_do(loss):
    y = X @ [1.0, 2.0] + 0.3 * np.random.default_rng(1).normal(size=90) + 5.0
    here = SVR(loss=loss).fit(X, y).predict(X)
    for unit in (1e-60, 1e38, 1e100):
        np.testing.assert_allclose(SVR(loss=loss).fit(X, unit * y).predict(X) / unit, here, atol=0.1)


@pytest.mark.parametrize("seed", [10, 12, 17, 39])
def test_counted_and_repeated_rows_are_judged_alike(seed):
    """Weights that rounding keeps from a bound once told an offset of which a whole interval is optimal."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 30))
    y, count = X[:, 0] + rng.normal(size=12), rng.integers(1, 4, 12)
    counted = SVR().fit(X, y, sample_weight=count)
    repeated = SVR().fit(np.repeat(X, count, 0), np.repeat(y, count))
    assert counted.lam_ == pytest.approx(repeated.lam_, rel=1e-9)
    np.testing.assert_allclose(counted.criterion_path_, repeated.criterion_path_, rtol=1e-4)
