"""The triangle of the columns that are in stays a factor of their Gram matrix, whoever comes and goes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surefit.data.design import Design
from surefit.solvers.lasso.exact.active_columns import ActiveColumns, MeanDesign


@given(seed=st.integers(0, 1000), moves=st.lists(st.integers(0, 19), max_size=60))
def test_solutions_follow_columns_in_and_out(seed, moves):
    """A number that is in leaves, one that is out joins; 16 columns are the room it starts with."""
    rng = np.random.default_rng(seed)
    design = MeanDesign(Design.of(rng.normal(size=(30, 20))), fit_intercept=True)
    active = ActiveColumns(design)
    for j in moves + list(range(20)):
        if j in active.indices:
            active.remove(j)
        else:
            assert active.append(j)
    right = rng.normal(size=len(active))
    gram = active.columns.T @ active.columns
    np.testing.assert_allclose(gram @ active.solve_normal(right), right, atol=1e-9)
    np.testing.assert_allclose(active.columns, np.column_stack([design.column(j) for j in active.indices]))


def test_fit_corrects_a_rough_start():
    rng = np.random.default_rng(0)
    design = MeanDesign(Design.of(rng.normal(size=(30, 4))), fit_intercept=False)
    active, target = ActiveColumns(design), rng.normal(size=30)
    for j in range(4):
        active.append(j)
    coef, residual = active.fit(target, np.full(4, 0.1), np.ones(4))
    np.testing.assert_allclose(active.columns.T @ residual, 0.1, atol=1e-12)
    np.testing.assert_allclose(residual, target - active.columns @ coef)


def test_a_column_that_depends_on_those_in_is_refused():
    X = np.random.default_rng(1).normal(size=(10, 2))
    active = ActiveColumns(MeanDesign(Design.of(np.column_stack([X, X.sum(axis=1)])), fit_intercept=True))
    assert [active.append(j) for j in range(3)] == [True, True, False]
    assert active.indices == [0, 1]
