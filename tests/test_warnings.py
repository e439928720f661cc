"""The warnings can be filtered by name, and each is raised by what its docstring says."""

import numpy as np
import pytest

from surefit import LeastSquares, LogisticRegression, Ridge
from surefit.warnings import ChoiceWarning, PairingWarning, RankDeficientWarning, SeparationWarning

X = np.arange(6.0)[:, None]


def test_each_warning_comes_from_the_fit_that_it_describes():
    with pytest.warns(RankDeficientWarning, match="rank 1 of 2"):
        LeastSquares().fit(np.hstack([X, 2 * X]), X[:, 0] ** 2)
    with pytest.warns(SeparationWarning, match="separated"):
        LogisticRegression(lam=0).fit(X, X[:, 0] > 2)
    with pytest.warns(ChoiceWarning, match="lam"):
        Ridge(lams=[1.0, 2.0, 3.0]).fit(X, 3 * X[:, 0])


@pytest.mark.parametrize("kind", [ChoiceWarning, PairingWarning, RankDeficientWarning, SeparationWarning])
def test_they_are_warnings_for_users(kind):
    assert issubclass(kind, UserWarning)
    assert kind.__module__ == "surefit.warnings"
