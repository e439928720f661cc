"""Errors of sums and products are exact: the pairs add up in rational arithmetic."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefit.compiled.doubled import two_product, two_sum

FINITE = st.floats(-1e100, 1e100, allow_nan=False)


def exact(x):
    return Fraction(float(x))


@given(FINITE, FINITE)
@settings(max_examples=300, derandomize=True)
def test_two_sum_loses_nothing(a, b):
    s, e = two_sum(np.float64(a), np.float64(b))
    assert exact(s) + exact(e) == exact(a) + exact(b)


@given(st.floats(-1e60, 1e60).filter(lambda v: v == 0 or abs(v) > 1e-60), st.floats(1e-60, 1e60))
@settings(max_examples=300, derandomize=True)
def test_two_product_loses_nothing(a, b):
    p, e = two_product(np.float64(a), np.float64(b))
    assert exact(p) + exact(e) == exact(a) * exact(b)
