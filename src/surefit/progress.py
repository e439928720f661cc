"""Below all layers: how a long computation says where it is.

In: loops that hold a `Task`, inside work that is marked as `working`.  Out: one line on the terminal or in the notebook
after two seconds (`surefit.terminal` writes it), or `Progress` records to the callback of `reporting`.  A loop pays one
cheap call per iteration.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

from surefit import terminal

AFTER = terminal.AFTER
"""Seconds of silence before the first report: shorter work needs none."""

EVERY = 0.5
"""Seconds between reports."""

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Progress:
    """Where a computation stands: ``step`` of ``total``, and the ``error`` that is left, nan where a loop has none.

    ``unit`` names what is counted where every one of ``total`` will be done; without it ``total`` is only a limit.
    """

    task: str
    step: int
    total: int | None
    error: float
    seconds: float
    unit: str | None = None

    def __str__(self) -> str:
        left = "" if math.isnan(self.error) else f", error {self.error:.2e}"
        return f"{self.short}{left}, {self.seconds:.1f} s"

    @property
    def short(self) -> str:
        """The task and its step alone.

        >>> Progress("choosing lam", 2, 5, 0.1, 3.0, "fold").short
        'choosing lam: fold 2 of 5'
        >>> Progress("Newton's method", 2, 100, 0.1, 3.0).short
        "Newton's method: step 2 of at most 100"
        """
        limit = " of" if self.unit else " of at most"
        of = "" if self.total is None else f"{limit} {self.total:,}"
        return f"{self.task}: {self.unit or 'step'} {self.step:,}{of}"


@dataclass(frozen=True)
class _Listener:
    callback: Callable[[Progress], None] | None
    after: float = AFTER
    every: float = EVERY


_NOBODY = _Listener(None)
_LISTENER: ContextVar[_Listener | None] = ContextVar("surefit_progress", default=None)  # None: the terminal


@contextmanager
def _listening(listener: _Listener) -> Iterator[None]:
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def reporting(callback: Callable[[Progress], None], after: float = AFTER, every: float = EVERY) -> Iterator[None]:
    """Send the progress of everything inside the ``with`` block to ``callback``, not to the terminal.

    The innermost block wins.  A callback that raises stops the computation: that is how to cancel one.

    >>> from surefit.solvers.any_loss.descent import GradientDescent
    >>> with reporting(print):
    ...     GradientDescent().max_iter            # short work says nothing
    10000
    """
    with _listening(_Listener(callback, after, every)):
        yield


@contextmanager
def silence() -> Iterator[None]:
    """Let nothing inside the ``with`` block report.

    >>> with reporting(print, after=0.0), silence():
    ...     Task("on the side")(1, 0.5)
    """
    with _listening(_NOBODY):
        yield


def off() -> None:
    """Show no progress on the terminal or in the notebook from now on; ``SUREFIT_PROGRESS=0`` does it from outside."""
    terminal.SCREEN.wanted = False


def on() -> None:
    """Show progress again, where somebody can see it: the default."""
    terminal.SCREEN.wanted = True


@contextmanager
def working(title: str) -> Iterator[None]:
    """Marks work that a user asked for: what runs inside shows on the terminal, which is clean again afterwards.

    ``title`` says what it is about.  Inside other work it is a detail of that.
    """
    if _LISTENER.get() is not None or not terminal.SCREEN.is_free():
        part = Task(title)  # shown for as long as it lives
        yield
        del part
        return
    try:
        terminal.SCREEN.begin(title)
        yield
    finally:
        terminal.SCREEN.end()


def worked(title: str) -> Callable[[Function], Function]:
    """Decorates a function that is `working` while it runs.

    >>> worked("counting")(len)([1, 2])
    2
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def run(*args: Any, **options: Any) -> Any:
            with working(title):
                return function(*args, **options)

        return cast(Function, run)

    return decorate


@dataclass(eq=False)
class Task:
    """One loop's voice: call it once per iteration with the step and the error left.

    ``unit`` says what a step is where all ``total`` of them are done one after the other, such as folds; the terminal
    then names the one that runs.  Without it ``total`` is the limit of an iteration that may end earlier.

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
    unit: str | None = None
    step: int = field(default=0, init=False, repr=False)
    _listener: _Listener | None = field(default_factory=_LISTENER.get, init=False, repr=False)
    _start: float = field(default_factory=time.perf_counter, init=False, repr=False)
    _due: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self._listener is None:
            terminal.SCREEN.join(self)

    def __call__(self, step: int, error: float) -> None:
        """Report, if somebody listens and it is time."""
        self.step = step
        listener = self._listener
        if listener is None or listener.callback is None:
            return
        now = time.perf_counter() - self._start
        if now >= max(self._due, listener.after):
            self._due = now + listener.every
            listener.callback(Progress(self.name, step, self.total, float(error), now, self.unit))

    @property
    def stage(self) -> str:
        """What runs now, in a few words: the fold after those that are done, or the step that was last told.

        >>> tell = Task("choosing lam", 5, "fold")
        >>> tell.stage
        'choosing lam: fold 1 of 5'
        """
        if self.unit and self.total:
            return Progress(self.name, min(self.step + 1, self.total), self.total, 0.0, 0.0, self.unit).short
        return Progress(self.name, self.step, None, 0.0, 0.0).short if self.step else self.name
