"""Sample-size planning, in both directions."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from surefit.theory.bounds import bounded_erm_excess, finite_class_bound, rows_needed
from surefit.theory.bounds.record import deviation
from surefit.theory.bounds.sample_size import (
    finite_class_excess,
    finite_class_rows,
    gaussian_least_squares_rows,
    hoeffding_failure,
    hoeffding_rows,
    least_squares_rows,
    lipschitz_linear_rows,
)
from surefit.theory.risk.least_squares import least_squares_risk


def test_reference_numbers():
    """T-83, S-12: 1659; 100 and 111; 400 and 1600.  T-24: 0.013475894."""
    assert finite_class_rows(0.1, 0.05, 100) == 1659
    assert (least_squares_rows(0.1, 10), gaussian_least_squares_rows(0.1, 10)) == (100, 111)
    assert (lipschitz_linear_rows(0.1), lipschitz_linear_rows(0.1, factor=4)) == (400, 1600)
    np.testing.assert_allclose(2 * hoeffding_failure(1000, 0.05), 0.013475894, atol=5e-10)


def test_hoeffding_bounds_the_binomial_tail():
    """T-24: Binomial(50, .5), t = .1: exact two-sided 0.2026 <= 0.7358."""
    exact = binom.cdf(20, 50, 0.5) + binom.sf(29, 50, 0.5)
    assert round(exact, 4) == 0.2026
    assert round(2 * hoeffding_failure(50, 0.1), 4) == 0.7358


@pytest.mark.parametrize("accuracy", [0.3, 0.1, 0.013])
@pytest.mark.parametrize("delta", [0.2, 0.05, 1e-6])
def test_rows_and_accuracy_are_inverse_to_each_other(accuracy, delta):
    """S-12: the number of rows suffices, one less does not."""
    n = finite_class_rows(accuracy, delta, 17, loss_bound=2.0)
    assert (
        finite_class_excess(n, delta, 17, loss_bound=2.0)
        <= accuracy
        < finite_class_excess(n - 1, delta, 17, loss_bound=2.0)
    )
    n = hoeffding_rows(accuracy, delta)
    assert deviation(n, delta) <= accuracy
    assert n == 1 or accuracy < deviation(n - 1, delta)
    np.testing.assert_allclose(hoeffding_failure(n, deviation(n, delta)), delta, rtol=1e-12)
    n = lipschitz_linear_rows(accuracy, radius=3.0)
    assert bounded_erm_excess(n, radius=3.0).value <= accuracy < bounded_erm_excess(n - 1, radius=3.0).value


def test_any_bound_can_be_turned_around():
    """S-12: bisection finds what the closed forms say, from numbers and from records."""
    assert rows_needed(lambda n: finite_class_excess(n, 0.05, 100), 0.1) == 1659
    assert rows_needed(lambda n: bounded_erm_excess(n, radius=1.0), 0.1) == 400
    n = rows_needed(lambda n: finite_class_bound(0.1, n, 100), 0.12)
    assert finite_class_bound(0.1, n, 100).value <= 0.12 < finite_class_bound(0.1, n - 1, 100).value
    assert rows_needed(lambda n: 0.0, 0.1) == 1


def test_least_squares_plans_agree_with_the_exact_risks():
    """T-83, T-11, T-20: excess at the planned size is the accuracy; never fewer rows than columns."""
    assert least_squares_risk(least_squares_rows(0.1, 10), 10, 1.0).excess <= 0.1
    assert least_squares_rows(100.0, 10) == 10
    n = gaussian_least_squares_rows(0.07, 6, sigma=2.0)
    assert 4 * 6 / (n - 7) <= 0.07 < 4 * 6 / (n - 8)


def test_what_cannot_be_reached_is_said():
    with pytest.raises(ValueError, match="not reached with 1000 rows"):
        rows_needed(lambda n: 0.2 + 1 / n, 0.1, at_most=1000)
    with pytest.raises(ValueError, match="accuracy"):
        finite_class_rows(0.0, 0.05, 10)
    with pytest.raises(ValueError, match="delta"):
        hoeffding_rows(0.1, math.nan)
