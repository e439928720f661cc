"""Unpenalised columns that nearly depend on each other: an orthonormal basis of what they span, and the way back."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.solvers.lasso.columns import Columns
from surefit.solvers.lasso.free_columns import rotation_of

RNG = np.random.default_rng(3)


def columns(X):
    A = centre(Design.of(X), fit_intercept=True)
    return Columns.of(A, A.target(np.arange(float(X.shape[0]))))


def test_columns_that_stand_apart_stay_as_they_are():
    assert rotation_of(columns(RNG.normal(size=(30, 4))), np.array([0, 2])) is None
    assert rotation_of(columns(RNG.normal(size=(30, 4))), np.array([], dtype=int)) is None


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("apart", [1e-5, 0.0])
def test_near_copies_are_replaced_by_a_basis_of_their_span(apart, make):
    X = RNG.normal(size=(30, 4))
    X[:, 2] = X[:, 0] + apart * X[:, 3]
    source, free = columns(make(X)), np.array([0, 2])
    found = rotation_of(source, free)
    Q = found.columns.dense(free)
    rank = 2 if apart else 1
    np.testing.assert_allclose(Q.T @ Q, np.diag([1.0] * rank + [0.0] * (2 - rank)), atol=1e-12)
    np.testing.assert_allclose(source.dense(free) @ found.back, Q, atol=1e-9)
    np.testing.assert_allclose(found.columns.dense(np.array([1, 3])), source.dense(np.array([1, 3])), atol=1e-12)
    assert 0 < found.angle <= 1
