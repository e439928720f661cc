import contextlib
import inspect
import itertools
import linecache
import os
import signal
import subprocess
import sys
import threading
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from surefit.threads import (
    Workers,
    _let_any_thread_decide,
    _one_thread,
    cores,
    interruptible,
    map_in_order,
    one_blas_thread,
)


def test_results_come_in_the_order_of_the_items():
    assert list(map_in_order(lambda k: k * k, range(50))) == [k * k for k in range(50)]
    assert list(map_in_order(lambda k: k, [])) == []


def test_several_items_are_shared_between_threads_and_one_is_not():
    names = set(map_in_order(lambda _: threading.current_thread().name, range(200)))
    assert threading.main_thread().name not in names or cores() == 1
    assert list(map_in_order(lambda _: threading.current_thread().name, [0])) == [threading.current_thread().name]


def threads():
    """Of each BLAS that has threads: some packages bring one that has none."""
    pools = [pool for pool in ThreadpoolController().info() if pool["user_api"] == "blas"]
    return [pool["num_threads"] for pool in pools if pool.get("threading_layer") != "disabled"]


@contextmanager
def two_blas_threads():
    """A BLAS of two threads inside the block, whatever thread of an earlier test was the last to decide about it."""
    _let_any_thread_decide()
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        assert set(threads()) == {2}
        yield


def test_the_blas_is_limited_inside_the_block_and_free_after_it():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = threads()
    with one_blas_thread():
        assert set(threads()) == {1}
    assert threads() == before
    with one_blas_thread(wanted=False):
        assert threads() == before


def test_blocks_that_overlap_free_the_blas_when_the_last_is_left():
    """As when two threads fit at once: the second begins while the BLAS is limited and ends after the first."""
    np.ones((2, 2)) @ np.ones((2, 2))
    with two_blas_threads():
        before = threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(threads()) == {1}
        second.__exit__(None, None, None)
        assert threads() == before


def test_a_block_that_ends_last_frees_the_blas_whatever_thread_limited_it():
    """The thread that came first is still alive, and may not keep the others from it."""
    np.ones((2, 2)) @ np.ones((2, 2))
    entered, leave, left, done = (threading.Event() for _ in range(4))

    def other():
        with one_blas_thread():
            entered.set()
            leave.wait()
        left.set()
        done.wait()

    thread = threading.Thread(target=other, daemon=True)
    with two_blas_threads():
        before = threads()
        thread.start()
        entered.wait()
        with one_blas_thread():
            first = threads()
            leave.set()
            left.wait()
            second = threads()
        after = threads()
        done.set()
        thread.join()
    assert (set(first), set(second), after) == ({1}, {1}, before)


@contextmanager
def interrupted_at(moment, codes):
    """Raises KeyboardInterrupt before the line of that number, counted from zero, that runs in one of these codes.

    Lines that begin with ``with`` are left out: they are traced on the way out as well, before what they hold is let
    go, and no signal is handled there.
    """
    seen = itertools.count()
    begins_with = lambda frame: linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with ")

    def trace(frame, event, _):
        if frame.f_code not in codes:
            return None
        if event == "line" and not begins_with(frame) and next(seen) == moment:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def test_an_interrupt_on_the_way_into_the_block_leaves_the_blas_as_it_was():
    np.ones((2, 2)) @ np.ones((2, 2))
    codes = {inspect.unwrap(one_blas_thread).__code__, type(_one_thread).enter.__code__}
    with two_blas_threads():
        before = threads()
        for moment in itertools.count():
            reached = False
            with contextlib.suppress(KeyboardInterrupt), interrupted_at(moment, codes), one_blas_thread():
                sys.settrace(None)
                reached = True
            assert threads() == before
            if reached:
                break
        assert moment > 5
        with one_blas_thread():
            assert set(threads()) == {1}
        assert threads() == before


def outcome_of_fork(child):
    """The exit code of a process forked here that runs ``child``; negative if it hangs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads, which is what is tested
        process = os.fork()
    if process == 0:
        signal.alarm(120)  # a child that waits for ever is ended
        code = 1
        try:
            child()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def limits_inside_and_after():
    with one_blas_thread():
        assert set(threads()) == {1}
    assert set(threads()) == {2}


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@needs_fork
def test_a_process_forked_while_another_thread_is_inside_starts_afresh():
    def child():
        assert set(threads()) == {2}
        limits_inside_and_after()

    np.ones((2, 2)) @ np.ones((2, 2))
    entered, done = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            entered.set()
            done.wait()

    with two_blas_threads():
        thread = threading.Thread(target=other, daemon=True)
        thread.start()
        entered.wait()
        outcome, here = outcome_of_fork(child), threads()
        done.set()
        thread.join()
        assert (outcome, set(here)) == (0, {1})
        limits_inside_and_after()


@needs_fork
def test_a_process_forked_inside_a_block_is_inside_it():
    np.ones((2, 2)) @ np.ones((2, 2))
    with two_blas_threads():
        block = one_blas_thread()
        block.__enter__()

        def child():
            assert set(threads()) == {1}
            block.__exit__(None, None, None)
            limits_inside_and_after()

        assert outcome_of_fork(child) == 0
        block.__exit__(None, None, None)
        limits_inside_and_after()


@needs_fork
def test_a_process_forked_while_another_thread_fits_does_not_wait_for_it():
    """A thread that is always just entering or leaving: its lock would never be free in the child."""
    done = threading.Event()

    def other():
        while not done.is_set():
            with one_blas_thread():
                pass

    thread = threading.Thread(target=other)
    thread.start()
    try:
        outcomes = [outcome_of_fork(lambda: one_blas_thread().__enter__()) for _ in range(10)]
    finally:
        done.set()
        thread.join()
    assert outcomes == [0] * 10


@contextmanager
def so_many_threads(monkeypatch, left):
    """A system that starts no more than ``left`` threads inside the block."""
    start = threading.Thread.start

    def started(thread):
        nonlocal left
        left -= 1
        if left < 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as scarce:
        scarce.setattr(threading.Thread, "start", started)
        scarce.setattr("surefit.threads.cores", lambda: 4)
        yield


@pytest.mark.parametrize("left", [0, 1, 2])
def test_where_threads_are_scarce_every_item_is_done_once_and_none_is_missed(monkeypatch, left):
    done = []
    with so_many_threads(monkeypatch, left):
        found = list(map_in_order(lambda k: (done.append(k), k * k)[1], range(200)))
    assert found == [k * k for k in range(200)]
    assert sorted(done) == list(range(200))


def test_without_threads_the_work_is_done_here_and_errors_come_as_they_would(monkeypatch):
    def fail():
        raise ZeroDivisionError

    def stop():
        raise KeyboardInterrupt

    with so_many_threads(monkeypatch, 0), Workers(2) as workers:
        assert workers.submit(threading.current_thread).result() is threading.current_thread()
        assert interruptible(float("inf"), threading.current_thread) is threading.current_thread()
        assert isinstance(workers.submit(fail).exception(), ZeroDivisionError)
        with pytest.raises(KeyboardInterrupt):
            workers.submit(stop)


LATE = """
import threading
import surefit.threads as threads
threads.cores = lambda: 2

def job():
    threading.main_thread().join()
    print(*threads.map_in_order(abs, [-1, -2, -3]))

threading.Thread(target=job).start()
"""


def test_the_work_goes_on_after_the_main_thread_has_ended():
    ran = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("1 2 3\n", "")


def test_what_waits_is_cancelled_with_the_workers():
    go, pool = threading.Event(), Workers(1)
    begun, waits = pool.submit(go.wait), pool.submit(int)
    pool.shutdown(wait=False, cancel_futures=True)
    go.set()
    assert begun.result(10)
    assert waits.cancelled()
