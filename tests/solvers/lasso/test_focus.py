"""The few columns in work: inner products that only grow, a factor that follows, sweeps without a Gram matrix."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.solvers.lasso.columns import Columns
from surefit.solvers.lasso.focus import Focus, GramCache, SparseFocus
from surefit.solvers.lasso.gap import LevelPenalty

RNG = np.random.default_rng(2)
X = RNG.normal(size=(30, 12)) * (RNG.random((30, 12)) < 0.5)
Y = RNG.normal(size=30)
EXACT = X - X.mean(axis=0)


def columns(make):
    A = centre(Design.of(make(X)), fit_intercept=True)
    return Columns.of(A, A.target(Y))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_cache_gives_inner_products_in_any_order_and_again(make):
    cache = GramCache(columns(make))
    for chosen in (np.array([3, 1]), np.array([1, 7, 3, 0]), np.array([11, 3])):
        np.testing.assert_allclose(cache.gram(chosen), EXACT[:, chosen].T @ EXACT[:, chosen], atol=1e-12)
    assert sorted(cache.columns.tolist()) == [0, 1, 3, 7, 11]
    coefs = RNG.normal(size=(2, 2))
    np.testing.assert_allclose(cache.fitted(np.array([7, 1]), coefs), coefs @ EXACT[:, [7, 1]].T, atol=1e-12)


def test_a_factor_survives_a_move_to_more_columns_and_dependent_columns_leave_it_empty():
    gram = EXACT.T @ EXACT
    few = np.array([2, 4, 5])
    focus = Focus(few, gram[np.ix_(few, few)])
    focus.refactor(np.array([0, 2]), np.zeros(3))
    assert focus.factored.tolist() == [2, 5]
    more = np.array([1, 2, 4, 5, 9])
    focus = focus.moved(more, gram[np.ix_(more, more)])
    assert focus.factored.tolist() == [2, 5]
    R = np.triu(focus.factor[:2, :2])
    np.testing.assert_allclose(R.T @ R, gram[np.ix_([2, 5], [2, 5])], atol=1e-12)
    twins = Focus(np.arange(2), np.ones((2, 2)))
    twins.refactor(np.arange(2), np.zeros(2))
    assert twins.n_factor == 0


def test_sweeps_over_sparse_columns_reach_the_conditions_of_optimality():
    """Catalogue A-22."""
    chosen = np.arange(12)
    focus = SparseFocus(columns(sparse.csr_array), chosen)
    coef, level = np.zeros(12), LevelPenalty(np.full(12, 1.0), np.full(12, 0.3), False)
    residual = focus.residual(coef)
    assert focus.descend(level, (1e-20, 1000), coef, residual) > 1
    np.testing.assert_allclose(residual, Y - Y.mean() - X @ coef, atol=1e-10)
    corr = EXACT.T @ (Y - EXACT @ coef) - 0.3 * coef
    inside = coef != 0
    np.testing.assert_allclose(corr[inside], np.sign(coef[inside]), atol=1e-7)
    assert np.all(np.abs(corr[~inside]) <= 1 + 1e-7)
    assert focus.gram_price > focus.visits > 0
