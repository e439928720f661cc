"""The intercept that is published: rounded once, with what that costs."""

from fractions import Fraction

import numpy as np
import pytest

from surefit.objective import Huber, Logistic
from surefit.solvers.blocks.offset import rise, rounded_offset

RNG = np.random.default_rng(0)


def test_the_rounded_intercept_and_what_is_missed_add_up_exactly():
    for size in (1.0, 1.7e9, 1e12):
        coef, far, near = RNG.normal(size=5), size + RNG.normal(size=5), RNG.normal(size=5)
        rounded, missed = rounded_offset([0.1, 1e-18], coef, far, near)
        exact = Fraction(0.1) + Fraction(1e-18)
        exact -= sum(Fraction(c) * (Fraction(a) + Fraction(b)) for c, a, b in zip(coef, far, near, strict=True))
        assert rounded == float(exact)
        assert missed == float(exact - Fraction(rounded))


def test_beyond_exact_products_what_is_missed_is_bounded():
    rounded, missed = rounded_offset([1.0], np.array([1e-3]), np.array([1e305]))
    assert abs(rounded + 1e302) <= missed < 1e290


@pytest.mark.parametrize("loss", [Huber(0.5), Logistic()], ids=repr)
def test_a_rise_bounds_what_moving_the_intercept_does_to_the_mean_loss(loss):
    y = np.sign(RNG.normal(size=40)) + (0.3 * RNG.normal(size=40) if loss == Huber(0.5) else 0.0)
    grid = np.linspace(-2.0, 2.0, 401)
    risk = np.array([np.mean(loss.value(y, np.full(40, b))) for b in grid])
    gap = risk - risk.min()
    for moved in (1, 5, 50):
        bound = np.array([rise(one, moved * 0.01, loss.smoothness) for one in gap])
        assert np.all(risk[moved:] - risk[:-moved] <= bound[:-moved] + 1e-4)
        assert np.all(risk[:-moved] - risk[moved:] <= bound[moved:] + 1e-4)
