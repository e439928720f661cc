"""One damped Newton loop: quadratics in one step, flat functions with a mixture, and where it stops."""

from dataclasses import dataclass

import numpy as np
import pytest

from surefit.solvers.damped_newton import descend, next_mixture, stiffer


@dataclass(frozen=True)
class Number:
    """A point of the line."""

    at: float

    def moved(self, step, along):
        return Number(self.at + step * along.at)


@dataclass(frozen=True)
class OnTheLine:
    """A function of one number from its value, derivative, curvature, and a curvature that never underestimates."""

    f: object
    first: object
    second: object
    secant: object

    def value(self, point):
        return float(self.f(point.at))

    def slope(self, point, along):
        return float(self.first(point.at) * along.at)

    def direction(self, point, mixture):
        bend = self.second(point.at)
        bend = bend + mixture * max(self.secant(point.at) - bend, 0.0)
        if not bend > 0:
            return Number(0.0), 0.0, self.first(point.at) == 0
        along = Number(-self.first(point.at) / bend)
        return along, -self.slope(point, along), True

    def moved(self, point, step, along):
        return point.moved(step, along)


def run(objective, start, enough=1e-20, max_iter=100):
    seen = []
    return descend(objective, Number(start), enough, max_iter, lambda value, decrement: seen.append(value)), seen


def test_a_quadratic_takes_one_step():
    """Catalogue A-16."""
    quadratic = OnTheLine(lambda x: (x - 3) ** 2, lambda x: 2 * (x - 3), lambda x: 2.0, lambda x: 2.0)
    point, seen = run(quadratic, 10.0)
    assert point.at == pytest.approx(3.0, abs=1e-15)
    assert len(seen) == 2


@pytest.mark.parametrize("start", [1.5, 100.0, -1e6])
def test_a_flat_tail_is_left_with_a_mixture(start):
    """Huber's loss has no curvature beyond its threshold: without the mixture there is no direction at all."""
    huber = OnTheLine(
        lambda x: x * x if abs(x) <= 1 else 2 * abs(x) - 1,
        lambda x: 2 * np.clip(x, -1, 1),
        lambda x: 2.0 if abs(x) <= 1 else 0.0,
        lambda x: 2.0 / max(abs(x), 1.0),
    )
    point, seen = run(huber, start)
    assert point.at == pytest.approx(0.0, abs=1e-9)
    assert np.all(np.diff(seen) <= 0)


@pytest.mark.parametrize("start", [3.0, 30.0])
def test_a_curvature_that_vanishes_far_out_does_not_throw_the_search_away(start):
    """For log cosh a plain Newton step from 3 goes to about -200: steps are searched, and the value never rises."""
    curve = OnTheLine(
        lambda x: np.logaddexp(x, -x), np.tanh, lambda x: 1 - np.tanh(x) ** 2, lambda x: np.tanh(x) / x if x else 1.0
    )
    point, seen = run(curve, start)
    assert point.at == pytest.approx(0.0, abs=1e-9)
    assert np.all(np.diff(seen) <= 0)


def test_the_limit_of_steps_is_kept_and_no_step_goes_uphill():
    exponential = OnTheLine(lambda x: np.exp(x) - x, lambda x: np.exp(x) - 1, np.exp, np.exp)
    first, seen = run(exponential, 8.0, enough=0.0, max_iter=1)
    assert len(seen) == 1
    second, _ = run(exponential, 8.0, enough=0.0, max_iter=2)
    assert exponential.value(second) < exponential.value(first) < exponential.value(Number(8.0))


def test_the_mixture_grows_to_one_and_falls_to_zero():
    grown = [0.0]
    for _ in range(4):
        grown.append(stiffer(grown[-1]))
    assert grown == [0.0, 0.01, 0.1, 1.0, 1.0]
    softened = [1.0]
    for _ in range(5):
        softened.append(next_mixture(softened[-1], 0.3))
    assert softened[:4] == pytest.approx([1.0, 0.1, 0.01, 0.001])
    assert softened[-1] == 0.0
