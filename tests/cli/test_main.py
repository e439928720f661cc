"""The entry point says its version, and an interrupt is an exit code."""

import io
import sys

import pytest
from typer.testing import CliRunner

from surefit import __version__
from surefit.cli import main as entry


def test_the_version_is_printed():
    assert CliRunner().invoke(entry.app, ["--version"]).stdout == f"surefit {__version__}\n"


def test_an_interrupt_ends_with_130(monkeypatch, capsys):
    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "app", stopped)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 130
    assert "nothing was left half-written" in capsys.readouterr().err


def test_errors_of_the_operating_system_are_said_without_their_number(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["surefit", "predict", "nomodel", "x.csv"])
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 5
    assert capsys.readouterr().err.startswith("surefit: nomodel: no such model file; check the path")


def test_streams_that_the_caller_has_closed_lead_nowhere(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    monkeypatch.setattr(sys, "argv", ["surefit", "stream"])
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 2
    assert sys.stdin.read() == ""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()


def test_letters_that_a_stream_cannot_hold_are_spelt_out(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    monkeypatch.setattr(entry, "app", lambda: print("größe"))
    entry.main()
    sys.stdout.flush()
    assert written.getvalue().split() == [b"gr\\xf6\\xdfe"]
