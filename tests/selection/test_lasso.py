"""The choice of lam of a lasso: folds that count by weight, degrees of freedom, the noise of Cp."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from surefit.data.design import Design
from surefit.estimators import lasso as sparse_estimators
from surefit.estimators.lasso import Lasso
from surefit.estimators.least_squares import LeastSquares
from surefit.selection import lasso
from surefit.solvers.solution import Status
from tests.estimators.test_lasso import table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = X[:, 0] + RNG.normal(size=30)


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


@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 0, 1, 2, 3], [0, 1, 2, 3] * 12])
def test_the_variance_for_cp_counts_a_column_once(columns):
    """S-01: the noise of the full model, whatever its columns are stored as, with more of them than rows too."""
    once, again = (lasso.full_model_variance(Design.of(table), Y, True, "") for table in (X, X[:, columns]))
    assert again == pytest.approx(once, rel=1e-10)


@pytest.mark.parametrize("criterion", ["aic", "bic", "cp"])
def test_information_criteria_count_the_nonzeros(criterion):
    """Catalogue S-01, S-02 with the lasso's degrees of freedom, intercept included."""
    X, y = table()
    model = Lasso(criterion=criterion).fit(X, y)
    path, n = model.path_, 60
    rss = np.array([np.sum((y - X @ w - b) ** 2) for w, b in zip(path.coefs, path.intercepts, strict=True)])
    dof = np.count_nonzero(path.coefs, axis=1) + 1
    np.testing.assert_array_equal(model.dof_path_, dof)
    profiled = n * (np.log(2 * np.pi * rss / n) + 1)
    variance = np.sum((y - LeastSquares().fit(X, y).predict(X)) ** 2) / (n - 9)
    expected = {"aic": profiled + 2 * dof, "bic": profiled + np.log(n) * dof, "cp": rss + 2 * dof * variance}[criterion]
    np.testing.assert_allclose(model.criterion_path_, expected, rtol=1e-9)
    ties = expected <= expected.min() + 1e-6 * min(n, 10 * abs(expected.min()))
    assert model.lam_ == path.lams[ties].max()
    assert np.all(np.isnan(model.criterion_se_))
    assert model.lam_1se_ == model.lam_min_


def test_cp_with_more_columns_than_rows_needs_a_variance():
    X, y = table(n=10, d=20)
    with pytest.raises(ValueError, match="give variance, or use criterion='cv' or 'bic'"):
        Lasso(criterion="cp").fit(X, y)
    assert np.isfinite(Lasso(criterion="cp", variance=1.0).fit(X, y).criterion_path_).any()


@pytest.mark.filterwarnings("error")
@pytest.mark.filterwarnings("ignore::surefit.ChoiceWarning")
@pytest.mark.parametrize("criterion", ["cv", "bic"])
def test_huge_targets_choose_as_others_do_without_a_warning_of_numpy(criterion):
    here, there = (Lasso(criterion=criterion).fit(X, unit * Y) for unit in (1.0, 1e100))
    assert there.lam_ / 1e100 == pytest.approx(here.lam_, rel=1e-6)


@pytest.mark.filterwarnings("ignore::surefit.ChoiceWarning")
@pytest.mark.parametrize("criterion", ["cv", "bic"])
def test_columns_far_from_zero_are_judged_as_near_it(criterion):
    """One of small spread has a coefficient so large that its products would be rounded by more than ties allow."""
    rng = np.random.default_rng(1)
    X = np.round(2.0**20 * rng.normal(size=(40, 3))) / 2.0**20 * [2.0**-10, 1.0, 1.0]  # exact also when shifted
    y = 2.0**11 * X[:, 0] + X[:, 1] + rng.normal(size=40)
    folds, lams = list(KFold(4).split(X)), np.geomspace(1.0, 1e-7, 30)
    near, far = (Lasso(criterion=criterion, lams=lams, cv=folds).fit(A, y) for A in (X, X + 2.0**22))
    np.testing.assert_allclose(far.criterion_path_, near.criterion_path_, rtol=1e-9)
