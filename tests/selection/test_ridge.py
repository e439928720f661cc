"""Ridge and kernel ridge judged by rows left out: exactly, one by one, or in folds."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge as Peer
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut

from surefit import KernelRidge, Ridge
from surefit.data.design import Design
from surefit.kernels import Gaussian, Laplace, Linear
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.fit.loo import exact_loo, loo_curve_with_error

pytestmark = pytest.mark.filterwarnings("ignore:.*lam of its grid:surefit.warnings.ChoiceWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(45, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * RNG.normal(size=45)
LAMS = [1.0, 0.1, 0.01]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("targets", [Y, np.column_stack([Y, -3 * Y + X[:, 2]])], ids=["one", "two"])
def test_folds_of_ridge_are_refits_on_the_other_rows(form, targets):
    """S-05: the same lam against the mean over fewer rows."""
    folds = KFold(4)
    model = Ridge(lams=LAMS, criterion="cv", cv=folds).fit(form(X), targets)
    for lam, found, se in zip(LAMS, model.criterion_path_, model.criterion_se_, strict=True):
        errors, sizes = [], []
        for train, test in folds.split(X):
            peer = Peer(alpha=lam * len(train)).fit(X[train], targets[train])
            errors.append(np.mean((peer.predict(X[test]) - targets[test]) ** 2))
            sizes.append(len(test) / 45)
        assert found == pytest.approx(np.dot(sizes, errors), rel=1e-9)
        assert se == pytest.approx(np.sqrt(np.dot(sizes, (errors - found) ** 2) / 3), rel=1e-7)


@pytest.mark.parametrize("offset", [True, False])
def test_folds_of_kernel_ridge_are_refits_on_the_other_rows(offset):
    """S-05, also where rows of equal features have different targets."""
    rows, targets = np.vstack([X, X[:5]]), np.append(Y, Y[:5] + 1.0)
    folds, kernel = list(KFold(3, shuffle=True, random_state=0).split(rows)), Gaussian(1.0)
    model = KernelRidge(kernel, lams=LAMS, criterion="cv", cv=folds, fit_intercept=offset).fit(rows, targets)
    for lam, found in zip(LAMS, model.criterion_path_, strict=True):
        errors = [
            (KernelRidge(kernel, lam, fit_intercept=offset).fit(rows[a], targets[a]).predict(rows[b]) - targets[b]) ** 2
            for a, b in folds
        ]
        assert found == pytest.approx(np.mean(np.concatenate(errors)), rel=1e-8)
    assert model.lam_ == LAMS[int(np.argmin(model.criterion_path_))]


def test_folds_on_landmarks_are_folds_of_the_features():
    model = KernelRidge(Linear(), lams=LAMS, criterion="cv", cv=KFold(3), solver="nystroem", n_landmarks=45)
    whole = Ridge(lams=LAMS, criterion="cv", cv=KFold(3))
    np.testing.assert_allclose(model.fit(X, Y).criterion_path_, whole.fit(X, Y).criterion_path_, rtol=1e-6)
    assert model.selection_.chosen_by == "cross-validation of a rank-3 approximation"


def test_leaving_out_one_row_in_each_fold_is_leave_one_out_at_the_same_sum():
    """S-03, S-05: leave-one-out keeps ``n * lam``, folds keep ``lam``."""
    by_loo = Ridge(lams=LAMS).fit(X, Y)
    by_folds = Ridge(lams=np.multiply(LAMS, 45 / 44), criterion="cv", cv=LeaveOneOut()).fit(X, Y)
    np.testing.assert_allclose(by_loo.criterion_path_, by_folds.criterion_path_, rtol=1e-9)
    np.testing.assert_allclose(by_loo.criterion_se_, by_folds.criterion_se_, rtol=1e-7)
    np.testing.assert_allclose(by_loo.selection_.constant, by_folds.selection_.constant, rtol=1e-9)


def test_the_standard_error_of_leave_one_out_counts_weights_as_the_curve_does():
    weight = RNG.uniform(0.5, 2.0, 45)
    factor = spectral_factor(Design.of(X, weight), True)
    squares, share = exact_loo(factor, Y, [0.1])[0] ** 2, weight / weight.sum()
    curve, se = loo_curve_with_error(factor, Y, [0.1])
    assert curve[0] == pytest.approx(share @ squares)
    assert se[0] == pytest.approx(np.sqrt(share @ (squares - curve[0]) ** 2 / 44))


def test_rows_that_come_in_groups_need_folds_by_group():
    """A group of rows that differ by 1e-3 remembers its own effect: leave-one-out trusts it, folds do not."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), 8)
    rows = rng.normal(size=(12, 2))[groups] + 1e-3 * rng.normal(size=(96, 2))
    y = rng.normal(size=12)[groups] + 0.1 * rng.normal(size=96)
    splits = list(GroupKFold(6).split(rows, y, groups))
    one_by_one = KernelRidge(Gaussian(0.5)).fit(rows, y)
    together = KernelRidge(Gaussian(0.5), criterion="cv", cv=splits).fit(rows, y)
    assert one_by_one.criterion_path_.min() < 0.1 * together.criterion_path_.min()
    assert together.lam_ > 100 * one_by_one.lam_


def test_standardised_columns_and_weights_of_zero_take_part_in_folds():
    weight = np.ones(45)
    weight[::9] = 0.0
    scaled = X * [1.0, 1e-4, 1e5]
    one = Ridge(lams=LAMS, criterion="cv", standardise=True).fit(scaled, Y, weight)
    other = Ridge(lams=LAMS, criterion="cv", standardise=True).fit(X[weight > 0], Y[weight > 0])
    np.testing.assert_allclose(one.criterion_path_, other.criterion_path_, rtol=1e-8)


@pytest.mark.parametrize("targets", [1.0, 0.0])
def test_of_kernels_that_tie_the_first_is_chosen(targets):
    """S-11: levels that are all as far from each other are alike to every kernel, and rounding does not choose."""
    rng = np.random.default_rng(0)
    levels, y = np.eye(4)[rng.integers(0, 4, 40)], targets * rng.normal(size=40) + 1.0
    kernels = [Gaussian(1.0), Laplace(1.0), Linear(), Gaussian(2.0)]
    for order in (kernels, kernels[::-1], kernels[2:] + kernels[:2]):
        for rows in (np.arange(40), rng.permutation(40)):
            assert KernelRidge(order, fit_intercept=True).fit(levels[rows], y[rows]).kernel_ == order[0]


@pytest.mark.filterwarnings("ignore:.*rounding decides")
@pytest.mark.parametrize("seed", range(4))
def test_rounding_of_a_kernel_of_rows_far_from_zero_is_not_in_the_criterion(seed):
    """S-04: its values were rounded before they were centred, and the directions that this leaves are none."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40, 4))
    y = rows @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.normal(size=40)
    near = KernelRidge(Linear(), fit_intercept=True).fit(rows, y)
    far = KernelRidge(Linear(), fit_intercept=True).fit(rows + 1e4, y)
    np.testing.assert_allclose(far.criterion_path_, near.criterion_path_, rtol=1e-4)
