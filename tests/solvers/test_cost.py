"""Plans: operations add up, seconds are operations over rates, shapes and limits are read from what users write."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers import cost
from surefit.solvers.cost import Plan, Rates, Shape, Work, duration, measured_rates, memory_limit

SLOW = Rates(products=1e9, reads=1e8)


def test_seconds_are_operations_over_rates_one_kind_after_the_other():
    work = Work(products=2e9, reads=1e8, loops=3e9, calls=1000)
    assert work.seconds(SLOW) == pytest.approx(2 + 1 + 3e9 / cost.LOOPS_PER_SECOND + 1000 * cost.SECONDS_PER_CALL)
    assert (3 * work).seconds(SLOW) == pytest.approx(3 * work.seconds(SLOW))
    assert (work + work).seconds(SLOW) == pytest.approx(2 * work.seconds(SLOW))


def test_rates_are_measured_once():
    assert measured_rates() is measured_rates()
    assert measured_rates().products > 1e7
    assert measured_rates().reads > 1e6


def test_a_plan_that_nobody_looks_at_measures_nothing(monkeypatch):
    monkeypatch.setattr(cost, "measured_rates", lambda: pytest.fail("measured"))
    plan = Plan("cholesky", 1_000, Work(products=1.0), "few rows")
    assert (plan.solver, plan.memory_bytes, plan.reason) == ("cholesky", 1_000, "few rows")


def test_a_plan_prints_memory_and_time_to_one_digit(monkeypatch):
    monkeypatch.setattr(cost, "measured_rates", lambda: SLOW)
    assert str(Plan("qr", 2_000_000, Work(products=4.4e10), "it is small")) == "qr: 2.0 MB, about 40 s; it is small"


@pytest.mark.parametrize("X", [np.zeros((5, 2)), [[1.0, 2.0]] * 5, (5, 2), sparse.csr_array((5, 2))], ids=type)
def test_a_shape_is_that_of_a_table_or_a_pair(X):
    shape = Shape.of(X)
    assert (shape.n, shape.d) == (5, 2)
    assert shape.entries == (0 if sparse.issparse(X) else 10)
    assert Shape.of(5, 2) == Shape.of((5, 2))


@pytest.mark.parametrize("given", [(7,), (np.zeros(3),), ((0, 2),), (5, 2.5), ((1, 2, 3),), ("X",)], ids=repr)
def test_what_is_no_table_is_refused(given):
    with pytest.raises(ValueError, match=r"a plan is for a table: give X \(n, d\), or its numbers of rows and columns"):
        Shape.of(*given)


@pytest.mark.parametrize(
    ("wanted", "limit"),
    [("1GB", 1e9), ("500 mb", 5e8), ("1.5e3", 1500.0), (2e9, 2e9), ("2GiB", 2 * 2**30), (np.float64(3), 3.0), (7, 7.0)],
)
def test_limits_of_memory_may_be_written_as_people_do(wanted, limit):
    assert memory_limit(wanted) == limit


@pytest.mark.parametrize("wanted", [0, -1, "much", "1 XB", "GB", np.nan, np.inf, True, "1.2.3", [1]], ids=repr)
def test_what_is_no_limit_is_refused(wanted):
    with pytest.raises(ValueError, match="memory must be a number of bytes > 0 or a text such as '1GB'"):
        memory_limit(wanted)


def test_without_a_limit_it_is_half_of_the_machine():
    assert memory_limit(None) > 1e7


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0.001 s"), (0.26, "0.3 s"), (89.0, "90 s"), (3600.0, "60 min")])
def test_durations_have_one_digit(seconds, text):
    assert duration(seconds) == text
