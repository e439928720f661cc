"""Layer data: work shared between cores, by threads of our own with a BLAS that does not thread inside them."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _controller() -> ThreadpoolController:
    """Found once: looking for the loaded libraries costs milliseconds, limiting them microseconds."""
    return ThreadpoolController()


class _OneThread:
    """Limits the BLAS when the first block is entered and frees it when the last is left, whatever thread they are in.

    Each block restoring what it found would leave the BLAS limited for good once two of them overlap.
    """

    def __init__(self) -> None:
        self.lock, self.blocks = Lock(), 0
        self.limit: Any = None

    def enter(self) -> None:
        with self.lock:
            if self.blocks == 0:
                self.limit = _controller().limit(limits=1, user_api="blas")
            self.blocks += 1

    def leave(self) -> None:
        with self.lock:
            self.blocks -= 1
            if self.blocks == 0:
                self.limit.restore_original_limits()


_one_thread = _OneThread()


@contextmanager
def one_blas_thread(wanted: bool = True) -> Iterator[None]:
    """Single-threaded BLAS inside the block (if ``wanted``).

    For factorisations too small to share: on a busy machine threads that spin turn milliseconds into half a second.
    And for work that is split into threads of our own.
    """
    if not wanted:
        yield
        return
    _one_thread.enter()
    try:
        yield
    finally:
        _one_thread.leave()


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """``function`` of every item, in order, computed on all cores; a single item is computed here.

    The results do not depend on the number of cores, as long as ``function`` does not.
    """
    items = list(items)
    workers = min(cores(), len(items))
    if workers < 2:
        yield from map(function, items)
        return
    with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
        yield from pool.map(function, items)
