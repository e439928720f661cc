"""A path that is not optimal says so: columns that differ in their last digits only."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.lasso.exact.active_columns import MeanDesign
from surefit.solvers.lasso.exact.constrained import constrained_lasso
from surefit.solvers.lasso.exact.homotopy import lasso_homotopy, least_angle_path
from surefit.solvers.lasso.exact.homotopy_check import knots_met, lasso_holds, least_angle_holds
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.solution import Status


def near_twins(spread, n=50, seed=1):
    """Two columns that differ by ``spread``, and a target along their difference."""
    rng = np.random.default_rng(seed)
    first, difference = rng.normal(size=(2, n))
    X = np.column_stack([first, first + spread * difference])
    return X, (X[:, 1] - X[:, 0]) / spread + 0.1 * rng.normal(size=n)


def excess_at_zero(path, X, y):
    """By how much the end of the path misses least squares, as a share of the variance."""
    coef, intercept = path.at(0.0)
    best = least_squares(Design.of(X), y[:, None]).solution.objective
    return (np.mean((y - X @ coef - intercept) ** 2) - best) / np.var(y)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("walk", [lasso_homotopy, least_angle_path])
@pytest.mark.parametrize("spread", [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_a_path_is_right_or_says_down_to_where_it_is(walk, spread, layout):
    """Catalogue A-25."""
    X, y = near_twins(spread)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        path = walk(layout(X), y)
    right = excess_at_zero(path, X, y) < 1e-6
    assert right or path.status is Status.ROUNDING
    assert len(told) == (path.status is Status.ROUNDING)
    if told:
        assert f"below lam = {path.proven:g} the conditions of optimality fail" in str(told[0].message)
        assert told[0].filename == __file__
        assert path.proven in path.knots
    if spread > 1e-7:
        assert right
        assert path.status is Status.EXACT


def test_a_wrong_point_is_not_met_and_the_knots_before_it_are():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 90)), rng.normal(size=200)
    path = lasso_homotopy(X, y)
    design = MeanDesign(Design.of(X), True)
    judge = lambda coefs, held: knots_met(design, design.target(y), path.knots / 2, coefs, held, signed=True, tie=1e-11)
    assert len(path.knots) > 70  # more than are judged at a time
    assert judge(path.coefs, lasso_holds) == judge(path.coefs, least_angle_holds) == len(path.knots)
    wrong = path.coefs.copy()
    wrong[70] *= 1 + 1e-9
    assert judge(wrong, lasso_holds) == 70


def test_the_sign_of_a_coefficient_counts_for_the_lasso_only():
    """Two columns that pull up, the second with a negative coefficient: a step of least-angle regression."""
    X, coef = np.array([[1.0, 0.9], [0.0, 0.5], [1.0, 0.0]]), np.array([[2.0, -1.0]])
    design = MeanDesign(Design.of(X), False)
    dual = np.linalg.lstsq(X.T / np.sqrt(3), np.ones(2), rcond=None)[0]
    target = dual + design.matvec(coef[0])
    judge = lambda held: knots_met(design, target, np.array([1.0]), coef, held, signed=True, tie=1e-11)
    assert (judge(lasso_holds), judge(least_angle_holds)) == (0, 1)


def test_the_constrained_form_judges_its_own_answer():
    """Where the path is wrong below the ``lam`` that is used, nothing is wrong; where it is, the status says so."""
    X, y = near_twins(1e-8)
    small, large = constrained_lasso(X, y, 1e-9), constrained_lasso(X, y, 1e8)
    assert small.solution.status is Status.EXACT
    assert large.solution.status is Status.ROUNDING


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_go_round_at_a_knot_do_not_hold_up_the_path(seed):
    """Catalogue A-25: more powers than points, where rounding decides the signs; without a limit seed 1 never ends."""
    X = np.linspace(0.1, 1, 17)[:, None] ** np.arange(1, 25)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        path = lasso_homotopy(X, np.random.default_rng(seed).normal(size=17), max_knots=1000)
    assert not path.cut
    assert len(told) == (path.status is Status.ROUNDING)
    assert path.proven < 1e-6 * path.knots[0]
