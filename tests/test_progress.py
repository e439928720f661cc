"""Progress is silent unless asked, late, and cheap."""

import numpy as np
import pytest

from surefit.estimators.subset import SubsetRegression
from surefit.objective import Absolute, Power, Problem, SquaredL2
from surefit.progress import Progress, Task, reporting
from surefit.solvers.any_loss.solve import SOLVERS, minimise
from surefit.solvers.lasso.exact.homotopy import lasso_homotopy

RNG = np.random.default_rng(0)
PROBLEM = Problem(RNG.standard_normal((20, 2)), RNG.standard_normal(20), Absolute(), SquaredL2(), 0.1)


def test_nobody_listening_means_nothing_is_said():
    tell = Task("demo")
    assert tell(1, 0.5) is None


def test_short_work_says_nothing():
    said = []
    with reporting(said.append):
        minimise(PROBLEM)
    assert said == []


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "direct"])
def test_every_solver_reports_its_steps(name):
    problem = Problem(PROBLEM.X, PROBLEM.y, Power(1.5), SquaredL2(), 0.1)  # smooth, and stiff enough for "smoothed"
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        minimise(problem, name, max_iter=50)
    assert said
    assert all(one.task for one in said)
    in_stages = name in ("multipliers", "smoothed")  # each stage counts its own steps
    assert in_stages or [one.step for one in said] == sorted(one.step for one in said)


def test_reports_keep_their_distance():
    said = []
    with reporting(said.append, after=0.0, every=1000.0):
        tell = Task("demo", total=9)
        for step in range(9):
            tell(step, 1.0)
    assert [one.step for one in said] == [0]
    assert str(said[0]).startswith("demo: step 0 of at most 9, error 1.00e+00")


def test_the_innermost_listener_hears_and_the_outer_one_is_restored():
    outer, inner = [], []
    with reporting(outer.append, after=0.0, every=0.0):
        with reporting(inner.append, after=0.0, every=0.0):
            Task("inner")(1, 0.0)
        Task("outer")(1, 0.0)
    assert [one.task for one in inner] == ["inner"]
    assert [one.task for one in outer] == ["outer"]


def test_a_callback_that_raises_cancels_the_work():
    def stop(progress):
        raise KeyboardInterrupt

    with reporting(stop, after=0.0), pytest.raises(KeyboardInterrupt):
        minimise(PROBLEM)


def test_loops_without_an_error_say_none():
    assert str(Progress("demo", 1, 2, 0.5, 0.0)) == "demo: step 1 of at most 2, error 5.00e-01, 0.0 s"
    assert str(Progress("demo", 1, 2, float("nan"), 0.0, "fold")) == "demo: fold 1 of 2, 0.0 s"


def test_the_homotopy_reports_its_knots():
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        path = lasso_homotopy(PROBLEM.X, PROBLEM.y)
    assert [one.task for one in said] == ["lasso homotopy"] * len(said)
    assert [one.error for one in said][: len(path.knots)] == path.knots[: len(said)].tolist()


def test_the_subset_search_reports_its_batches():
    X = np.random.default_rng(1).standard_normal((40, 12))
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        SubsetRegression("loo").fit(X, X[:, 0] + np.random.default_rng(2).standard_normal(40))
    steps = [one.step for one in said]
    assert steps == sorted(steps)
    assert 0 < steps[-1] <= said[-1].total == 2**12
