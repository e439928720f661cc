"""What a sparse path says of each of its solutions."""

from fractions import Fraction

import numpy as np
import pytest

from surefit.data.design import Design
from surefit.progress import reporting
from surefit.solvers.lasso.exact.homotopy import lasso_homotopy
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path
from surefit.solvers.solution import Path, Status

RNG = np.random.default_rng(5)
X, LAMS = RNG.normal(size=(40, 12)), np.array([1.0, 0.3, 1e-3])
Y = X[:, :3].sum(axis=1) + RNG.normal(size=40)


def path_of(lams=LAMS, **settings):
    return elastic_net_path(Design.of(X), Y, lams, SparsePenalty(), **settings)


def test_a_sparse_path_is_a_path_with_a_gap_and_a_status_for_every_lam():
    path = path_of()
    assert isinstance(path, Path)
    assert path.coefs.shape == (3, 12)
    assert path.gaps.shape == path.intercepts.shape == path.converged.shape == (3,)
    assert path.statuses == (Status.CONVERGED,) * 3
    assert path.status is Status.CONVERGED


def test_a_limit_of_rounds_is_blamed_only_on_the_lam_that_met_it():
    zero_everywhere = 10.0 * np.max(np.abs(X.T @ Y))
    path = path_of(np.array([1e-3, zero_everywhere]), tol=1e-15, max_iter=0)
    assert path.statuses == (Status.MAX_ITER, Status.CONVERGED)
    assert path.converged.tolist() == [False, True]
    assert path.status is Status.MAX_ITER


def test_a_tolerance_below_rounding_is_named_as_such_and_the_gap_stays_right():
    path = path_of(np.array([0.3]), tol=1e-30)
    assert path.statuses == (Status.ROUNDING,)
    coef, intercept = lasso_homotopy(X, Y).at(0.3)

    def objective(w, b):
        """In rational arithmetic: in double precision the difference of two objectives is its rounding."""
        rows, targets, w = (np.vectorize(Fraction, otypes=[object])(given) for given in (X, Y, w))
        return np.mean((targets - rows @ w - Fraction(float(b))) ** 2) + Fraction(0.3) * np.abs(w).sum()

    found = objective(path.coefs[0], path.intercepts[0]) - objective(coef, intercept)
    assert found <= path.gaps[0] < 1e-10


def test_least_squares_at_the_end_of_a_path_is_exact():
    assert path_of(np.array([0.3, 0.0])).statuses == (Status.CONVERGED, Status.EXACT)


def test_at_gives_the_solution_on_the_grid_and_refuses_values_in_between():
    path = path_of()
    coef, intercept = path.at(0.3)
    np.testing.assert_array_equal(coef, path.coefs[1])
    assert intercept == path.intercepts[1]
    with pytest.raises(ValueError, match=r"lam = 0\.31 is not on the grid.*solve for it with lams=\[lam\]"):
        path.at(0.31)


def test_the_status_of_a_path_is_that_of_its_first_failure():
    statuses = (Status.EXACT, Status.ROUNDING, Status.MAX_ITER)
    path = SparsePath(LAMS, np.zeros((3, 1)), np.zeros(3), np.zeros(3), statuses, 0)
    assert path.status is Status.ROUNDING
    assert path.converged.tolist() == [True, False, False]


def test_a_path_reports_how_many_lams_are_done():
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        path_of(np.logspace(0, -3, 30))
    assert {one.task for one in said} == {"lasso path"}
    assert [one.step for one in said] == sorted(one.step for one in said)
    assert said[-1].step == said[-1].total
