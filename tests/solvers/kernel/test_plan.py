"""What a kernel fit will need is said before it starts, and the limit is kept."""

import pytest

from surefit.solvers.cost import Shape
from surefit.solvers.kernel.plan import kernel_newton_plan


def test_small_problems_are_exact_and_large_ones_have_landmarks_within_the_limit():
    assert kernel_newton_plan(Shape(1000, 5, 1), 2e9).solver == "exact"
    large = kernel_newton_plan(Shape(50_000, 5, 1), 2e9)
    assert large.solver == "nystroem"
    assert large.n_landmarks == 1000
    assert large.memory_bytes <= 2e9
    assert kernel_newton_plan(Shape(200_000, 5, 1), 2e9).n_landmarks == 416
    assert "60.0 GB, so 1,000 landmarks" in large.reason


def test_memory_alone_does_not_make_hours_of_factorisations_exact():
    assert kernel_newton_plan(Shape(30_000, 5, 1), 1e12).solver == "nystroem"
    assert kernel_newton_plan(Shape(30_000, 5, 1), 1e12, "exact").solver == "exact"


def test_several_classes_need_a_factor_each():
    one, three = kernel_newton_plan(Shape(1000, 5, 1), 2e9), kernel_newton_plan(Shape(1000, 5, 3), 2e9)
    assert (one.memory_bytes, three.memory_bytes) == (24e6, 48e6)
    assert three.work.operations > 3 * one.work.operations


def test_exact_beyond_the_limit_is_refused_with_both_remedies():
    with pytest.raises(MemoryError, match=r"240\.0 GB and the limit is 2\.0 GB; raise memory, or let solver='auto'"):
        kernel_newton_plan(Shape(100_000, 5, 1), 2e9, "exact")


def test_a_limit_without_room_for_landmarks_is_refused():
    with pytest.raises(MemoryError, match="room for 0 landmarks of 100,000 points"):
        kernel_newton_plan(Shape(100_000, 5, 1), 1e6)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="'auto', 'exact', 'nystroem'; got 'fast'"):
        kernel_newton_plan(Shape(10, 1, 1), 2e9, "fast")


def test_a_choice_of_lam_is_counted():
    for n in (500, 5_000):
        given, chosen = (kernel_newton_plan(Shape(n, 5), 2e9, chooses=rank).work for rank in (0, 300))
        assert chosen.operations > 1.3 * given.operations
