"""The entry point says its version, and an interrupt is an exit code."""

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
