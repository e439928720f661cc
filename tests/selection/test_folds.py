"""Folds of cross-validation: classes spread evenly, equal rows together, the same ones in every model."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut

from surefit import KernelERM, KernelLogistic, LogisticRegression, Ridge
from surefit.data.design import Design
from surefit.estimators.lasso import Lasso
from surefit.progress import reporting
from surefit.selection import folds
from surefit.selection.folds import equal_rows, folds_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = X[:, 0] + RNG.normal(size=40)
CODES = np.array([0] * 10 + [1] * 30)
GROUPS = np.arange(40) % 6


def held_out(found):
    return [test.tolist() for _, test in found]


@pytest.mark.parametrize("labelled", [False, True])
def test_every_row_is_held_out_once_and_trained_on_otherwise(labelled):
    """S-05."""
    found = folds_of(Design.of(X), CODES if labelled else Y, 5, 0, labelled=labelled)
    assert sorted(np.concatenate([test for _, test in found])) == list(range(40))
    assert all(len(np.intersect1d(train, test)) == 0 and len(train) + len(test) == 40 for train, test in found)


def test_every_fold_has_its_share_of_every_class():
    """S-05."""
    found = folds_of(Design.of(X), CODES, 5, 0, labelled=True)
    assert [np.bincount(CODES[test]).tolist() for _, test in found] == [[2, 6]] * 5


def test_the_names_of_classes_deal_no_other_folds():
    """The codes 0 and 1, the signs -1 and +1 and words are the same labels to every model."""
    plain = held_out(folds_of(Design.of(X), CODES, 5, 3, labelled=True))
    for labels in (2.0 * CODES - 1, np.where(CODES > 0, "yes", "no")):
        assert held_out(folds_of(Design.of(X), labels, 5, 3, labelled=True)) == plain


def test_a_class_of_one_row_is_never_held_out():
    codes = np.append(CODES[:-1], 2)
    assert all(39 in train for train, _ in folds_of(Design.of(X), codes, 5, 0, labelled=True))
    with pytest.raises(ValueError, match="needs a class with at least 2 different rows"):
        folds_of(Design.of(X[:3]), np.arange(3), 2, 0, labelled=True)


def test_rows_of_weight_zero_are_in_no_fold_and_positions_are_among_the_others():
    weight = np.ones(40)
    weight[:4] = 0.0
    found = folds_of(Design.of(X, weight), CODES, 3, 0, labelled=True)
    assert sorted(np.concatenate([test for _, test in found])) == list(range(36))
    given = folds_of(Design.of(X, weight), CODES, [(np.arange(20), np.arange(20, 40))], 0)
    assert given[0][0].tolist() == list(range(16))
    with pytest.raises(ValueError, match="no row of positive weight to fit on"):
        folds_of(Design.of(X, weight), CODES, [(np.arange(4), np.arange(4, 40))], 0)


@pytest.mark.parametrize("labelled", [False, True])
def test_equal_rows_stay_together_and_weights_are_copies(labelled):
    y = CODES if labelled else Y
    once = folds_of(Design.of(X, np.full(40, 2.0)), y, 5, 0, labelled=labelled)
    twice = folds_of(Design.of(np.vstack([X, X])), np.append(y, y), 5, 0, labelled=labelled)
    for (_, test), (_, both) in zip(once, twice, strict=True):
        assert sorted(both % 40) == sorted(np.append(test, test))


def test_the_order_of_the_rows_and_their_units_deal_no_other_folds():
    order = RNG.permutation(40)
    for rows in (X, X * [1e-6, 1.0, 1e9, 7.0]):
        moved = folds_of(Design.of(rows[order]), Y[order], 5, 0)
        plain = folds_of(Design.of(X), Y, 5, 0)
        assert [sorted(order[test]) for _, test in moved] == [sorted(test) for _, test in plain]


def test_targets_side_by_side_are_one_row():
    both = np.column_stack([Y, -Y])
    assert sorted(np.concatenate([test for _, test in folds_of(Design.of(X), both, 5, 0)])) == list(range(40))
    assert held_out(folds_of(Design.of(X), Y[:, None], 5, 0)) == held_out(folds_of(Design.of(X), Y, 5, 0))


def test_another_seed_deals_other_folds():
    assert held_out(folds_of(Design.of(X), Y, 5, 1)) != held_out(folds_of(Design.of(X), Y, 5, 0))


@pytest.mark.parametrize("splitter", [GroupKFold(3), LeaveOneGroupOut()], ids=lambda one: type(one).__name__)
def test_a_splitter_by_groups_is_told_how_to_get_them(splitter):
    """S-05: fit takes the groups, and a list of splits holds them."""
    with pytest.raises(ValueError, match=r"needs to know the groups; give them to fit: fit\(X, y, groups=groups\)"):
        Lasso(cv=splitter).fit(X, Y)
    as_list = Lasso(cv=list(splitter.split(X, Y, GROUPS))).fit(X, Y)
    assert Lasso(cv=splitter).fit(X, Y, groups=GROUPS).lam_ == as_list.lam_ > 0


@pytest.mark.parametrize("labelled", [True, False])
def test_groups_stay_together_in_folds_that_are_dealt(labelled):
    found = folds_of(Design.of(X), Y > 0 if labelled else Y, 3, 0, labelled=labelled, groups=GROUPS)
    assert sorted(np.concatenate([test for _, test in found])) == list(range(40))
    for train, test in found:
        assert not set(GROUPS[train]) & set(GROUPS[test])


@pytest.mark.parametrize(
    "model",
    [Lasso(cv=3), Ridge(criterion="cv", cv=3), KernelERM(cv=3), LogisticRegression(cv=3)],
    ids=lambda m: str(m)[:9],
)
def test_every_model_deals_whole_groups(model):
    """Groups that are the sign of a noise shared by their rows: with them apart, another lam is chosen on average."""
    y = Y > 0 if is_classifier(model) else Y
    grouped = model.fit(X, y, groups=GROUPS).criterion_path_.copy()
    assert not np.array_equal(grouped, model.fit(X, y).criterion_path_)


def test_more_folds_than_groups_are_refused():
    with pytest.raises(ValueError, match=r"cv=20 folds are more than the .* groups"):
        folds_of(Design.of(X), Y, 20, 0, groups=GROUPS)


def test_other_errors_of_a_splitter_are_its_own():
    with pytest.raises(ValueError, match="n_splits=41"):
        Lasso(cv=KFold(41)).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [Lasso(cv=29), KernelERM(cv=29), LogisticRegression(cv=29), KernelLogistic(cv=29)],
    ids=lambda m: str(m)[:9],
)
def test_more_folds_than_different_rows_are_refused_with_both_numbers(model):
    y = Y > 0 if is_classifier(model) else Y
    rows, targets = np.vstack([X[:28], X[:28]]), np.concatenate([y[:28], y[:28]])
    with pytest.raises(ValueError, match=r"^cv=29 folds are more than the 28 different rows; give at most cv=28"):
        model.fit(rows, targets)


def test_few_rows_are_left_out_one_by_one_by_a_usual_number_of_folds():
    assert len(folds_of(Design.of(X[:7]), Y[:7], 10, 0)) == 7


@pytest.mark.parametrize("entries", [0, 10**9])
def test_every_fold_is_reported_threads_or_not(monkeypatch, entries):
    monkeypatch.setattr(folds, "WORTH_A_THREAD", entries)
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        Lasso(cv=5).fit(X, Y)
    found = [one for one in said if one.task == "choosing lam"]
    assert [(one.step, one.total) for one in found] == [(k, 5) for k in range(1, 6)]
    assert all(np.isnan(one.error) for one in found)


@pytest.mark.parametrize("start", [1.7e12, 1.7e15], ids=["milliseconds", "microseconds"])
def test_close_rows_are_different_rows(start):
    """S-05: a thousand timestamps a second are a thousand rows, and folds do not depend on where time begins."""
    ticks, labels = np.arange(200.0), (np.arange(200) % 7 < 3) * 1.0
    groups = equal_rows(Design.of(start + ticks[:, None]), labels)
    assert sorted(groups) == list(range(200))
    order = np.random.default_rng(1).permutation(200)
    np.testing.assert_array_equal(equal_rows(Design.of(start + ticks[order, None]), labels[order]), groups[order])


def test_timestamps_get_the_folds_of_the_time_since_the_first():
    """S-05: the error of the best constant, held out in folds that mix the labels."""
    ticks, labels = np.arange(200.0)[:, None], (np.arange(200) % 7 < 3) * 1.0
    late, early = Lasso().fit(1.7e12 + ticks, labels), Lasso().fit(ticks, labels)
    assert late.criterion_path_[0] == pytest.approx(early.criterion_path_[0], rel=0.02)


def test_targets_far_from_zero_are_told_apart():
    flat = Lasso(lams=[1.0]).fit(np.ones((200, 1)), 1e9 + 1e-4 * (np.arange(200) % 2))
    assert flat.criterion_path_[0] > 0


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_equal_rows_are_found_in_every_layout(layout):
    twice, targets = np.vstack([X, X[::-1]]), np.append(Y, Y[::-1])
    groups = equal_rows(Design.of(layout(twice)), targets)
    np.testing.assert_array_equal(groups[:40], groups[:39:-1])
    np.testing.assert_array_equal(groups, equal_rows(Design.of(twice), targets))
