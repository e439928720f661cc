"""What a kernel fit will need is said before it starts, and a budget is kept."""

import pytest

from surefit.solvers.kernel_plan import kernel_newton_plan


def test_small_problems_are_exact_and_large_ones_have_landmarks_within_the_budget():
    assert kernel_newton_plan(1000, 5, 1, 2e9).method == "exact"
    large = kernel_newton_plan(50_000, 5, 1, 2e9)
    assert large.method == "nystroem"
    assert 10 <= large.n_landmarks <= 1000
    assert large.memory_bytes <= 2.1e9
    assert "60.0 GB" in large.reason


def test_several_classes_need_a_factor_each():
    one, three = kernel_newton_plan(1000, 5, 1, 2e9), kernel_newton_plan(1000, 5, 3, 2e9)
    assert (one.memory_bytes, three.memory_bytes) == (24e6, 48e6)
    assert three.operations > 3 * one.operations


def test_exact_beyond_the_budget_is_refused_with_both_remedies():
    with pytest.raises(ValueError, match=r"240\.0 GB .* budget is 2\.0 GB; raise memory_budget, or .*'nystroem'"):
        kernel_newton_plan(100_000, 5, 1, 2e9, "exact")


def test_a_budget_without_room_for_landmarks_is_refused_unless_their_number_is_given():
    with pytest.raises(ValueError, match="leaves 0 landmarks for n = 100000"):
        kernel_newton_plan(100_000, 5, 1, 1e6)
    assert kernel_newton_plan(100_000, 5, 1, 1e6, n_landmarks=7).n_landmarks == 7


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="'auto', 'exact', 'nystroem'; got 'fast'"):
        kernel_newton_plan(10, 1, 1, 2e9, "fast")
