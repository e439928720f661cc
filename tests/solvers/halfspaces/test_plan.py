"""Plans of perceptrons are what they can take at most.  Catalogue C-05, C-06."""

from surefit.solvers.cost import Shape
from surefit.solvers.halfspaces.plan import epochs_plan, kernel_epochs_plan


def test_work_is_in_proportion_to_epochs_and_entries():
    one, more = epochs_plan(Shape(100, 5), "perceptron", 10), epochs_plan(Shape(200, 5), "perceptron", 30)
    assert more.work.loops == 6 * one.work.loops
    assert "at most 30 passes" in more.reason


def test_a_kernel_holds_a_square():
    assert kernel_epochs_plan(Shape(1_000, 5), 10).memory_bytes == 8_000_000
