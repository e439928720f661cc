import numpy as np
import pytest
from scipy import sparse

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.solvers.linear.rank import dead_columns, unit_free_rank


def rank_of(X, fit_intercept=True):
    A = centre(Design.of(X), fit_intercept)
    return unit_free_rank(A, A.gram())


@pytest.mark.parametrize("apart", [1e-3, 1e-7, 1e-9, 1e-11])
@pytest.mark.parametrize("unit", [1.0, 1e-8])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_column_counts_if_the_rows_tell_it_apart_though_the_gram_matrix_does_not(apart, unit, kind):
    x, z, u = np.random.default_rng(0).normal(size=(3, 50))
    assert rank_of(kind(np.column_stack([u, unit * x, unit * (x + apart * z)]))) == 3


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_columns_that_depend_on_each_other_exactly_do_not_count(kind):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(2000, 3)), np.eye(5)[rng.integers(0, 5, 2000)]])
    assert rank_of(kind(np.column_stack([X, X[:, :2]]))) == 7


def test_what_rounding_leaves_beside_a_large_mean_does_not_count():
    x, z = np.random.default_rng(2).normal(size=(2, 200)) + 1000.0
    assert rank_of(np.column_stack([x, z, x + z])) == 2


def test_constant_columns_are_dead_once_centred():
    X = np.column_stack([np.full(30, 0.1), np.arange(30.0)])
    A = centre(Design.of(X), True)
    assert dead_columns(A, np.linalg.norm(A.dense(), axis=0)).tolist() == [True, False]
