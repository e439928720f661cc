"""Numbers in sentences are rounded to the safe side, whatever their size."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surefit.theory.certificates.wording import at_least, at_most, confidence, percent_at_least, percent_at_most

RATES = st.floats(1e-300, 1.0)


@given(st.floats(1e-300, 1e300))
def test_upper_bounds_are_never_printed_smaller_and_lower_ones_never_larger(value):
    most, least = (float(text.replace(",", "")) for text in (at_most(value), at_least(value)))
    assert most >= value * (1 - 1e-11)
    assert least <= value * (1 + 1e-11)
    assert math.isclose(most, least, rel_tol=2e-3)


@given(RATES)
def test_shares_are_rounded_likewise_and_never_to_nothing(rate):
    up, down = (float(text.removesuffix(" %")) / 100 for text in (percent_at_most(rate), percent_at_least(rate)))
    assert up >= rate * (1 - 1e-11)
    assert 0 < down <= rate * (1 + 1e-11)
    assert up - down <= max(0.1 * rate, 0.0011)


@given(st.floats(1e-300, 0.999))
def test_no_confidence_is_complete(delta):
    text = confidence(delta)
    assert text.endswith(" %")
    assert not text.startswith("100")
    assert len(text) < 10 or delta < 1e-4


def test_numbers_of_numpy_are_numbers():
    third = np.float64(1) / 3
    assert (at_most(third), at_least(third)) == ("0.3334", "0.3333")
    assert (percent_at_most(third), percent_at_least(np.float32(0.5))) == ("33.4 %", "50.0 %")
    assert confidence(np.float64(0.05)) == "95 %"


def test_money_is_written_with_commas_and_still_rounded_to_the_safe_side():
    assert (at_most(34_561.0), at_least(34_569.0)) == ("34,570", "34,560")
    assert (at_most(-34_569.0), at_least(-34_561.0)) == ("-34,560", "-34,570")
    assert (at_most(1_234_001.0), at_most(2.5e14)) == ("1,235,000", "2.5e+14")
