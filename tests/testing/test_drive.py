"""The search behind the conformance suites: finds, shrinks, reports, and repeats itself exactly."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

from surefit.testing.drive import jump, no_warning, refute, search


def test_search_reports_the_simplest_counterexample():
    def below_ten(x):
        if x >= 10:
            raise AssertionError(f"found {x}")

    with pytest.raises(AssertionError, match="found 10"):
        search([below_ten], st.integers(0, 10_000), 100)


def test_search_reports_the_first_false_claim_and_is_silent_on_true_ones():
    def fails(name):
        def claim(x):
            raise AssertionError(name)

        return claim

    search([lambda x: None], st.integers(), 20)
    with pytest.raises(AssertionError, match="first"):
        search([lambda x: None, fails("first"), fails("second")], st.integers(), 20)


def test_search_draws_the_same_inputs_on_every_run():
    runs = [[], []]
    for seen in runs:
        search([seen.append], st.floats(-5, 5), 30)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 10


def test_refute_fills_in_the_first_wrong_entry():
    refute(np.array([False, False]), "never")
    with pytest.raises(AssertionError, match=r"at y=2 f=0.5"):
        refute(np.array([False, True, True]), "at y={y} f={f}", y=np.array([1.0, 2.0, 3.0]), f=0.5)


@pytest.mark.parametrize("place", [-0.3, 0.0, 1 / 3])
def test_jump_finds_a_step_and_its_size(place):
    where, size = jump(lambda x: 0.01 * (x > place) + np.sin(5 * x), -1.003, 1.001)
    assert where == pytest.approx(place, abs=1e-12)
    assert size == pytest.approx(0.01, rel=1e-9)


def test_jump_is_not_fooled_by_steep_or_infinitely_steep_continuous_functions():
    for function in (lambda x: np.tanh(100 * x), lambda x: np.cbrt(x), lambda x: np.abs(x) ** 0.1):
        assert jump(function, -0.997, 1.001)[1] <= 1e-6


def test_no_warning_turns_warnings_into_failures():
    with pytest.raises(AssertionError, match="at f=3: careful"), no_warning("at f=3"):
        warnings.warn("careful", RuntimeWarning, stacklevel=1)
    with no_warning("at f=3"):
        pass
