"""Good coordinates change nothing but rounding."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from surefit.objective import (
    L1,
    L2,
    Absolute,
    ElasticNet,
    EpsilonInsensitive,
    Huber,
    Logistic,
    Pinball,
    PNorm,
    Problem,
    QuadraticEpsilonInsensitive,
    SquaredL2,
)
from surefit.solvers.any_loss.multipliers import multipliers
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.any_loss.standardise import standardise, target_level
from surefit.solvers.solution import Solution, Status

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 3)) * [1e3, 1e-4, 1.0] + [1e6, 0.0, 5.0]
Y = RNG.standard_normal(30)
PENALTIES = [SquaredL2(), L1(), ElasticNet(0.3), L2(), PNorm(3.0)]


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_objective_is_the_same_at_corresponding_points(penalty, kind):
    problem = Problem(kind(X), Y, Huber(), penalty, 0.3, RNG.random(30))
    standard = standardise(problem)
    coef = RNG.standard_normal(3)
    there = Solution(coef, 0.7, Status.EXACT, 0.0, 0.0)
    back = standard.restore(there)
    assert standard.problem.primal(coef, 0.7) == pytest.approx(problem.primal(back.coef, back.intercept), rel=1e-9)


def test_columns_are_of_size_one_centred_and_constants_vanish():
    A = np.column_stack([X, np.full(30, 0.1)])
    Z = standardise(Problem(A, Y, Huber(), SquaredL2(), 0.1)).problem.X
    size = np.abs(Z).max(axis=0)
    assert np.all((size[:3] >= 1) & (size[:3] < 2))
    assert not np.any(Z[:, 3])
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)


def test_of_a_sparse_design_full_columns_far_from_zero_are_centred_and_the_others_stay_sparse():
    A = np.column_stack([X[:, 0], np.where(np.arange(30) < 3, 1e6, 0.0), np.full(30, 0.1)])
    standard = standardise(Problem(sparse.csr_array(A), Y, Huber(), SquaredL2(), 0.1))
    Z = standard.problem.X
    assert sparse.issparse(Z)
    assert Z[:, [1]].nnz == 3
    assert Z[:, [2]].nnz == 0
    np.testing.assert_allclose(Z[:, [0]].toarray().mean(), 0, atol=1e-9)
    assert 1 <= np.abs(Z[:, [0]].toarray()).max() < 2
    bare = standardise(Problem(sparse.csr_array(A), Y, Huber(), SquaredL2(), 0.1, fit_intercept=False))
    assert not np.any(bare.shift)


def exact_mean_loss(A, y, coef, intercept):
    """Mean absolute error of these float64 numbers, without rounding."""
    w, b = [Fraction(c) for c in coef.tolist()], Fraction(intercept)
    rows = zip(A.tolist(), y.tolist(), strict=True)
    return sum(abs(Fraction(t) - b - sum(Fraction(x) * c for x, c in zip(row, w, strict=True))) for row, t in rows) / 40


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("seed", range(4))
def test_the_gap_counts_the_rounding_of_the_intercept_on_the_way_back(seed, kind):
    """Catalogue A-20: an intercept of millions cannot be told to the last digit that the centred fit had."""
    rng = np.random.default_rng(seed)
    time = 1.7e12 + 3e6 * rng.uniform(size=40)
    A = np.column_stack([time, rng.normal(size=40)])
    y = 5 * (time - 1.7e12) / 3e6 + A[:, 1] + 0.1 * rng.normal(size=40)
    problem = Problem(kind(A), y, Absolute(), SquaredL2(), 0.0)
    answer = minimise(problem)
    there = exact_mean_loss(A, y, answer.coef, answer.intercept)
    assert answer.objective == pytest.approx(float(there), rel=1e-14)
    standard = standardise(problem)
    best = multipliers(standard.problem).objective
    assert float(there) - best <= answer.gap + 1e-14
    assert answer.gap > 1e-13  # what was left out before
    assert answer.status is Status.CONVERGED


def test_an_intercept_beyond_all_numbers_is_restored_as_such():
    """A diverged fit is told as it is, without an error on the way back."""
    standard = standardise(Problem(X, Y, Huber(), SquaredL2(), 0.1))
    lost = Solution(np.array([np.inf, 0.0, -np.inf]), np.inf, Status.DIVERGED, np.inf, np.inf)
    assert not np.isfinite(standard.restore(lost).intercept)


LOSSES_OF_RESIDUALS = [Absolute(), EpsilonInsensitive(0.3), Pinball(0.3), Huber(1.0), QuadraticEpsilonInsensitive(0.2)]


@pytest.mark.parametrize("loss", LOSSES_OF_RESIDUALS, ids=str)
def test_targets_in_the_millions_are_fitted_as_those_near_zero_are(loss):
    """Catalogue A-20: what all targets share is the intercept's, and costs neither rounds nor digits."""
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(60, 3)), rng.integers(-40, 40, size=60) / 8.0
    near, far = (minimise(Problem(A, y + level, loss, SquaredL2(), 0.01)) for level in (0.0, 2.0**30))
    assert far.status is near.status is Status.CONVERGED
    assert far.n_iter <= near.n_iter + 2
    np.testing.assert_allclose(far.coef, near.coef, rtol=1e-9)
    assert far.intercept - 2.0**30 == pytest.approx(near.intercept, abs=2.0**-22)


def test_targets_keep_their_level_without_an_intercept_near_zero_and_where_the_loss_is_not_one_of_residuals():
    far, near = Problem(X, Y + 1e6, Huber(), SquaredL2(), 0.1), Problem(X, Y, Huber(), SquaredL2(), 0.1)
    assert target_level(far) == np.sort(Y + 1e6)[14]
    assert target_level(near) == target_level(replace(far, fit_intercept=False)) == 0.0
    assert target_level(Problem(X, np.ones(30), Logistic(), SquaredL2(), 0.1)) == 0.0
    np.testing.assert_array_equal(standardise(near).problem.y, Y)


def test_targets_so_small_that_their_differences_would_vanish_are_left_alone():
    y = 1e-138 * (1 + 1e-9 * Y)
    assert target_level(Problem(X, y, Huber(), SquaredL2(), 0.1)) == 0.0
    assert target_level(Problem(X, np.full(30, 1e-138), Huber(), SquaredL2(), 0.1)) == 1e-138


def test_an_intercept_that_cannot_be_told_to_the_digits_asked_for_is_a_status():
    """The gap is that of the intercept as it was rounded, and the status says who is to blame."""
    for offset, status in ((1e6, Status.CONVERGED), (1e13, Status.ROUNDING)):
        answer = minimise(Problem(X[:8, 2:], Y[:8] + offset, Absolute(), SquaredL2(), 0.1))
        assert answer.status is status
        assert answer.gap == pytest.approx(0.0, abs=1e-17 * offset * 100)
