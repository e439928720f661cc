"""The choice of lam: splitters that need groups, and what is said on the way."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut

from surefit.estimators import lam_choice
from surefit.estimators.sparse import Lasso
from surefit.progress import reporting

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


@pytest.mark.parametrize("entries", [0, 10**9])
def test_every_fold_is_reported_threads_or_not(monkeypatch, entries):
    monkeypatch.setattr(lam_choice, "WORTH_A_THREAD", entries)
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        Lasso(cv=5).fit(X, Y)
    folds = [(one.step, one.total, one.error) for one in said if one.task == "cross-validation"]
    assert folds == [(k, 5, 5.0 - k) for k in range(1, 6)]
