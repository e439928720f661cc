"""Layer data: how many threads the BLAS may use where more would only wait for each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    """Found once: looking for the loaded libraries costs milliseconds, limiting them microseconds."""
    return ThreadpoolController()


@contextmanager
def one_blas_thread(wanted: bool = True) -> Iterator[None]:
    """Single-threaded BLAS inside the block (if ``wanted``).

    For factorisations too small to share: on a busy machine threads that spin turn milliseconds into half a second.
    And for work that is split into threads of our own.
    """
    if not wanted:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield
