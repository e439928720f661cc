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
    assert "--skip" in str(found.exception)
    assert load(path).model.rows_ == 10
    nothing = tmp_path / "none.surefit"
    CliRunner().invoke(app, ["stream", "--target", "price", "--checkpoint", str(nothing)], input=bad)
    assert not nothing.exists()
