"""Layer study: the parts of a date that come round again, as sines and cosines, and what of them can be learnt.

In: days since 1970.  Out: waves by name, those that hardly vary, and the longest stretch of a period without a day.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

PERIODS = {"year": 365.2425, "week": 7.0, "day": 1.0}
"""Days after which the parts of a date come round again."""

HARMONICS = {"year": 3, "week": 3, "day": 4}
"""Sines and cosines of each part: three of a week tell its seven days apart."""

HARDLY = 0.01
"""Variance that the waves before it leave of one below which it hardly varies; over whole periods it is a half."""


def waves(days: np.ndarray, part: str) -> list[tuple[str, np.ndarray]]:
    """The sines and cosines of a part of a date, by name.

    >>> [(name, float(values[0].round(6))) for name, values in waves(np.array([1.75]), "week")[:2]]
    [('sine 1 of the week', 1.0), ('cosine 1 of the week', 0.0)]
    """
    phase = 2 * np.pi * (days % PERIODS[part]) / PERIODS[part]
    each = [(k, wave, of) for k in range(1, HARMONICS[part] + 1) for wave, of in (("sine", np.sin), ("cosine", np.cos))]
    return [(f"{wave} {k} of the {part}", of(k * phase)) for k, wave, of in each]


def hardly_varying(named: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Names of those that a constant and the ones before them give nearly, so that other dates would be far away."""
    if not named:
        return ()
    products, left = np.cov(np.array(list(named.values())), bias=True), list[str]()
    products = np.atleast_2d(products)
    for j, name in enumerate(named):
        if products[j, j] < HARDLY:
            left.append(name)
        else:  # what it explains of the others
            products = products - np.outer(products[:, j], products[j]) / products[j, j]
    return tuple(left)


def empty_stretch(days: np.ndarray, period: float) -> tuple[float, float]:
    """The longest stretch of a period without any of these days: its ends as shares, the second above the first."""
    phase = np.unique((days % period) / period)
    steps = np.diff(np.append(phase, phase[0] + 1.0))
    k = int(np.argmax(steps))
    return float(phase[k]), float(phase[k] + steps[k])
