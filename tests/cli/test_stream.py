"""``surefit stream``: a progress table, a checkpoint, and a run that goes on from it."""

import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from surefit import Stream, WidrowHoff, load
from surefit.cli.main import app
from surefit.cli.stream import streamed


def events(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return [json.dumps({"a": a, "b": b, "price": a - b}) + "\n" for a, b in X.tolist()]


def test_the_table_has_a_line_for_every_power_of_two(tmp_path):
    path, lines = tmp_path / "m.surefit", events()
    found = CliRunner().invoke(app, ["stream", "--target", "price", "--step", "0.05", "--checkpoint", str(path)],
                               input="".join(lines[:20]))  # fmt: skip
    assert found.exit_code == 0, found.output
    assert [line.split()[0] for line in found.output.splitlines()[:7]] == ["rows", "1", "2", "4", "8", "16", "20"]
    found = CliRunner().invoke(
        app, ["stream", "--target", "price", "--checkpoint", str(path)], input="".join(lines[20:])
    )
    assert found.output.splitlines()[2].split()[0] == "40"
    whole = Stream(WidrowHoff(0.05))
    list(whole.run(io.StringIO("".join(lines)), "price", format="jsonl"))
    np.testing.assert_array_equal(load(path).model.coef_, whole.model.coef_)


def test_csv_and_wrong_calls():
    found = CliRunner().invoke(app, ["stream", "--csv", "--model", "classification", "--classes", "0,1"],
                               input="a,y\n1,1\n-1,0\n2,1\n")  # fmt: skip
    assert found.exit_code == 0, found.output
    with pytest.raises(ValueError, match="model must be one of"):
        CliRunner().invoke(app, ["stream", "--model", "deep"], input="", catch_exceptions=False)


def test_ctrl_c_leaves_a_model_that_goes_on(tmp_path):
    class Interrupted(io.StringIO):
        def __iter__(self):
            yield from events()
            raise KeyboardInterrupt

    path, out = tmp_path / "m.surefit", io.StringIO()
    stream = Stream(WidrowHoff(0.05))
    source = Interrupted()
    source.readline = lambda: ""
    assert streamed(stream, source, "price", "jsonl", path, out) == 130
    assert load(path).model.rows_ == stream.model.rows_ == 40


def test_a_refused_row_leaves_the_rows_before_it_and_names_the_option(tmp_path):
    path, lines = tmp_path / "m.surefit", events(12)
    bad = json.dumps({"a": "oops", "b": 0.0, "price": 1.0}) + "\n"
    found = CliRunner().invoke(app, ["stream", "--target", "price", "--checkpoint", str(path)],
                               input="".join([*lines[:10], bad, *lines[10:]]))  # fmt: skip
    assert "count such rows with --skip; the 10 rows" in str(found.exception)
    assert load(path).model.rows_ == 10
    nothing = tmp_path / "none.surefit"
    CliRunner().invoke(app, ["stream", "--target", "price", "--checkpoint", str(nothing)], input=bad)
    assert not nothing.exists()


def run(*options, rows):
    return CliRunner().invoke(app, ["stream", "--target", "price", *options], input="".join(rows))


def test_a_resume_refuses_options_that_differ_from_what_the_stream_was_begun_with(tmp_path):
    path, lines = str(tmp_path / "m.surefit"), events()
    begun = ["--step", "0.05", "--level", "2", "--upper", "9", "--checkpoint", path]
    assert run(*begun, rows=lines[:20]).exit_code == 0
    changed = [("level", "3", "with 2"), ("upper", "8", "with 9"), ("step", "0.1", "with 0.05"),
               ("schedule", "sqrt", "with constant"), ("model", "regression", "with widrow-hoff"),
               ("classes", "0,1", "without it"), ("target", "cost", "with price"),
               ("alarm", "run-length", "with ever")]  # fmt: skip
    for name, value, before in changed:
        found = CliRunner().invoke(app, ["stream", f"--{name}", value, "--checkpoint", path], input="".join(lines[20:]))
        assert f"--{name} {value} was given, and the stream of {path} was begun {before}; leave --{name} out" in str(
            found.exception
        )
    assert load(path).model.rows_ == 20
    assert run(*begun, rows=lines[20:30]).exit_code == 0
    assert CliRunner().invoke(app, ["stream", "--checkpoint", path], input="".join(lines[30:])).exit_code == 0
    assert load(path).model.rows_ == 40


def test_rules_for_bad_rows_may_change_with_a_resume(tmp_path):
    path, lines = str(tmp_path / "m.surefit"), events()
    bad = [*lines[:10], '{"a": 1.0, "price": 1.0}\n', *lines[10:]]
    found = run("--checkpoint", path, rows=bad)
    assert "has no feature 'b'; give it, or count missing features as zero with --missing zero" in str(found.exception)
    assert "Skipped rows: 1." in run("--checkpoint", path, "--skip", rows=bad[10:]).output
    found = run("--checkpoint", path, "--missing", "zero", rows=bad[10:11])
    assert "Rows in which a missing feature counted as zero: 1." in found.output


def test_skip_counts_whatever_cannot_be_learnt_from():
    lines = events(20)
    bad = ['{"a": 1.0, "b":\n', '{"a": 1.0, "b": 1.0}\n', '{"a": 1.0, "b": 1.0, "price": null}\n',
           '{"a": 1.0, "b": 1.0, "price": "dear"}\n', '{"a": 1.0, "price": 1.0}\n',
           '{"a": 1e20, "b": 1.0, "price": 1.0}\n',
           '{"a": null, "b": 1.0, "price": 1.0}\n', '{"a": "red", "b": 1.0, "price": 1.0}\n', "[1]\n"]  # fmt: skip
    found = run("--skip", rows=[*lines[:5], *bad, *lines[5:]])
    assert found.exit_code == 0, found.output
    assert "Skipped rows: 9." in found.output
    assert "29 rows." in found.output
    table = "a,b,price\n1,2,3\nred,2,3\n1,2,dear\n1,2\n1,2,3,4\n2,1,\n2,1,1\n"
    found = run("--skip", "--csv", rows=[table])
    assert "Skipped rows: 5." in found.output, found.output


def test_messages_name_options_and_what_stands_before_a_bad_cell_of_csv_is_kept(tmp_path):
    path = tmp_path / "m.surefit"
    found = run("--csv", "--checkpoint", str(path), rows=["a,price\n1,2\n2,3\nred,4\n5,6\n"])
    assert str(found.exception).startswith("row 2 of the stream has 'red' as feature 'a', which is not a number")
    assert load(path).model.rows_ == 2
    assert load(path).report().rows == 2
    assert "give --csv" in str(run(rows=["a,price\n1,2\n"]).exception)
    assert "'price'; give the right name with --target" in str(run("--target", "y", rows=events(1)).exception)
    assert "give the right name with --target" in str(run("--csv", "--target", "y", rows=["a,b\n1,2\n"]).exception)
    assert "there is nothing to read" in str(run(rows=[]).exception)
    assert "see surefit stream --help" in str(run("--missing", "mean", rows=events(1)).exception)
    assert "leave out --csv" in str(run("--csv", rows=events(3)).exception)
    assert "declare it with --upper" in str(run("--level", "1", rows=events(3)).exception)
    assert "--farthest inf" in str(run(rows=['{"a": 1e20, "price": 1}\n']).exception)
    assert run("--farthest", "inf", rows=['{"a": 1e20, "price": 1}\n']).exit_code == 0
    assert "--classes is not for the model" in str(run("--classes", "0,1", rows=events(3)).exception)
    assert "give both labels: --classes 0,1" in str(run("--model", "perceptron", rows=events(3)).exception)
