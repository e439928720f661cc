"""The choice of lam of logistic regression by approximate leave-one-out."""

import numpy as np
import pytest

from surefit import LogisticRegression


@pytest.mark.parametrize("k", [2, 3])
def test_approximate_leave_one_out_does_not_move_with_the_origin_of_a_column(k):
    """The Hessian in the user's units has no digits left where means dwarf spreads."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = (X[:, 0] + rng.logistic(size=200) > 0) * 1 + (X[:, 1] > 0.7) * (k > 2)
    here, there = (LogisticRegression(criterion="approximate_loo").fit(X + move, y) for move in (0.0, 1e6))
    assert there.lam_ == pytest.approx(here.lam_, rel=1e-3)
    np.testing.assert_allclose(there.criterion_path_, here.criterion_path_, rtol=1e-4)
