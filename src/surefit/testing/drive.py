"""Testing layer: how the conformance suites search for a counterexample and how they report one.

In: a property (a function that raises ``AssertionError``) and a Hypothesis strategy.  Out: silence, or the error at the
smallest input found.  The search is the same on every run: no database, no clock, no random seed.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy


def search(claims: Sequence[Callable[[Any], None]], strategy: SearchStrategy, examples: int) -> None:
    """Try each claim on the same ``examples`` draws of ``strategy``; raise what the first false one raises.

    A claim that fails is searched again on its own, so that the error names the simplest input found.
    """
    samples: list[Any] = []
    _drive(samples.append, strategy, examples)
    for claim in claims:
        for sample in samples:
            try:
                claim(sample)
            except AssertionError:
                _drive(claim, strategy, examples)
                raise


def _drive(prop: Callable[[Any], None], strategy: SearchStrategy, examples: int) -> None:
    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(strategy)
    def attempt(sample: Any) -> None:
        prop(sample)

    attempt()


def refute(wrong: Any, sentence: str, **arrays: Any) -> None:
    """Raise ``AssertionError(sentence)`` if any entry of ``wrong`` holds, filled in with the arrays at that entry."""
    wrong = np.asarray(wrong)
    if not wrong.any():
        return
    where = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    at = {name: np.broadcast_to(np.asarray(array), wrong.shape)[where] for name, array in arrays.items()}
    raise AssertionError(sentence.format(**{name: f"{value:.10g}" for name, value in at.items()}))


@contextmanager
def no_warning(sentence: str) -> Iterator[None]:
    """Turn any warning raised inside into an ``AssertionError`` that starts with ``sentence``."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            yield
        except Warning as warning:
            raise AssertionError(f"{sentence}: {warning}") from warning


def check_copies(thing: Any) -> None:
    """A pickled and a deep copy must equal the original, hash alike and print alike."""
    try:
        copies = [pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)]
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(
            f"{thing!r} cannot be pickled; define its class at the top level of a module: {error}"
        ) from error
    for twin in copies:
        if twin != thing or hash(twin) != hash(thing) or repr(twin) != repr(thing):
            raise AssertionError(f"a copy of {thing!r} is not equal to it; keep all parameters as plain attributes")


def jump(function: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> tuple[float, float]:
    """The place and the size of the largest discontinuity of ``function`` found in ``[low, high]``.

    Looks at the grid cells where the function changes most unlike its neighbours, and halves them down to two
    neighbouring floats.
    """
    grid = np.linspace(low, high, 2003)
    values = np.asarray(function(grid), dtype=float)
    steps = np.abs(np.diff(values))
    unlike = np.abs(steps - 0.5 * (np.roll(steps, 1) + np.roll(steps, -1)))
    unlike[[0, -1]] = 0.0
    worst = (float(grid[0]), 0.0)
    for cell in np.argsort(unlike)[-4:]:
        found = _halved(function, grid[cell], grid[cell + 1])
        worst = max(worst, found, key=lambda pair: pair[1])
    return worst


def _halved(function: Callable[[np.ndarray], np.ndarray], left: float, right: float) -> tuple[float, float]:
    ends = np.array([left, right])
    values = np.asarray(function(ends), dtype=float)
    while True:
        middle = 0.5 * (ends[0] + ends[1])
        if middle in ends:
            return float(ends[1]), float(abs(values[1] - values[0]))
        at_middle = float(np.asarray(function(np.array([middle])), dtype=float)[0])
        if abs(at_middle - values[0]) >= abs(values[1] - at_middle):
            ends, values = np.array([ends[0], middle]), np.array([values[0], at_middle])
        else:
            ends, values = np.array([middle, ends[1]]), np.array([at_middle, values[1]])
