"""Below all layers: how a long computation says where it is.  Off unless somebody listens.

In: a callback, for the length of a ``with`` block.  Out: `Progress` records, none before ``after`` seconds of work
and at most one every ``every`` seconds.  A loop pays one cheap call per iteration, and nothing when nobody listens.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

AFTER = 2.0
"""Seconds of silence before the first report: shorter work needs none."""

EVERY = 0.5
"""Seconds between reports."""


@dataclass(frozen=True)
class Progress:
    """Where a computation stands: ``step`` of at most ``total``, and the number by which it will stop."""

    task: str
    step: int
    total: int | None
    error: float
    seconds: float

    def __str__(self) -> str:
        of = "" if self.total is None else f" of at most {self.total}"
        return f"{self.task}: step {self.step}{of}, error {self.error:.2e}, {self.seconds:.1f} s"


@dataclass(frozen=True)
class _Listener:
    callback: Callable[[Progress], None]
    after: float
    every: float


_LISTENER: ContextVar[_Listener | None] = ContextVar("surefit_progress", default=None)


@contextmanager
def reporting(callback: Callable[[Progress], None], after: float = AFTER, every: float = EVERY) -> Iterator[None]:
    """Send the progress of everything inside the ``with`` block to ``callback``; the innermost block wins.

    A callback that raises stops the computation: that is how to cancel one.

    >>> from surefit.solvers.gradient import GradientDescent
    >>> with reporting(print):
    ...     GradientDescent().max_iter            # short work says nothing
    10000
    """
    token = _LISTENER.set(_Listener(callback, after, every))
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def silence() -> Iterator[None]:
    """Let nothing inside the ``with`` block report: short work on the side of a computation that has its own voice.

    >>> with reporting(print, after=0.0), silence():
    ...     Task("on the side")(1, 0.5)
    """
    token = _LISTENER.set(None)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@dataclass
class Task:
    """One loop's voice: call it once per iteration with the step and the error left.

    >>> said = []
    >>> with reporting(said.append, after=0.0, every=0.0):
    ...     tell = Task("demo", total=2)
    ...     for step in (1, 2):
    ...         tell(step, 0.5 / step)
    >>> [(one.step, one.error) for one in said]
    [(1, 0.5), (2, 0.25)]
    """

    name: str
    total: int | None = None
    _listener: _Listener | None = field(default_factory=_LISTENER.get, repr=False)
    _start: float = field(default_factory=time.perf_counter, repr=False)
    _due: float = field(default=0.0, repr=False)

    def __call__(self, step: int, error: float) -> None:
        """Report, if somebody listens and it is time."""
        listener = self._listener
        if listener is None:
            return
        now = time.perf_counter() - self._start
        if now >= max(self._due, listener.after):
            self._due = now + listener.every
            listener.callback(Progress(self.name, step, self.total, float(error), now))
