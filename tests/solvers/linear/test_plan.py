"""Plans of least squares, ridge and subsets name the solver that runs, and grow as its operations do.  C-01, C-02."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.cost import Shape
from surefit.solvers.linear.least_squares import least_squares, ridge
from surefit.solvers.linear.plan import REASONS, descent_plan, linear_plan, subset_plan

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("size", [(50, 3), (30, 40), (900, 80)])
@pytest.mark.parametrize("lam", [0.0, 1.0])
def test_the_solver_that_is_named_is_the_one_that_runs(size, lam):
    X, y = RNG.normal(size=size), RNG.normal(size=(size[0], 1))
    found = least_squares(Design.of(X), y) if lam == 0 else ridge(Design.of(X), y, lam)
    planned = linear_plan(Shape(*size), penalised=lam > 0)
    assert planned.solver in found.solution.facts["method"]
    assert found.solution.facts["method"] in REASONS


def test_operations_are_of_order_long_side_times_squared_short_side():
    for small, large, times in [((1e6, 100), (1e6, 200), 4), ((1e6, 100), (2e6, 100), 2), ((100, 1e5), (200, 1e5), 4)]:
        one, two = (linear_plan(Shape(int(n), int(d)), penalised=True).work.products for n, d in (small, large))
        assert two / one == pytest.approx(times, rel=0.15)


def test_a_choice_and_its_folds_are_counted():
    given, chosen, folded = (linear_plan(Shape(10_000, 50), chooses=k).work.operations for k in (0, 1, 6))
    assert given < chosen < folded < 7 * chosen


def test_a_large_sparse_table_is_read_and_not_factorised():
    X = sparse.random_array((60_000, 8_000), density=1e-4, rng=RNG)
    assert linear_plan(Shape.of(X)).solver == "lsmr"
    assert linear_plan(Shape.of(X)).memory_bytes < 1e7


def test_descents_pass_over_the_table_as_often_as_they_may():
    one, two = (descent_plan(Shape(100, 5), "gradient", passes) for passes in (25, 50))
    assert two.work.loops == 2 * one.work.loops
    assert "at most 50 passes" in two.reason


def test_subsets_are_all_visited_up_to_a_limit():
    assert subset_plan(Shape(1000, 10), "auto").solver == "exhaustive"
    assert subset_plan(Shape(1000, 60), "auto").solver == "forward"
    assert subset_plan(Shape(1000, 60), "backward").solver == "backward"
    one, two = (subset_plan(Shape(1000, d), "exhaustive").work.loops for d in (10, 11))
    assert two == 2 * one
