"""The choice of lam of a lasso: folds that count by weight, degrees of freedom, the noise of Cp."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from surefit.data.design import Design
from surefit.estimators import lasso as sparse_estimators
from surefit.estimators.lasso import Lasso
from surefit.selection import lasso
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


@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 0, 1, 2, 3], [0, 1, 2, 3] * 12])
def test_the_variance_for_cp_counts_a_column_once(columns):
    """S-01: the noise of the full model, whatever its columns are stored as, with more of them than rows too."""
    once, again = (lasso.full_model_variance(Design.of(table), Y, True, "") for table in (X, X[:, columns]))
    assert again == pytest.approx(once, rel=1e-10)
