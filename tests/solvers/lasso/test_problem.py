"""The elastic net in sums over centred rows: units, lam_max, and gaps that come back to the user's objective."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.problem import LassoProblem

RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(25, 5)), RNG.normal(size=25)


def objective(problem, lam, coef):
    """``sum(weights)`` times the user's objective, at the best intercept, in the problem's own sums."""
    level, residual = problem.level(lam), problem.columns.target - problem.columns.fitted(np.arange(5), coef[None])[0]
    return float(residual @ residual + 2 * level.threshold @ np.abs(coef) + level.ridge @ coef**2)


@pytest.mark.parametrize("penalty", [SparsePenalty(), SparsePenalty(0.4, weights=np.array([1.0, 2, 3, 0.5, 1]))])
@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_the_sums_are_the_users_objective_over_the_size_of_the_target(penalty, scale):
    """Catalogue A-22."""
    problem = LassoProblem.of(Design.of(X), scale * Y, penalty, fit_intercept=True)
    coef = RNG.normal(size=5)
    size, lam = problem.size_of_y, 0.3 * scale if penalty.l1_ratio == 1 else 0.3
    user = size * coef
    residual = scale * Y - X @ user
    mean_loss = np.mean((residual - residual.mean()) ** 2)
    assert 25 * (mean_loss + lam * penalty.value(user)) / size**2 == pytest.approx(
        objective(problem, lam, coef), rel=1e-10
    )


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_lam_max_is_where_the_gap_of_nothing_vanishes(make):
    problem = LassoProblem.of(Design.of(make(X)), Y, SparsePenalty(), fit_intercept=True)
    top, null = problem.lam_max, problem.null
    enough = 1e-12 * null.residual_square
    assert problem.gap(1.0001 * top, null, problem.rounding, enough) <= 1e-10
    assert problem.gap(0.9 * top, null, problem.rounding, enough) > 1e-4
    corr = X.T @ (Y - Y.mean())
    assert top == pytest.approx(2 * np.max(np.abs(corr)) / 25)


def test_unpenalised_features_are_fitted_alone_first():
    penalty = SparsePenalty(weights=np.array([0.0, 1, 1, 1, 0.0]))
    problem = LassoProblem.of(Design.of(X), Y, penalty, fit_intercept=True)
    A = np.column_stack([np.ones(25), X[:, [0, 4]]])
    exact = np.linalg.lstsq(A, Y, rcond=None)[0][1:] / problem.size_of_y
    np.testing.assert_allclose(problem.free.coef, exact, rtol=1e-9)
    assert problem.null.support.tolist() == [0, 4]


def test_targets_at_the_end_of_the_range_are_refused():
    with pytest.raises(ValueError, match="rescale y"):
        LassoProblem.of(Design.of(X), np.full(25, 1e305), SparsePenalty(), fit_intercept=True)
