"""Other tuned numbers give other ways to the same path: every gap still bounds the distance to the minimum."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.lasso import limits
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path, lam_max
from tests.solvers.tuned import changed, unexplained

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 50)) * (RNG.random((30, 50)) < 0.5)
Y = X[:, :5].sum(axis=1) + RNG.normal(size=30)
PENALTY = SparsePenalty()
LAMS = lam_max(Design.of(X), Y, PENALTY) * np.array([0.5, 0.1, 0.01])


def test_every_number_has_a_sentence_of_its_own():
    assert not unexplained(limits)


@pytest.fixture(scope="module")
def best():
    return elastic_net_path(Design.of(X), Y, LAMS, PENALTY, tol=1e-12)


@pytest.mark.parametrize(
    ("name", "value"), changed(limits, without=["FURTHEST", "LARGEST_RATIO", "LARGEST_RATIO_BY_GRAM"])
)
def test_gaps_are_right_whatever_the_number(name, value, best, monkeypatch):
    monkeypatch.setattr(limits, name, value)
    for design in (Design.of(X), Design.of(sparse.csr_array(X)), Design.of(np.vstack([X, X]))):
        y = np.tile(Y, design.n // 30)
        path = elastic_net_path(design, y, LAMS, PENALTY)
        for k, lam in enumerate(LAMS):
            values = [np.mean((Y - X @ w - b) ** 2) + lam * np.abs(w).sum() for w, b in (path.at(lam), best.at(lam))]
            assert -best.gaps[k] <= values[0] - values[1] <= path.gaps[k] <= 1e-6 * np.var(Y)
