"""Below all layers: work shared between cores, by threads of our own with a BLAS that does not thread inside them."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context
from functools import cache
from threading import Event, RLock, Thread, current_thread, get_ident, main_thread
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

WORTH_SHARING = 3e9
"""Multiplications of a product or factorisation from which on the BLAS may use threads: some 0.1 s on one core.  Its
threads wait for each other by spinning.  On an idle machine they save part of that time; on a busy one a product below
takes ten times as long as on one thread, and a Cholesky factor of side 300 a second instead of a millisecond."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _controller() -> ThreadpoolController:
    """Found once: looking for the loaded libraries costs milliseconds, limiting them microseconds."""
    return ThreadpoolController()


def _let_any_thread_decide() -> None:
    """From version 3.8 on threadpoolctl heeds only the thread that was the first to limit an OpenBLAS; free that place.

    Otherwise the block that ends last could not free what a block in another thread had limited.
    """
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


class _OneThread:
    """Limits the BLAS when the first block is entered and frees it when the last is left, whatever thread they are in.

    Each block restoring what it found would leave the BLAS limited for good once two of them overlap.  A forked process
    has only the thread that forked it, so blocks of the others are left there.
    """

    def __init__(self) -> None:
        self.lock = RLock()  # a handler of signals may fit or fork while its own thread holds it
        self.inside: dict[object, int] = {}
        self.found: Any = None

    def enter(self, block: object) -> None:
        with self.lock:
            self.inside[block] = get_ident()
            if self.found is None:
                self.found = _controller().limit(limits=None)  # remembers, before anything is changed
            if len(self.inside) == 1:
                self._limit_or_free()

    def leave(self, block: object) -> None:
        """Leave ``block``, which an interrupt may have kept from being entered."""
        with self.lock:
            self.inside.pop(block, None)
            if not self.inside:
                self._limit_or_free()

    def _limit_or_free(self) -> None:
        if self.found is None:
            return
        _let_any_thread_decide()
        if self.inside:
            _controller().limit(limits=1, user_api="blas")
        else:
            self.found.restore_original_limits()
            self.found = None
        _let_any_thread_decide()

    def before_fork(self) -> None:
        self.lock.acquire()

    def after_fork(self) -> None:
        self.lock.release()

    def after_fork_in_child(self) -> None:
        self.inside = {block: thread for block, thread in self.inside.items() if thread == get_ident()}
        self._limit_or_free()
        self.lock.release()


_one_thread = _OneThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_one_thread.before_fork,
        after_in_parent=_one_thread.after_fork,
        after_in_child=_one_thread.after_fork_in_child,
    )


@contextmanager
def one_blas_thread(wanted: bool = True) -> Iterator[None]:
    """Single-threaded BLAS inside the block (if ``wanted``).

    For factorisations too small to share: on a busy machine threads that spin turn milliseconds into half a second.
    And for work that is split into threads of our own.
    """
    if not wanted:
        yield
        return
    block = object()
    try:
        _one_thread.enter(block)
        yield
    finally:
        _one_thread.leave(block)


def blas_threads_for(work: float) -> AbstractContextManager[None]:
    """A BLAS with threads inside the block only if its largest product takes so many multiplications that they pay."""
    return one_blas_thread(work < WORTH_SHARING)


class Workers(ThreadPoolExecutor):
    """Threads that save time: where none can be had, the work is done by the thread that asks for it.

    None can be had where the system allows no more of them, and after the main thread has ended.
    """

    def submit(self, function: Callable[..., Any], /, *given: Any, **options: Any) -> Future[Any]:
        """Begin ``function(*given, **options)``.

        The work has its place in the queue before a thread is started for it, and another thread may find it there
        even if that fails; so whoever takes it out of ``work`` does it, and what stays in the queue holds nothing.
        """
        found: Future[Any] = Future()
        work = [(found, function, given, options)]
        try:
            begun = super().submit(_do, work)
        except RuntimeError:
            _do(work)
        else:
            begun.add_done_callback(lambda one: one.cancelled() and found.cancel())
        return found


def _do(work: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...], dict[str, Any]]]) -> None:
    """Do the only entry of ``work``, unless another thread has taken it or it was cancelled."""
    try:
        found, function, given, options = work.pop()
    except IndexError:
        return
    if not found.set_running_or_notify_cancel():
        return
    try:
        found.set_result(function(*given, **options))
    except BaseException as error:
        found.set_exception(error)
        if not isinstance(error, Exception):  # an interrupt in the thread that asked
            raise
    finally:
        del found  # which holds the error, which holds this frame


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """``function`` of every item, in order, computed on all cores; a single item is computed here.

    The results do not depend on the number of cores, as long as ``function`` does not.  What NumPy is to say of
    overflow is as set here.
    """
    items, errors = list(items), np.geterr()
    workers = min(cores(), len(items))
    if workers < 2:
        yield from map(function, items)
        return

    def task(item: Item) -> Result:
        with np.errstate(**errors):
            return function(item)

    with one_blas_thread(), Workers(workers) as pool:
        yield from pool.map(task, items)


def interruptible(work: float, function: Callable[..., Result], *given: Any, **options: Any) -> Result:
    """``function(*given, **options)`` for a foreign call that may take seconds, during which Ctrl-C is not heard.

    If it takes ``work`` of `WORTH_SHARING` multiplications or more, it runs in a thread of its own, if one can be had,
    while the main thread, which alone hears signals, waits.  What was interrupted is left to its end, for which nobody
    waits; so it must not write into arrays that are still in use.

    >>> interruptible(float("inf"), sum, [1, 2, 3])
    6
    """
    if work < WORTH_SHARING or current_thread() is not main_thread():
        return function(*given, **options)
    done, outcome = Event(), Outcome()

    def run() -> None:
        try:
            outcome.result = function(*given, **options)
        except BaseException as error:
            outcome.failure = error
        finally:
            done.set()

    try:
        Thread(target=copy_context().run, args=(run,), daemon=True).start()
    except RuntimeError:  # the system allows no more threads
        return function(*given, **options)
    while not done.wait(0.5):  # by turns: not every system hears signals during an endless wait
        pass
    if outcome.failure is not None:
        raise outcome.failure
    return outcome.result


class Outcome:
    """What a call in another thread came to."""

    result: Any = None
    failure: BaseException | None = None
