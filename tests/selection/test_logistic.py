"""The choice of lam of logistic regression, by folds and by approximate leave-one-out."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, LeaveOneGroupOut

from surefit import LogisticRegression
from tests.estimators.test_logistic import overlapping


@pytest.mark.parametrize("k", [2, 3])
def test_approximate_leave_one_out_does_not_move_with_the_origin_of_a_column(k):
    """The Hessian in the user's units has no digits left where means dwarf spreads."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = (X[:, 0] + rng.logistic(size=200) > 0) * 1 + (X[:, 1] > 0.7) * (k > 2)
    here, there = (LogisticRegression(criterion="approximate_loo").fit(X + move, y) for move in (0.0, 1e6))
    assert there.lam_ == pytest.approx(here.lam_, rel=1e-3)
    np.testing.assert_allclose(there.criterion_path_, here.criterion_path_, rtol=1e-4)


@pytest.mark.parametrize("criterion", ["cv", "approximate_loo"])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_lam_is_chosen_along_a_path(criterion, l1_ratio):
    X, y = overlapping(2, d=6)
    model = LogisticRegression(criterion=criterion, l1_ratio=l1_ratio).fit(X, y)
    curve = model.criterion_path_
    assert model.lam_ == model.lam_min_ == model.lam_path_[curve <= (1 + 1e-5) * curve.min()].max()
    assert model.path_.coefs.shape == (len(curve), 1, 6)
    at = np.flatnonzero(model.lam_path_ == model.lam_)[0]
    np.testing.assert_allclose(model.path_.coefs[at], model.coef_, atol=1e-3)
    assert model.lam_1se_ >= model.lam_min_


def test_held_out_loss_is_that_of_single_fits():
    X, y = overlapping(3)
    lams = [0.1, 0.01]
    model = LogisticRegression(lams=lams, cv=KFold(3)).fit(X, y)
    for lam, curve in zip(lams, model.criterion_path_, strict=True):
        losses = []
        for train, test in KFold(3).split(X):
            fold = LogisticRegression(lam).fit(X[train], y[train])
            losses.append(-fold.predict_log_proba(X[test])[np.arange(len(test)), y[test]].mean())
        assert curve == pytest.approx(np.mean(losses), rel=1e-7)


def test_groups_are_passed_as_splits_even_with_rows_of_weight_zero():
    X, y = overlapping(2)
    groups, weight = np.arange(len(y)) % 4, (np.arange(len(y)) % 7 > 0).astype(float)
    splits = list(LeaveOneGroupOut().split(X, y, groups))
    model = LogisticRegression(lams=[0.1, 0.01], cv=splits).fit(X, y, sample_weight=weight)
    kept = weight > 0
    fewer = list(LeaveOneGroupOut().split(X[kept], y[kept], groups[kept]))
    same = LogisticRegression(lams=[0.1, 0.01], cv=fewer).fit(X[kept], y[kept])
    np.testing.assert_allclose(model.criterion_path_, same.criterion_path_, rtol=1e-9)


@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_order_of_few_rows_does_not_move_the_criterion(classes, standardise):
    """Losses of two orders once differed by more than counts as a tie."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y, order = np.argmax(X[:, :classes] + 0.5 * rng.gumbel(size=(60, classes)), axis=1), rng.permutation(60)
    one, other = (LogisticRegression(standardise=standardise).fit(*rows) for rows in ((X, y), (X[order], y[order])))
    np.testing.assert_allclose(other.criterion_path_, one.criterion_path_, rtol=1e-10)
    assert other.lam_ == pytest.approx(one.lam_, rel=1e-9)
