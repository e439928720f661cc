"""Layer executors: one pass over a source: a function of every block, merged in the order of a fixed tree.

In: a `Source`, ``work(block)`` and ``merge(a, b)``, an executor.  Out: one merged state.  Blocks ``2 k`` and
``2 k + 1`` are merged first, then pairs of these, as the digits of a binary counter carry: which results are merged
depends on the number of a block alone, not on who computed it or when.  Results come back in order, and no more parts
than a few for each worker are under way, so that memory does not grow with the rows.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.source import Part, Source
from surefit.progress import Task
from surefit.threads import one_blas_thread

State = TypeVar("State")
Work = Callable[[Block], State]
Merge = Callable[[State, State], State]
Counted = list[tuple[int, State]]
"""States with their heights in the tree, from left to right."""


class Executor(Protocol):
    """``submit`` returns a future, an object with ``result()``; ``width`` is how many parts may be under way.

    ``apart``: parts are worked on elsewhere, so that they had better be read there, too.
    """

    width: int
    apart: bool

    def submit(self, function: Callable[[Part], Any], part: Part) -> Any:
        """Begin ``function(part)``."""


class OnePart:
    """What a worker does with a part: the states of its blocks, merged as far as the tree allows."""

    def __init__(self, work: Work, merge: Merge):
        self.work, self.merge = work, merge

    def __call__(self, part: Part) -> tuple[Counted, int]:
        """The states, and how many rows they are of."""
        found: Counted = []
        rows = 0
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for block in part.blocks():
                carried(found, 0, self.work(block), self.merge)
                rows += len(block)
        return found, rows


def carried(found: Counted, height: int, state: Any, merge: Merge) -> None:
    """Add a state to a binary counter of states.

    >>> found = []
    >>> for k in range(5):
    ...     carried(found, 0, str(k), lambda a, b: f"({a}{b})")
    >>> found
    [(2, '((01)(23))'), (0, '4')]
    """
    while found and found[-1][0] == height:
        _, left = found.pop()
        state, height = merge(left, state), height + 1
    found.append((height, state))


def one_pass(source: Source, work: Work, merge: Merge, executor: Executor, name: str = "pass") -> Any:
    """The merged state of all blocks; refuses a source without rows."""
    found: Counted = []
    rows = 0
    tell, begin = Task(f"{name}: rows", source.n), time.perf_counter()
    task = OnePart(work, merge)
    for states, count in _in_order(executor, task, source.parts(executor.apart)):
        for height, state in states:
            carried(found, height, state, merge)
        rows += count
        spent = max(time.perf_counter() - begin, 1e-9)
        tell(rows, np.nan)
        tell.name = f"{name}: {pace(rows, source.n, spent)}; row"
    if not found:
        raise SourceError("the source has no rows; give at least one")
    _, state = found.pop()
    with one_blas_thread():
        while found:
            state = merge(found.pop()[1], state)
    return state


def pace(rows: int, total: int | None, seconds: float) -> str:
    """Rows a second, and the time left where the number of rows is known.

    >>> pace(2_000_000, 20_000_000, 1.0)
    '2,000,000 rows/s, 9 s left'
    """
    rate = rows / seconds
    left = "" if total is None else f", {max(total - rows, 0) / rate:.0f} s left"
    return f"{rate:,.0f} rows/s{left}"


def _in_order(executor: Executor, task: OnePart, parts: Iterable[Part]) -> Iterator[tuple[Counted, int]]:
    """Results in the order of the parts; no more than ``executor.width`` parts are under way."""
    under_way: deque[Any] = deque()
    try:
        for part in parts:
            under_way.append(executor.submit(task, part))
            if len(under_way) >= executor.width:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for future in under_way:
            if hasattr(future, "cancel"):
                future.cancel()
