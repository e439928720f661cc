"""``surefit lab``: tables, exit codes, settings, and one sentence for a wrong call."""

import json

import pytest
from typer.testing import CliRunner

from surefit.cli.main import app, main

run = CliRunner().invoke


def test_claims_are_listed():
    assert "T-11    Expected excess risk" in run(app, ["lab", "list"]).stdout


def test_a_claim_is_run_kept_and_reported(tmp_path):
    out = tmp_path / "kept"
    done = run(app, ["lab", "run", "T-21", "--out", str(out), "--workers", "1"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1].startswith("T-21   holds within rounding")
    assert max(map(len, done.stdout.splitlines())) <= 80
    page = tmp_path / "lab.html"
    assert run(app, ["lab", "report", "--kept", str(out), "--out", str(page)]).exit_code == 0
    assert "1 of 1 claims" in page.read_text()


def test_settings_are_passed_on_and_broken_assumptions_named(tmp_path):
    words = ["lab", "run", "T-11", "--out", str(tmp_path), "--repeats", "10", "--n", "5", "--d", "10"]
    done = run(app, words)
    assert "broken assumption: the design has full column rank" in done.stdout
    assert "observed is" in done.stdout  # the reason why it is undecided
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.exit_code == 1


def test_json_has_one_object_a_claim_with_settings_and_broken_assumptions(tmp_path):
    words = ["lab", "run", "T-20", "--json", "--out", str(tmp_path), "--n", "11", "--repeats", "80"]
    found = json.loads(run(app, words).stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert (found["id"], found["judgement"]["verdict"], found["judgement"]["high"]) == ("T-20", "undecided", None)
    assert (found["settings"], found["seed"]) == ({"n": 11, "d": 10, "sigma": 1.0}, 0)
    assert found["broken"][0] == "n >= d + 2"


def test_several_claims_end_with_a_summary(tmp_path):
    done = run(app, ["lab", "run", "T-21", "E-105", "--out", str(tmp_path), "--workers", "1"])
    assert "2 of 2 claims came out as their theorems say." in done.stdout


def test_a_repeat_is_replayed():
    done = run(app, ["lab", "replay", "T-11", "--repeat", "70", "--n", "30"])
    assert done.stdout.startswith("T-11, seed 0, repeat 70: observed / predicted = ")


def test_nothing_of_the_catalogue_is_missing():
    done = run(app, ["lab", "check"])
    assert done.exit_code == 0
    assert "0 without either" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lab", "run"], "no claim was named"),
        (["lab", "run", "--all", "T-20"], "but the claim T-20 was given too; leave out one of the two"),
        (["lab", "run", "--all", "--n", "3"], "but the setting --n was given too"),
        (["lab", "run", "T-58"], "T-58 is not tried: that a problem is NP-complete is proved by a reduction"),
        (["lab", "run", "T-11", "--workers", "0"], "workers must be a whole number >= 1, got 0"),
        (["lab", "run", "T-999"], "the lab has no claim 'T-999'"),
        (["lab", "run", "T-11", "--q", "3"], "T-11 has no setting 'q'"),
        (["lab", "run", "T-11", "--n", "many"], "a setting is a number, got 'many'"),
        (["lab", "report", "--kept", "nowhere"], "nowhere has no outcomes"),
    ],
)
def test_a_wrong_call_is_one_sentence(words, said, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["surefit", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
