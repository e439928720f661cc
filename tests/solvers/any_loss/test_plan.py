"""Plans of any loss with any penalty: those of the chosen solver, step by step."""

import pytest

from surefit.solvers.any_loss.plan import STEPS, any_loss_plan
from surefit.solvers.any_loss.solve import SOLVERS, SolverChoice
from surefit.solvers.cost import Rates, Shape

SHAPE = Shape(2_000, 30)


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_has_a_plan(name):
    plan = any_loss_plan(SolverChoice(name, "because"), SHAPE)
    assert (plan.solver, plan.reason) == (name, "because")
    assert 0 < plan.work.seconds(Rates(1e10, 1e9)) < 1000
    assert plan.memory_bytes > 0


def test_steps_that_factorise_cost_more_than_steps_that_read():
    per_step = {name: any_loss_plan(SolverChoice(name, ""), SHAPE).work.products / STEPS[name] for name in STEPS}
    assert per_step["newton"] == pytest.approx(per_step["multipliers"])
    assert per_step["lbfgs"] == 0.0
