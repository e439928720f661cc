"""Layer executors: this thread, threads and processes of this machine.

In: a function and a part.  Out: a future.  A process that dies takes nothing with it: its parts are given to new ones.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from surefit.data.blocks.source import Part
from surefit.threads import Workers, cores

AHEAD = 2
"""Parts under way for each worker: one at work, one that waits."""

MOST_DEATHS = 5
"""How often a part may be given to new processes before it is given up."""


class Serial:
    """Everything in this thread; for tests, and the yardstick of all others."""

    width, apart = 1, False

    def submit(self, function: Callable[[Part], Any], part: Part) -> Future[Any]:
        """The result, as a future that has come."""
        done: Future[Any] = Future()
        done.set_result(function(part))
        return done


class Threads:
    """Threads of this process, as many as it may use cores unless told."""

    apart = False

    def __init__(self, workers: int | None = None):
        self.workers = workers or cores()
        self.width = self.workers + AHEAD
        self._pool = Workers(self.workers)

    def submit(self, function: Callable[[Part], Any], part: Part) -> Future[Any]:
        """Begin ``function(part)`` in a thread."""
        return self._pool.submit(function, part)

    def close(self) -> None:
        """End the threads, each after the part at hand, for which nobody waits: an interrupt would take as long."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Processes:
    """Processes of this machine; those that die are replaced and their parts done again."""

    apart = True

    def __init__(self, workers: int | None = None):
        self.workers = workers or cores()
        self.width = AHEAD * self.workers
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.workers, mp_context=get_context("spawn"))

    def submit(self, function: Callable[[Part], Any], part: Part) -> _Again:
        """Begin ``function(part)`` in a process."""
        again = _Again(self, function, part)
        again.begin()
        return again

    def pids(self) -> list[int]:
        """The processes that are at work."""
        return list(self._pool._processes or ())

    def renew(self, broken: ProcessPoolExecutor) -> None:
        """New processes in place of a pool that has lost one."""
        if self._pool is broken:
            broken.shutdown(wait=False, cancel_futures=True)
            self._pool = self._new()

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)


@dataclass
class _Again:
    """A future whose task is done again if its process dies."""

    executor: Processes
    function: Callable[[Part], Any]
    part: Part
    deaths: int = 0

    def begin(self) -> None:
        while True:
            self.pool = self.executor._pool
            try:
                self.future = self.pool.submit(self.function, self.part)
                return
            except BrokenProcessPool:
                self._lost()

    def _lost(self) -> None:
        self.deaths += 1
        if self.deaths > MOST_DEATHS:
            raise RuntimeError(
                f"processes died {self.deaths} times over one part of the rows, most likely for lack of memory; use "
                "fewer workers"
            )
        self.executor.renew(self.pool)

    def result(self) -> Any:
        """The result, from the first process that lives to give it."""
        while True:
            try:
                return self.future.result()
            except BrokenProcessPool:
                self._lost()
                self.begin()

    def cancel(self) -> bool:
        """Whether the task will never run."""
        return self.future.cancel()


def executor_of(given: Any) -> tuple[Any, bool]:
    """What ``executor=`` stands for, and whether it is ours to close.

    None: threads; a number: so many; ``"serial"``, ``"threads"``, ``"processes"``; a ``distributed.Client``; or any
    object with ``submit``, ``width`` and ``apart``.

    >>> executor_of("serial")[0].width
    1
    """
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return Threads(given), True
    if isinstance(given, str):
        known: dict[str, Any] = {"serial": Serial, "threads": Threads, "processes": Processes}
        if given not in known:
            raise ValueError(f"executor must be one of {', '.join(map(repr, known))}, a number or a client; "
                             f"got {given!r}")  # fmt: skip
        return known[given](), given != "serial"
    if type(given).__module__.split(".")[0] == "distributed":
        from surefit.executors.dask import DaskClient

        return DaskClient(given), False
    if not all(hasattr(given, name) for name in ("submit", "width", "apart")):
        raise ValueError(f"executor needs submit(function, part), width and apart, and {given!r} lacks one of them")
    return given, False
