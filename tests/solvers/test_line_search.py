"""A step along a line: the minimum of quadratics, a bracket for others, nothing where nothing is gained."""

import numpy as np
import pytest

from surefit.solvers.line_search import convex_step


def search(f, slope):
    return convex_step(slope, f, slope(0.0), f(0.0))


@pytest.mark.parametrize("minimum", [1.0, 0.3, 7.0, 1e-6, 1e6])
def test_a_quadratic_is_minimised_to_a_tenth_of_its_slope(minimum):
    step = search(lambda t: (t - minimum) ** 2, lambda t: 2 * (t - minimum))
    assert abs(step - minimum) <= 0.1 * minimum


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_value_never_rises(scale):
    f, slope = (lambda t: np.exp(scale * t) - 2 * scale * t), (lambda t: scale * np.exp(scale * t) - 2 * scale)
    with np.errstate(over="ignore"):
        step = search(f, slope)
    assert f(step) <= f(0.0)
    assert abs(slope(step)) <= 0.1 * abs(slope(0.0))


def test_a_step_of_one_is_taken_where_it_is_good():
    assert search(lambda t: (t - 1) ** 2, lambda t: 2 * (t - 1)) == 1.0


def test_uphill_all_the_way_is_no_step():
    assert convex_step(lambda t: 1.0, lambda t: 1.0 + t, -1e-300, 1.0) == pytest.approx(0.0, abs=1e-9)
