"""The bound on the suboptimality of the elastic net where rounding spoils the plain one."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.lasso.close_gap import close_gap
from surefit.solvers.lasso.gap import LassoPoint, LevelPenalty, Rounding
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path, lam_max
from surefit.solvers.solution import Status


def clocked():
    """Rows with a time in milliseconds, three features, and a target that depends on both."""
    rng = np.random.default_rng(0)
    time = 1.7e12 + 3e10 * np.arange(200) / 200
    others = rng.normal(size=(200, 3))
    y = 5 * (time - 1.7e12) / 3e10 + others @ [1.0, 0, -1] + 0.1 * rng.normal(size=200)
    return np.column_stack([time, others]), y


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("lam", [1.0, 0.1, 1e-3])
@pytest.mark.parametrize(
    "penalty",
    [
        SparsePenalty(),
        SparsePenalty(positive=True),
        SparsePenalty(0.5),
        SparsePenalty(weights=np.array([0.0, 1, 1, 1])),
    ],
    ids=["lasso", "positive", "net", "free"],
)
def test_a_timestamp_beside_other_columns_does_not_spoil_the_gap(penalty, lam, layout):
    """Catalogue A-22: the tolerance is reached to many digits, and that is said."""
    X, y = clocked()
    path = elastic_net_path(Design.of(layout(X)), y, np.array([lam]), penalty)
    assert path.status is Status.CONVERGED
    assert path.gaps[0] <= 1e-6 * np.var(y)


@pytest.mark.parametrize("shape", [(60, 8), (20, 50)])
@pytest.mark.parametrize("lam", [1e-12, 1e-14, 1e-300])
def test_a_penalty_below_rounding_is_certified_like_none(lam, shape):
    """Catalogue A-22: thresholds that no product can be computed to are no reason to doubt the answer."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    path = elastic_net_path(Design.of(X), y, np.array([lam]), SparsePenalty())
    assert path.status is Status.CONVERGED
    assert path.gaps[0] <= 1e-6 * np.var(y)
    if shape[0] > shape[1]:
        centred = X - X.mean(axis=0)
        np.testing.assert_allclose(path.coefs[0], np.linalg.lstsq(centred, y - y.mean())[0], rtol=1e-9)


def point_of(X, y, w):
    residual = y - X @ w
    support = np.flatnonzero(w)
    point = LassoPoint(support, w[support], X.T @ residual, float(residual @ residual))
    return point, Rounding.of(np.linalg.norm(X, axis=0), float(np.linalg.norm(y)), len(y))


def test_the_bound_is_the_excess_of_least_squares_where_signs_and_support_are_right():
    """Near the minimum the objective is a parabola, and the bound is its height."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 4))
    y = X @ [1.0, -2, 3, 1] + rng.normal(size=30)
    penalty = LevelPenalty(np.full(4, 1.0), np.zeros(4), False)
    tight = elastic_net_path(Design.of(X), y, np.array([2 / 30]), SparsePenalty(), fit_intercept=False, tol=1e-14)
    best = tight.coefs[0]
    assert np.all(best != 0)
    value = lambda w: float(np.sum((y - X @ w) ** 2) + 2 * np.sum(np.abs(w)))
    moved = best * (1 + 1e-3 * rng.normal(size=4))
    bound = close_gap(penalty, *point_of(X, y, moved), lambda j: X[:, j].T @ X[:, j], np.zeros(4))
    assert bound == pytest.approx(value(moved) - value(best), rel=1e-6)


def test_columns_that_depend_on_each_other_leave_the_objective_as_the_bound():
    """No dual point is known to exist then; the objective itself always bounds."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=20)
    X, y = np.column_stack([x, x]), x + rng.normal(size=20)
    w = np.array([0.5, 0.4])
    penalty = LevelPenalty(np.full(2, 1e-3), np.zeros(2), False)
    bound = close_gap(penalty, *point_of(X, y, w), lambda j: X[:, j].T @ X[:, j], np.zeros(2))
    objective = float(np.sum((y - X @ w) ** 2) + 2e-3 * np.sum(w))
    assert bound == pytest.approx(objective, rel=1e-9)


def test_a_coefficient_that_hardly_matters_does_not_carry_its_product_to_the_threshold():
    """A leftover of 1e-30 on a column whose product is far from its threshold costs its own size, not a correction."""
    rng = np.random.default_rng(4)
    X, y = np.linalg.qr(rng.normal(size=(30, 2)))[0], rng.normal(size=30)
    products = np.abs(X.T @ y)
    threshold = np.full(2, 0.5 * (products.min() + products.max()))
    w = np.where(products > threshold, np.sign(X.T @ y) * (products - threshold), 1e-30)
    bound = close_gap(
        LevelPenalty(threshold, np.zeros(2), False), *point_of(X, y, w), lambda j: X[:, j].T @ X[:, j], np.zeros(2)
    )
    assert bound < 1e-25


def test_an_answer_that_is_not_good_enough_is_not_called_good():
    """The closer look judges, it does not wave through."""
    X, y = clocked()
    penalty = SparsePenalty()
    lam = 1e-3 * lam_max(Design.of(X), y, penalty)
    rough = elastic_net_path(Design.of(X), y, np.array([lam]), penalty, tol=1e-28)
    assert rough.status is not Status.CONVERGED
    assert rough.gaps[0] > 1e-28 * np.var(y)
