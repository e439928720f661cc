"""Degrees of freedom of lasso and elastic net: the rank of the support, and the trace of a smoother."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from surefit import ElasticNet, Lasso
from surefit.data.design import Design
from surefit.solvers.lasso.path import SparsePenalty
from surefit.theory.fit.sparse_dof import sparse_degrees_of_freedom


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
    dof = sparse_degrees_of_freedom(Design.of(columns), spread, SparsePenalty(), fit_intercept=True)
    assert set(dof.tolist()) == {3.0}
    twice = Lasso(criterion="bic", penalty_weights=[0.0, 0.0, 1.0], lams=[1e3]).fit(make(B[:, [0, 0, 1]]), y)
    assert twice.dof_path_.tolist() == [2.0]


def test_the_elastic_net_counts_the_trace_of_ridge_on_its_support():
    """S-09: the derivative of the fitted values at the targets, by finite differences, is the trace."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(25, 6)), rng.normal(size=25)
    model = ElasticNet(lams=[0.05], criterion="bic", tol=1e-13).fit(X, y)
    step, trace = 1e-5, 0.0
    for i in range(25):
        moved = y.copy()
        moved[i] += step
        trace += (ElasticNet(0.05, tol=1e-13).fit(X, moved).predict(X)[i] - model.predict(X)[i]) / step
    assert np.count_nonzero(model.coef_) > 2
    assert model.dof_path_[0] == pytest.approx(trace, rel=1e-4)
