"""Layer theory: numbers in sentences, rounded to the safe side.

In: bounds.  Out: text.  An upper bound is never printed smaller than it is, a lower bound or a confidence never larger,
and neither ever reads 0 or 100 % unless it is.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np

from surefit.page import written

NOISE = 1e-12  # of a number that is a short decimal but for the rounding of its arithmetic


def at_most(value: float, digits: int = 4) -> str:
    """An upper bound with ``digits`` significant ones.

    >>> at_most(1.00004), at_most(34561.0), at_most(float("inf"))
    ('1.001', '34,570', 'inf')
    """
    return _significant(value, digits, ROUND_CEILING)


def at_least(value: float, digits: int = 4) -> str:
    """A lower bound.

    >>> at_least(0.99996)
    '0.9999'
    """
    return _significant(value, digits, ROUND_FLOOR)


def percent(rate: float) -> str:
    """A measured share, to the nearest tenth of a per cent.

    >>> percent(0.0588)
    '5.9 %'
    """
    return f"{100 * rate:.1f} %"


def percent_at_most(rate: float) -> str:
    """An upper bound on a share: tenths of a per cent, two significant digits below.

    >>> percent_at_most(0.0339), percent_at_most(2.41e-4), percent_at_most(0.1), percent_at_most(0.0)
    ('3.4 %', '0.025 %', '10.0 %', '0.0 %')
    """
    return _percent(rate, ROUND_CEILING)


def percent_at_least(rate: float) -> str:
    """A lower bound on a share.

    >>> percent_at_least(0.17889)
    '17.8 %'
    """
    return _percent(rate, ROUND_FLOOR)


def confidence(delta: float) -> str:
    """One minus ``delta`` without needless digits, and never 100 %.

    >>> confidence(0.05), confidence(0.05 / 3), confidence(1e-5)
    ('95 %', '98.33 %', '99.999 %')
    """
    delta = max(float(delta), 1e-12)
    places = 2 if delta >= 1e-4 else -math.floor(math.log10(delta)) - 2
    shown = (100 * (1 - Decimal(repr(delta)))).quantize(Decimal(1).scaleb(-places), rounding=ROUND_FLOOR)
    return f"{shown.normalize():f} %"


def alone(delta: float) -> str:
    """The confidence of a sentence that does not share it with others.

    >>> alone(0.05)
    'confidence 95 % for this sentence alone'
    """
    return f"confidence {confidence(delta)} for this sentence alone"


def together(delta: float) -> str:
    """How a sentence begins that shares its confidence with others.

    >>> together(0.05)
    'With 95 % confidence for these sentences together'
    """
    return f"With {confidence(delta)} confidence for these sentences together"


def scale_of(losses: np.ndarray, upper: float) -> str:
    """On what scale a mean loss is; nothing where the losses count errors, whose mean is a share.

    >>> scale_of(np.array([0.2, 0.7]), 1.0), scale_of(np.array([0.0, 1.0]), 1.0)
    ('  One row loses between 0 and 1; the mean is not a share of wrong answers.', '')
    """
    if np.all((losses == 0.0) | (losses == upper)):
        return ""
    return f"  One row loses between 0 and {upper:g}; the mean is not a share of wrong answers."


def _significant(value: float, digits: int, rounding: str) -> str:
    value = float(value)
    if not math.isfinite(value) or value == 0.0:
        return f"{value:g}"
    nudged = value * (1 - NOISE) if (rounding == ROUND_CEILING) == (value > 0) else value * (1 + NOISE)
    return written(Context(prec=digits, rounding=rounding).create_decimal(repr(nudged)))


def _percent(rate: float, rounding: str) -> str:
    rate = float(rate)
    if not math.isfinite(rate):
        return f"{rate:g}"
    if 0.0 < rate < 0.001:
        return f"{_significant(100 * rate, 2, rounding)} %"
    nudged = 100 * rate * (1 - NOISE if rounding == ROUND_CEILING else 1 + NOISE)
    return f"{Decimal(repr(nudged)).quantize(Decimal('0.1'), rounding=rounding):f} %"
