"""Below all layers: the one line on a terminal or in a notebook that says what runs.

In: work that begins and ends on the main thread, and the loops inside it.  Out: a line on stderr after two seconds,
drawn by rich where it is installed, otherwise rewritten in place, and wiped when the work ends.  A thread of its own
draws it, so it also moves while a single long product runs; that thread sleeps while nothing works.
"""

from __future__ import annotations

import contextvars
import multiprocessing
import os
import shutil
import sys
import threading
import time
import weakref
from typing import Any, Protocol

AFTER = 2.0
"""Seconds of work before anything shows."""

TICK = 0.25
"""Seconds between looks at the work."""

MANY = 100
"""Loops of one piece of work from which those that have ended are forgotten."""


class Loop(Protocol):
    """What runs: a `surefit.progress.Task`."""

    @property
    def stage(self) -> str: ...  # in a few words

    step: int
    total: int | None
    unit: str | None


class Line:
    """Text that rewrites itself in place.

    The cursor rests at its beginning, so that a warning begins a line of its own, not in the middle of this one.
    """

    def __init__(self, stream: Any, in_notebook: bool = False):
        self.stream, self.text = stream, ""
        self.columns = 80 if in_notebook else columns_of(stream)

    def draw(self, text: str, share: float | None) -> None:
        """Write ``text`` over what is there."""
        text = shortened(text, self.columns - 1)
        if text != self.text:
            self._write(text)

    def wipe(self) -> None:
        """Leave nothing."""
        self._write("")

    def _write(self, text: str) -> None:
        self.stream.write(f"\r{text.ljust(len(self.text))}\r")
        self.stream.flush()
        self.text = text


class RichLine:
    """The same with rich's spinner and bar.  The cursor stays visible: a process that is killed leaves it so."""

    def __init__(self, stream: Any):
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        console = Console(file=stream)
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(bar_width=16)
        self.bar = Progress(*columns, console=console, transient=True, redirect_stdout=False)
        self.bar.start()
        console.show_cursor(True)
        self.room = console.width - 22
        self.task = self.bar.add_task("", total=None)

    def draw(self, text: str, share: float | None) -> None:
        """Show ``text``, and the ``share`` that is done as a bar."""
        total, done = (None, 0.0) if share is None else (1.0, share)
        self.bar.update(self.task, description=shortened(text, self.room), total=total, completed=done)

    def wipe(self) -> None:
        """Leave nothing."""
        self.bar.stop()


class Screen:
    """What of the work on the main thread is to be seen, and the thread that draws it."""

    def __init__(self, wanted: bool = True) -> None:
        self.wanted = wanted and os.environ.get("SUREFIT_PROGRESS", "1").lower() not in ("0", "off", "no", "false")
        self.lock, self.awake = threading.Lock(), threading.Event()
        self.worker: threading.Thread | None = None
        self.title: str | None = None
        self.start, self.context = 0.0, contextvars.copy_context()
        self.loops: list[weakref.ref[Loop]] = []
        self.line: Line | RichLine | None = None

    def is_free(self) -> bool:
        """Whether work that begins now is to be seen: it is the outermost, and there is somebody to see it."""
        return self.wanted and self.title is None and seen()

    def begin(self, title: str) -> None:
        """From now on ``title`` runs; asked of a screen that `is_free`."""
        with self.lock:
            self.title, self.start, self.loops = title, time.perf_counter(), []
            self.context = contextvars.copy_context()  # a notebook finds by it the cell that asked
        if self.worker is None:
            worker = threading.Thread(target=self._watch, name="surefit-progress", daemon=True)
            try:
                worker.start()
            except RuntimeError:  # the system allows no more threads: this work goes without a line
                return
            self.worker = worker
        self.awake.set()

    def end(self) -> None:
        """The work is over: nothing of it stays."""
        with self.lock:
            self.title, line, self.line = None, self.line, None
            try:
                if line is not None:
                    line.wipe()
            except Exception:  # the terminal has gone away
                self.wanted = False

    def join(self, loop: Loop) -> None:
        """A loop of the work that runs on this thread; it leaves when its function does."""
        if self.title is not None and threading.current_thread() is threading.main_thread():
            if len(self.loops) >= MANY:
                self.loops = [ref for ref in self.loops if ref() is not None]
            self.loops.append(weakref.ref(loop))

    def text(self, now: float) -> tuple[str, float | None]:
        """What runs, and the share of its outermost loop that is done, if that is known."""
        running = [loop for ref in tuple(self.loops) if (loop := ref()) is not None]
        said, share = str(self.title), None
        if running:
            outer, inner = running[0], running[-1]
            said = f"{said}, {outer.stage}" + (f" ({inner.stage})" if inner is not outer else "")
            share = outer.step / outer.total if outer.unit and outer.total else None
        return f"{said}, {now - self.start:.0f} s", share

    def _watch(self) -> None:
        while True:
            self.awake.wait()
            time.sleep(TICK)
            with self.lock:
                if self.title is None:
                    self.awake.clear()
                elif time.perf_counter() - self.start >= AFTER:
                    self.context.copy().run(self._draw)

    def _draw(self) -> None:
        try:
            self.line = self.line or new_line()
            self.line.draw(*self.text(time.perf_counter()))
        except Exception:  # a terminal that has gone away is no reason to stop
            self.wanted = False


def shortened(text: str, room: int) -> str:
    """``text`` with its middle left out where it is longer than ``room``: its end counts the seconds.

    >>> shortened("choosing lam: fold 3 of 5 (lasso path), 12 s", 30)
    'choosing lam: fold 3 ..., 12 s'
    """
    return text if len(text) <= room else f"{text[: room - 9]}...{text[-6:]}"


def seen() -> bool:
    """Whether somebody watches stderr: a terminal or a notebook, from the main thread of the main process.

    >>> seen()
    False
    """
    if threading.current_thread() is not threading.main_thread() or "PYTEST_CURRENT_TEST" in os.environ:
        return False
    if multiprocessing.current_process().name != "MainProcess":
        return False
    return in_notebook() or is_terminal(sys.stderr)


def is_terminal(stream: Any) -> bool:
    """Whether ``stream`` is a terminal that can rewrite a line."""
    try:
        return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # no stream at all, or a closed one
        return False


def columns_of(stream: Any) -> int:
    """Columns of the terminal that ``stream`` is; standard output, of which Python asks them, may be elsewhere."""
    try:
        found = 0 if os.environ.get("COLUMNS") else os.get_terminal_size(stream.fileno()).columns
    except (AttributeError, ValueError, OSError):
        found = 0
    return max(20, found or shutil.get_terminal_size().columns)


def in_notebook() -> bool:
    """Whether this runs in a notebook's kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def new_line() -> Line | RichLine:
    """The line to draw on: rich's on a terminal where it is installed, a plain one elsewhere."""
    if in_notebook():
        return Line(sys.stderr, in_notebook=True)
    try:
        return RichLine(sys.stderr)
    except ImportError:
        return Line(sys.stderr)


SCREEN = Screen()
if hasattr(os, "register_at_fork"):  # a child shares the terminal of its parent, which speaks, but not its threads
    os.register_at_fork(after_in_child=lambda: SCREEN.__init__(wanted=False))  # type: ignore[misc]
