"""The choice of lam: splitters that need groups, and what is said on the way."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut

from surefit import KernelERM, KernelLogistic, LogisticRegression
from surefit.data.design import Design
from surefit.estimators import lasso as sparse_estimators
from surefit.estimators.lasso import Lasso
from surefit.progress import reporting
from surefit.selection import lasso
from surefit.selection.lasso import LamChoice, fold_indices
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.solution import Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = X[:, 0] + RNG.normal(size=30)
GROUPS = np.arange(30) % 6


@pytest.mark.parametrize("splitter", [GroupKFold(3), LeaveOneGroupOut()], ids=lambda one: type(one).__name__)
def test_a_splitter_by_groups_is_told_how_to_get_them(splitter):
    """S-05: fit takes no groups, a list of splits holds them."""
    with pytest.raises(ValueError, match=r"pass the splits as a list: cv=list\(.*\.split\(X, y, groups\)\)"):
        Lasso(cv=splitter).fit(X, Y)
    assert Lasso(cv=list(splitter.split(X, Y, GROUPS))).fit(X, Y).lam_ > 0


def test_other_errors_of_a_splitter_are_its_own():
    with pytest.raises(ValueError, match="n_splits=31"):
        Lasso(cv=KFold(31)).fit(X, Y)


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


def test_few_rows_are_left_out_one_by_one_by_the_default_number_of_folds():
    assert len(list(fold_indices(Design.of(X[:7]), Y[:7], 10, 0))) == 7


@pytest.mark.parametrize("entries", [0, 10**9])
def test_every_fold_is_reported_threads_or_not(monkeypatch, entries):
    monkeypatch.setattr(lasso, "WORTH_A_THREAD", entries)
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        Lasso(cv=5).fit(X, Y)
    folds = [(one.step, one.total, one.error) for one in said if one.task == "choosing lam"]
    assert folds == [(k, 5, 5.0 - k) for k in range(1, 6)]


def test_only_the_lam_in_use_can_warn(monkeypatch):
    """A solution elsewhere on the path that did not converge is no concern of who does not use it."""
    X = np.random.default_rng(0).normal(size=(30, 4))
    y = 5.0 * X[:, 0] + X[:, 1] ** 2
    full = sparse_estimators.solve_path
    hurt = [Status.CONVERGED]

    def with_failures(design, target, lams, penalty, **settings):
        path = full(design, target, lams, penalty, **settings)
        used = [Status.MAX_ITER] * len(lams)
        used[int(np.argmin(np.abs(path.lams - 0.5)))] = hurt[0]
        return replace(path, statuses=tuple(used))

    monkeypatch.setattr(sparse_estimators, "solve_path", with_failures)
    model = Lasso(lams=[0.5, 100.0], criterion="bic", variance=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.fit(X, y).solution_.status is Status.CONVERGED
    hurt[0] = Status.ROUNDING
    with pytest.warns(ConvergenceWarning, match="rounding hides further progress"):
        model.fit(X, y)


def test_folds_count_by_the_weight_of_their_rows():
    """Catalogue S-05: a fold of weight 3 is worth three of weight 1, in the mean and in its standard error."""
    lams, errors = np.array([2.0, 1.0]), np.array([[1.0, 5.0], [4.0, 1.0]])
    choice = LamChoice.over_folds(lams, errors, [3.0, 1.0])
    np.testing.assert_allclose(choice.curve, [1.75, 4.0])
    np.testing.assert_allclose(choice.se, np.sqrt([(3 * 0.75**2 + 2.25**2) / 4, (3 * 1.0 + 9.0) / 4]))
    assert choice.lam_min == 2.0


def test_one_fold_has_no_standard_error():
    choice = LamChoice.over_folds(np.array([2.0, 1.0]), [[1.0, 5.0]], [3.0])
    assert np.all(np.isnan(choice.se))
    assert choice.lam_one_se == choice.lam_min == 2.0


@pytest.mark.parametrize("start", [1.7e12, 1.7e15], ids=["milliseconds", "microseconds"])
def test_close_rows_are_different_rows(start):
    """S-05: a thousand timestamps a second are a thousand rows, and folds do not depend on where time begins."""
    ticks, labels = np.arange(200.0), (np.arange(200) % 7 < 3) * 1.0
    groups = lasso.equal_rows(Design.of(start + ticks[:, None]), labels)
    assert sorted(groups) == list(range(200))
    order = np.random.default_rng(1).permutation(200)
    np.testing.assert_array_equal(lasso.equal_rows(Design.of(start + ticks[order, None]), labels[order]), groups[order])


def test_timestamps_get_the_folds_of_the_time_since_the_first():
    """S-05: the error of the best constant, held out in ten folds that mix the labels."""
    ticks, labels = np.arange(200.0)[:, None], (np.arange(200) % 7 < 3) * 1.0
    late, early = Lasso().fit(1.7e12 + ticks, labels), Lasso().fit(ticks, labels)
    assert late.criterion_path_[0] == pytest.approx(early.criterion_path_[0], rel=0.02)


def test_targets_far_from_zero_are_told_apart():
    flat = Lasso(lams=[1.0]).fit(np.ones((200, 1)), 1e9 + 1e-4 * (np.arange(200) % 2))
    assert flat.criterion_path_[0] > 0


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_equal_rows_are_found_in_every_layout(layout):
    twice = np.vstack([X, X[::-1]])
    groups = lasso.equal_rows(Design.of(layout(twice)), np.append(Y, Y[::-1]))
    np.testing.assert_array_equal(groups[:30], groups[:29:-1])
    np.testing.assert_array_equal(groups, lasso.equal_rows(Design.of(twice), np.append(Y, Y[::-1])))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_lasso_degrees_of_freedom_are_the_rank_of_the_support(make):
    """S-01, S-02: three columns of a plane are two degrees of freedom, and a column stored twice is one."""
    rng = np.random.default_rng(0)
    B = rng.normal(size=(30, 2))
    y = B[:, 0] + 0.3 * B[:, 1] + 0.3 * rng.normal(size=30)
    columns = make(np.c_[B, B[:, 0] + B[:, 1], B[:, 0] - B[:, 1]])
    fit = Lasso(criterion="bic").fit(columns, y)
    assert fit.dof_path_.max() == 3.0
    spread = replace(fit.path_, coefs=np.add(fit.path_.coefs, [0.1, 0.1, -0.1, 0.0]))  # the same fits, on three columns
    dof = lasso.degrees_of_freedom(Design.of(columns), spread, SparsePenalty(), fit_intercept=True)
    assert set(dof.tolist()) == {3.0}
    twice = Lasso(criterion="bic", penalty_weights=[0.0, 0.0, 1.0], lams=[1e3]).fit(make(B[:, [0, 0, 1]]), y)
    assert twice.dof_path_.tolist() == [2.0]


@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 0, 1, 2, 3], [0, 1, 2, 3] * 12])
def test_the_variance_for_cp_counts_a_column_once(columns):
    """S-01: the noise of the full model, whatever its columns are stored as, with more of them than rows too."""
    once, again = (lasso.full_model_variance(Design.of(table), Y, True, "") for table in (X, X[:, columns]))
    assert again == pytest.approx(once, rel=1e-10)
