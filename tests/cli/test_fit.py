"""The command line from a table to predictions."""

import json
import os
import struct
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from surefit.cli.fit import progress_line
from surefit.cli.main import app, main
from surefit.study.contest.candidates import Entry
from tests.study.samples import cheap_entries

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=150), "colour": rng.choice(["red", "blue"], 150)})
    frame["y"] = 2 * frame["x"] + (frame["colour"] == "red") + 0.3 * rng.normal(size=150)
    frame.to_csv(place / "table.csv", index=False)
    words = ["fit", str(place / "table.csv"), "--target", "y", "--budget", "30s", "--out", str(place / "out")]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    (place / "said.txt").write_text(result.output)
    return place


def test_fit_prints_leaderboard_certificate_and_paths_in_80_columns(folder):
    said = (folder / "said.txt").read_text()
    for word in ("Leaderboard", "Certificate", "report.html", "model.surefit"):
        assert word in said
    assert max(len(line) for line in said.splitlines() if str(folder) not in line) <= 80


def test_fit_leaves_report_and_model_and_nothing_else(folder):
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "model.surefit", "report.html", "report.json", "report.md",
    ]  # fmt: skip


def test_predict_writes_a_row_for_each_row(folder):
    words = ["predict", str(folder / "out/model.surefit"), str(folder / "table.csv"), "--intervals", ".9"]
    lines = runner.invoke(app, words).stdout.splitlines()
    assert lines[0] == "y,lower,upper"
    assert len(lines) == 151
    low, high = (float(lines[1].split(",")[k]) for k in (1, 2))
    assert low < float(lines[1].split(",")[0]) < high


def test_predict_reads_standard_input_and_names_unknown_levels(folder):
    words = ["predict", str(folder / "out/model.surefit"), "-", "--json"]
    found = runner.invoke(app, words, input="x,colour\n0.5,violet\n")
    assert json.loads(found.stdout.splitlines()[0])["y"] == pytest.approx(1, abs=1.5)
    assert "violet" in found.stderr


def test_a_table_that_lacks_a_column_is_refused(folder):
    found = runner.invoke(app, ["predict", str(folder / "out/model.surefit"), "-"], input="colour\nred\n")
    assert "lacks the column 'x'" in str(found.exception)


def test_explain_and_certify(folder):
    model = str(folder / "out/model.surefit")
    facts = json.loads(runner.invoke(app, ["explain", model, "--json"]).stdout)
    assert facts["target"] == "y, regression"
    refused = runner.invoke(app, ["certify", model, str(folder / "table.csv")])
    assert refused.exit_code != 0


def test_settings_can_be_written_and_read(folder):
    settings = folder / "settings.toml"
    found = runner.invoke(app, ["init", str(folder / "table.csv"), "--target", "y", "--out", str(settings)])
    assert found.exit_code == 0
    settings.write_text(settings.read_text().replace('colour = "category"', 'colour = "left out"'))
    words = ["fit", str(folder / "table.csv"), "--config", str(settings), "--json", "--budget", "20s"]
    record = json.loads(runner.invoke(app, [*words, "--out", str(folder / "again")]).stdout)
    assert {one["name"]: one["kind"] for one in record["columns"]}["colour"] == "left out"


def test_leaderboard_and_certificate_are_printed_even_if_the_model_cannot_be_written(folder, tmp_path, monkeypatch):
    def full(model, path):
        raise OSError("no space left on device")

    monkeypatch.setattr("surefit.store.file.save", full)
    words = ["fit", str(folder / "table.csv"), "--target", "y", "--budget", "20s", "--out", str(tmp_path / "out")]
    found = runner.invoke(app, words)
    assert "no space left" in str(found.exception)
    assert "Leaderboard" in found.stdout
    assert "Certificate" in found.stdout
    assert "model.surefit" not in found.stdout


def test_fit_without_a_target_names_the_option(folder):
    found = runner.invoke(app, ["fit", str(folder / "table.csv")])
    assert found.exit_code == 2
    assert "--target COLUMN" in found.stderr


def test_a_misspelt_target_is_told_the_nearest_column(folder):
    found = runner.invoke(app, ["fit", str(folder / "table.csv"), "--target", "color"])
    assert "did you mean 'colour'?" in str(found.exception)


def test_an_interrupted_fit_says_that_the_same_command_goes_on(folder, tmp_path, monkeypatch, capsys):
    usual = Entry.fit

    def interrupted(self, X, y, weight=None):
        if self.name == "lasso":
            raise KeyboardInterrupt
        return usual(self, X, y, weight)

    monkeypatch.setattr(Entry, "fit", interrupted)
    words = ["surefit", "fit", str(folder / "table.csv"), "--target", "y", "--out", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", [*words, "--budget", "1h"])  # on a busy machine too the lasso has its turn
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert f"kept in {tmp_path / 'out/unfinished'}; the same command goes on" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["unfinished"]


def said(monkeypatch, capsys, *words):
    """The exit code and what is said on stderr."""
    monkeypatch.setattr("sys.argv", ["surefit", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, capsys.readouterr().err


def test_a_column_is_dropped_and_an_unknown_one_is_an_error(folder, tmp_path, monkeypatch, capsys):
    words = ["fit", folder / "table.csv", "--target", "y", "--budget", "10s", "--out", tmp_path / "out", "--json"]
    found = runner.invoke(app, [*map(str, words), "--drop", "colour"])
    assert {one["name"]: one["kind"] for one in json.loads(found.stdout)["columns"]}["colour"] == "left out"
    code, text = said(monkeypatch, capsys, *words, "--drop", "colour", "--drop", "nonexist")
    assert code == 3
    assert "the table has no column 'nonexist'; its columns are 'x', 'colour'" in text


def test_a_recall_of_numbers_is_one_sentence(folder, tmp_path, monkeypatch, capsys):
    words = ["fit", folder / "table.csv", "--target", "y", "--recall", ".9", "--out", tmp_path / "out"]
    code, text = said(monkeypatch, capsys, *words)
    assert code == 3
    assert text.startswith("surefit: recall needs classes, and 'y' holds numbers; leave recall out")


def test_settings_that_are_not_there_and_a_file_as_a_folder_are_sentences(folder, tmp_path, monkeypatch, capsys):
    words = ["fit", folder / "table.csv", "--target", "y"]
    code, text = said(monkeypatch, capsys, *words, "--config", tmp_path / "nope.toml")
    assert (code, "Errno" in text) == (5, False)
    assert f"there is no file {tmp_path / 'nope.toml'} of settings; check the path, or surefit init" in text
    code, text = said(monkeypatch, capsys, *words, "--config", tmp_path)
    assert (code, "Errno" in text) == (5, False)
    assert f"the settings {tmp_path} cannot be read" in text
    for out in (folder / "table.csv", folder / "table.csv" / "deeper"):
        code, text = said(monkeypatch, capsys, *words, "--out", out)
        assert (code, "Errno" in text) == (5, False)
        assert f"{folder / 'table.csv'} is a file, and report and model need a folder; give --out another name" in text


def test_the_order_of_dates_and_equal_rows_have_options_that_the_terminal_names(monkeypatch, tmp_path):
    monkeypatch.setattr("surefit.study.study.entries", cheap_entries)
    rng = np.random.default_rng(0)
    day, month = rng.integers(1, 13, 200), rng.integers(1, 13, 200)
    rows = pd.DataFrame({"day": [f"{a:02}/{b:02}/2024" for a, b in zip(day, month, strict=True)]})
    rows["y"] = 1.0 * day
    pd.concat([rows, rows.iloc[:100]]).to_csv(tmp_path / "t.csv", index=False)
    words = ["fit", str(tmp_path / "t.csv"), "--target", "y", "--task", "regression", "--out", str(tmp_path / "out")]
    found = runner.invoke(app, words)
    said = " ".join(found.output.replace("\n! ", " ").replace("\n  ", " ").split())
    assert "SF116 issue" in said
    assert "--dates dmy" in said
    assert "Warning" not in found.stderr
    found = runner.invoke(app, [*words, "--dates", "dmy", "--equal-rows-are-draws"])
    assert found.exit_code == 0, found.output
    assert "SF116" not in found.output
    assert "equal_rows_are_draws" not in found.output


def test_the_line_keeps_to_a_narrow_terminal_and_falls_silent_when_that_goes_away(monkeypatch):
    """Standard output may be a file, and is not asked for the width."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    termios = pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl = pytest.importorskip("fcntl")
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    write = lambda text: os.write(theirs, text.encode())
    stream = SimpleNamespace(isatty=lambda: True, fileno=lambda: theirs, write=write, flush=lambda: None)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLUMNS", raising=False)
    say, wipe = progress_line()
    say("fitting the model of a very long name that no narrow terminal could ever hold")
    line = os.read(ours, 1000).decode().strip("\r")
    assert line.startswith("fitting")
    assert len(line) == 39
    os.close(ours)
    for _ in range(2):
        say("nobody hears this")
        wipe()
    os.close(theirs)
