"""One line says what runs, where somebody can see it, and nothing of it stays."""

import io
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from surefit import terminal
from surefit.progress import Task, off, on, silence, worked, working
from surefit.terminal import Line, RichLine, Screen, in_notebook, is_terminal, seen, shortened

pytest.importorskip("pty", reason="this system has no pseudo-terminals")


class Shown(io.StringIO):
    """A terminal that remembers."""

    def isatty(self):
        return True

    def lines(self):
        return [text for text in self.getvalue().replace("\r", "\n").split("\n") if text.strip()]

    def wait_for(self, text):
        end = time.monotonic() + 20
        while text not in self.getvalue():
            assert time.monotonic() < end, f"{text!r} was never shown: {self.getvalue()!r}"
            time.sleep(0.005)


@pytest.fixture
def shown(monkeypatch):
    stream = Shown()
    monkeypatch.setattr(terminal, "SCREEN", Screen())
    monkeypatch.setattr(terminal, "AFTER", 0.0)
    monkeypatch.setattr(terminal, "TICK", 0.005)
    monkeypatch.setattr(terminal, "seen", lambda: True)
    monkeypatch.setattr(terminal, "new_line", lambda: Line(stream))
    return stream


def test_the_outermost_loop_speaks_and_the_innermost_adds_detail(shown):
    with working("fitting Lasso"):
        shown.wait_for("fitting Lasso, ")
        folds = Task("choosing lam", 5, "fold")
        folds(2, 0.1)
        shown.wait_for("fitting Lasso, choosing lam: fold 3 of 5, ")
        inner = Task("lasso path", 100, "lam")
        inner(100, 0.1)
        shown.wait_for("choosing lam: fold 3 of 5 (lasso path: lam 100 of 100), ")
        del folds, inner
        with working("certifying"):
            shown.wait_for("fitting Lasso, certifying, ")


def test_the_line_is_wiped_when_the_work_ends_or_fails(shown):
    @worked("stumbling")
    def stumble():
        shown.wait_for("stumbling")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stumble()
    assert shown.getvalue().endswith(f"\r{' ' * len('stumbling, 0 s')}\r")
    length = len(shown.getvalue())
    with working("again"):
        shown.wait_for("again")
    assert len(shown.getvalue()) > length


def test_a_terminal_that_has_gone_away_stops_nothing_and_ended_loops_are_forgotten(shown):
    shown.flush = lambda: 1 / 0
    with working("far away"):
        for _ in range(500):
            Task("brief")
        assert len(terminal.SCREEN.loops) <= terminal.MANY
        shown.wait_for("far away")
    assert not terminal.SCREEN.is_free()


def test_work_goes_without_a_line_where_no_thread_starts_and_later_work_has_one(shown, monkeypatch):
    with monkeypatch.context() as scarce:
        scarce.setattr(threading.Thread, "start", _refuse)
        with working("unseen"):
            pass
    with working("seen again"):
        shown.wait_for("seen again")
    assert "unseen" not in shown.getvalue()


def _refuse(thread):
    raise RuntimeError("can't start new thread")


def test_short_work_shows_nothing(shown, monkeypatch):
    monkeypatch.setattr(terminal, "AFTER", 60.0)
    with working("brief"):
        time.sleep(0.05)
    assert shown.getvalue() == ""


def test_three_switches_turn_it_off(shown, monkeypatch):
    with silence(), working("in silence"):
        time.sleep(0.03)
    off()
    with working("switched off"):
        time.sleep(0.03)
    on()
    with working("switched on"):
        shown.wait_for("switched on")
    monkeypatch.setenv("SUREFIT_PROGRESS", "0")
    assert not Screen().is_free()
    assert all("switched on" in line for line in shown.lines())


def test_loops_of_other_threads_keep_quiet(shown):
    with working("folds side by side"):
        other = threading.Thread(target=lambda: shown.tasks.append(Task("in a thread")))
        shown.tasks = []
        other.start()
        other.join()
        shown.wait_for("folds side by side, ")
    assert "in a thread" not in shown.getvalue()


def test_nobody_sees_pipes_tests_threads_and_workers(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Shown())
    monkeypatch.setenv("TERM", "xterm")
    assert not seen()  # a test
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    assert seen()
    heard = []
    thread = threading.Thread(target=lambda: heard.append(seen()))
    thread.start()
    thread.join()
    assert heard == [False]
    with monkeypatch.context() as worker:
        worker.setattr(multiprocessing.current_process(), "_name", "LokyProcess-1")
        assert not seen()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not seen()
    assert not is_terminal(None)
    monkeypatch.setenv("TERM", "dumb")
    assert not is_terminal(Shown())


def test_a_notebook_gets_the_plain_line(monkeypatch):
    assert not in_notebook()
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert in_notebook()
    assert isinstance(terminal.new_line(), Line)


def test_without_rich_the_line_is_plain(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert isinstance(terminal.new_line(), Line)


def test_rich_draws_and_wipes_with_the_cursor_in_sight(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    stream = Shown()
    line = RichLine(stream)
    line.draw("choosing lam: fold 3 of 5, 12 s", 0.4)
    line.bar.refresh()
    line.wipe()
    assert "fold 3 of 5, 12 s" in stream.getvalue()
    assert stream.getvalue().rindex("\x1b[?25h") > stream.getvalue().rindex("\x1b[?25l")
    assert stream.getvalue().endswith("\x1b[2K")  # the line is erased, the cursor on it


def test_long_lines_keep_their_end():
    assert shortened("a" * 100 + ", 12 s", 79).endswith("..., 12 s")
    assert len(shortened("a" * 100, 79)) == 79


SCRIPT = """
import os, sys, time
import surefit.terminal as terminal
from surefit.progress import Task, working
terminal.AFTER, terminal.TICK = 0.0, 0.01
sys.modules["rich.console"] = None
with working("whole"):
    tell = Task("folding", 5, "fold")
    tell(1, 0.0)
    time.sleep(0.5)
    if os.fork() == 0:
        with working("of a child"):
            time.sleep(0.1)
        os._exit(0)
    os.wait()
    raise ValueError("broken")
"""


def test_a_crash_leaves_a_terminal_clean_and_children_are_silent():
    import pty

    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    environment |= {"TERM": "xterm", "COLUMNS": "80"}
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], stderr=theirs, env=environment)
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        said += more
    assert child.wait() == 1
    os.close(ours)
    text = said.decode()
    assert "whole, folding: fold 2 of 5, " in text
    assert "of a child" not in text
    assert text.index(" " * 20 + "\r") < text.index("Traceback")  # wiped first
