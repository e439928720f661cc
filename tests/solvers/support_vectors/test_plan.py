"""Plans of support vectors: dual steps, or columns for a linear kernel; pairs of classes counted."""

from surefit.solvers.cost import Shape
from surefit.solvers.support_vectors.plan import DUAL_STEPS, support_vector_plan


def test_a_linear_kernel_with_many_rows_is_solved_for_its_columns():
    assert support_vector_plan(Shape(10_000, 5), 1e9, linear=True).solver == "multipliers"
    assert support_vector_plan(Shape(500, 5), 1e9, linear=True).solver == DUAL_STEPS
    assert support_vector_plan(Shape(10_000, 5), 1e9).solver == DUAL_STEPS


def test_the_store_of_active_points_keeps_to_the_limit():
    assert support_vector_plan(Shape(100_000, 5), 1e9).memory_bytes <= 1e9
    assert support_vector_plan(Shape(100_000, 5), 1e12).memory_bytes < 100_000**2


def test_pairs_of_classes_are_problems_of_fewer_rows():
    two, six = support_vector_plan(Shape(6_000, 5, 2), 1e9).work, support_vector_plan(Shape(6_000, 5, 6), 1e9).work
    assert six.calls == 15 * two.calls
    assert six.loops < 15 / 8 * two.loops
