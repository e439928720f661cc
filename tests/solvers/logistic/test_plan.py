"""Plans of logistic regression: the solver that the shape asks for, folds and classes counted."""

import numpy as np
import pytest

from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.cost import Shape
from surefit.solvers.logistic.plan import STEPS, logistic_plan
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import choose_by_shape, choose_solver

NEWTON = SolverChoice("newton", "few parameters")


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("size", [(40, 3), (30, 1_500)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_shape_alone_chooses_as_the_problem_does(size, l1_ratio, n_classes):
    problem = LogisticProblem.of(np.ones(size), np.arange(size[0]) % n_classes, 0.1, l1_ratio)
    wanted = choose_solver(problem)
    assert choose_by_shape((*size, problem.width), l1_ratio > 0, True, False) == wanted


@pytest.mark.parametrize("name", STEPS)
def test_a_choice_of_lam_and_its_folds_are_counted(name):
    choice, shape = SolverChoice(name, "because"), Shape(5_000, 20)
    given, path, folded = (logistic_plan(choice, shape, *more).work.operations for more in ((), (True, 0), (True, 5)))
    assert given < path < folded


def test_classes_cost_scores_and_blocks_of_the_hessian():
    two, four = logistic_plan(NEWTON, Shape(5_000, 20)), logistic_plan(NEWTON, Shape(5_000, 20, 4))
    assert four.work.products > 9 * two.work.products
    assert four.memory_bytes > two.memory_bytes
