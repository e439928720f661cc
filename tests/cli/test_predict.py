"""What a stored model answers on the terminal: predictions as CSV or JSON, a certificate, what it is."""

import io
import json
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from surefit import LogisticRegression, Ridge, save
from surefit.cli.main import app
from surefit.cli.predict import _say, table_model
from surefit.store.refusal import ModelFileError
from surefit.study.conclude import conclude
from surefit.study.contest.clock import Clock
from surefit.study.contest.compete import compete
from surefit.study.contest.leaderboard import leaderboard_of
from surefit.study.contest.metrics import measure_of
from surefit.study.encode.outside import Remarks
from surefit.study.of_blocks import table_model_of
from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from tests.study.samples import cheap_entries

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")


def table(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = 3.0 * x + rng.normal(size=n)
    return pa.table({"x": x, "y": y, "sold": np.where(y > 0.0, "yes", "no")})


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder, rows = tmp_path_factory.mktemp("models"), table(1000, 0)
    number = Ridge(lam=1e-3).fit_blocks(rows.select(["x", "y"]), "y", certify=0.3)
    label = LogisticRegression(lam=1e-3).fit_blocks(rows.select(["x", "sold"]), "sold", certify=0.3)
    save(table_model_of(number), folder / "number")
    save(table_model_of(label), folder / "label")
    csv.write_csv(table(200, 1), folder / "new.csv")
    return SimpleNamespace(folder=folder, number=number, label=label, new=table(200, 1))


def ran(*words, code=0):
    found = CliRunner().invoke(app, [*map(str, words)])
    assert found.exit_code == code, found.output
    return found.stdout


def test_a_file_has_the_same_bytes_as_what_is_printed(place, tmp_path):
    words = ["predict", place.folder / "number", place.folder / "new.csv", "--intervals", ".9"]
    printed = ran(*words)
    assert ran(*words, "--out", tmp_path / "found.csv") == ""
    assert (tmp_path / "found.csv").read_text() == printed
    found = np.genfromtxt(io.StringIO(printed), delimiter=",", names=True)
    np.testing.assert_allclose(found["y"], place.number.predict(place.new.select(["x"]).to_pandas()), rtol=1e-12)
    assert np.all((found["lower"] < found["y"]) & (found["y"] < found["upper"]))


def test_json_has_an_object_for_each_row_with_probabilities_and_sets(place):
    words = ["predict", place.folder / "label", place.folder / "new.csv", "--json", "--probabilities"]
    found = [json.loads(line) for line in ran(*words, "--intervals", ".95").splitlines()]
    assert len(found) == 200
    assert set(found[0]) == {"sold", "probability of no", "probability of yes", "set"}
    for row in found:
        assert row["probability of no"] + row["probability of yes"] == pytest.approx(1.0)
        assert row["sold"] in row["set"].split() or not row["set"]


def test_a_bound_above_what_was_asked_is_an_exit_code(place):
    words = ["certify", place.folder / "number", place.folder / "new.csv"]
    bound = json.loads(ran(*words, "--json"))["bound"]
    assert 1.645 < bound < 3.0  # 90 % of standard normal errors are within 1.645
    ran(*words, "--at-most", bound)
    ran(*words, "--at-most", 0.9 * bound, code=1)


def test_explain_names_target_and_columns(place):
    assert json.loads(ran("explain", place.folder / "number", "--json"))["target"] == "y, regression"
    assert "columns: x" in ran("explain", place.folder / "number")


def test_a_model_of_arrays_is_refused_by_name(tmp_path):
    save(Ridge(0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0]), tmp_path / "ridge")
    with pytest.raises(ModelFileError, match="holds a Ridge, which predicts arrays and no tables"):
        table_model(tmp_path / "ridge")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The same rows with a decimal point and with a decimal comma, and a model of each."""
    folder = tmp_path_factory.mktemp("written")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 2))
    rows = np.column_stack([x, x @ [2.0, -1.0] + 0.1 * rng.normal(size=150)])
    lines = ["a;b;y", *(";".join(f"{one:.3f}" for one in row) for row in rows)]
    (folder / "point.csv").write_text("\n".join(lines).replace(";", ",") + "\n")
    (folder / "comma.csv").write_text("\n".join(lines).replace(".", ",") + "\n")
    for name in ("point", "comma"):
        data = prepare(folder / f"{name}.csv", Settings("y"))
        runs = compete(data.arena, cheap_entries("regression", *data.X.shape)[:2], Clock())
        board = leaderboard_of(data.arena, runs, measure_of("regression"), data.target)
        save(conclude(data, runs, board, Clock(), (datetime(2026, 1, 2, tzinfo=UTC), ""))[0], folder / name)
    return folder


@pytest.mark.parametrize("fitted", ["point", "comma"])
def test_a_decimal_comma_and_a_decimal_point_give_the_same_predictions(written, fitted):
    found = [ran("predict", written / fitted, written / f"{name}.csv") for name in ("point", "comma")]
    assert found[0] == found[1]
    assert abs(float(found[0].splitlines()[1])) < 10
    for name in ("point", "comma"):
        text = (written / f"{name}.csv").read_text()
        assert CliRunner().invoke(app, ["predict", str(written / fitted), "-"], input=text).stdout == found[0]


def test_certify_reads_a_table_as_it_is_written(written):
    with pytest.raises(ValueError, match="rows were used in fit"):  # it knows them again
        table_model(written / "point").certify(written / "comma.csv")


def test_cells_that_are_no_numbers_are_named_on_stderr(written):
    words = ["predict", str(written / "point"), "-"]
    found = CliRunner().invoke(app, words, input="a,b\nlow,1.5\nhigh,\n?,oops\n")
    assert found.exit_code == 0
    assert "column 'a': no cell is a number, such as 'high', so that all count as missing" in found.stderr
    assert "column 'b': 1 cell is no number, such as 'oops', and counts" in found.stderr
    found = CliRunner().invoke(app, words, input="a,b\n?,1.5\n")
    assert "is a number" not in found.stderr
    assert "column 'a': 1 row has no value, where every row of the fit had one, and is predicted as" in found.stderr
    assert CliRunner().invoke(app, words, input="a,b\n0.5,1.5\n").stderr == ""


def test_numbers_that_could_be_others_are_named_on_stderr(written):
    words = ["predict", str(written / "comma"), "-"]
    found = CliRunner().invoke(app, words, input="a;b\n1.234;7\n2.345;1\n")
    assert "column 'a': '1.234' was read as 1234, and could be 1.234; write 1234 or 1,2340" in found.stderr
    assert "was read as" not in CliRunner().invoke(app, words, input="a;b\n1,234;7\n").stderr


def test_a_table_without_rows_is_refused_in_a_sentence(written):
    found = CliRunner().invoke(app, ["predict", str(written / "point"), "-"], input="a,b\n")
    assert "the table has no rows; give at least one row" in str(found.exception)


def test_rows_far_outside_the_fit_are_named_on_stderr(written):
    found = CliRunner().invoke(app, ["predict", str(written / "point"), "-"], input="a,b\n1e9,1.5\n0.1,inf\n")
    assert "column 'a': 1 row lies far outside what the model was fitted to (" in found.stderr
    assert "such as 1e+09; no interval, set of classes or certificate covers it" in found.stderr
    assert "column 'b'" in found.stderr
    assert "Warning" not in found.stderr


def test_certify_says_that_a_column_has_no_numbers(written, tmp_path):
    rows = "".join(f"low,{k / 7:.2f},{-k / 7:.2f}\n" for k in range(40))
    (tmp_path / "new.csv").write_text("a,b,y\n" + rows)
    found = CliRunner().invoke(app, ["certify", str(written / "point"), str(tmp_path / "new.csv")])
    assert found.stderr.count("column 'a': no cell is a number, such as 'low'") == 1
    assert "UnreadableWarning" not in found.stderr


def test_probabilities_of_numbers_are_refused(place, tmp_path):
    words = ["predict", str(place.folder / "number"), str(place.folder / "new.csv"), "--probabilities"]
    for more in ([], ["--out", str(tmp_path)]):
        found = CliRunner().invoke(app, [*words, *more])
        assert "--probabilities needs classes, and the model predicts numbers of 'y'" in str(found.exception)
        assert found.stdout == ""


def test_a_model_of_a_file_with_semicolons_reads_a_file_of_one_column(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{x:.2f};{2 * x + 0.1 * rng.normal():.2f}".replace(".", ",") for x in rng.normal(size=100)]
    (tmp_path / "rows.csv").write_text("\n".join(["x;y", *lines]) + "\n")
    data = prepare(tmp_path / "rows.csv", Settings("y"))
    runs = compete(data.arena, cheap_entries("regression", *data.X.shape)[:3], Clock())
    board = leaderboard_of(data.arena, runs, measure_of("regression"), data.target)
    save(conclude(data, runs, board, Clock(), (datetime(2026, 1, 2, tzinfo=UTC), ""))[0], tmp_path / "model")
    (tmp_path / "new.csv").write_text("x\n0,5\n1,25\n")
    found = ran("predict", tmp_path / "model", tmp_path / "new.csv").splitlines()[1:]
    assert np.array(found, dtype=float) == pytest.approx([1.0, 2.5], abs=0.2)


def test_rare_levels_are_counted_in_words(capsys):
    _say(Remarks(), {"colour": {"violet": 1}, "town": {"Ulm": 1, "Bonn": 2000}})
    assert capsys.readouterr().err.splitlines() == [
        "column 'colour': unknown or rare level 'violet' (1 row) is predicted as a rare one",
        "column 'town': unknown or rare levels 'Ulm' (1 row), 'Bonn' (2,000 rows) are predicted as rare ones",
    ]
