"""The choice of lam of a lasso: folds that count by weight, degrees of freedom, the noise of Cp."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from surefit.data.design import Design
from surefit.estimators import lasso as sparse_estimators
from surefit.estimators.lasso import Lasso
from surefit.selection import lasso
from surefit.selection.lasso import LamChoice
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.solution import Status

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
