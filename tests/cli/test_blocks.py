"""Files past memory from the terminal: fit, predict, resume."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from surefit import load
from surefit.cli.main import app

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
N = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path, rng = tmp_path_factory.mktemp("rows"), np.random.default_rng(0)
    for k in range(3):
        x, g = rng.normal(size=N // 3), rng.choice(["a", "b", None], size=N // 3, p=[0.5, 0.4, 0.1])
        y = 3.0 * x + 2.0 * (g == "b") + rng.normal(size=N // 3)
        sold = np.where(y > 1.0, "yes", "no")
        pq.write_table(pa.table({"x": x.astype(np.float32), "g": g, "y": y, "sold": sold}), path / f"{k}.parquet")
    return path


def ran(*words):
    found = CliRunner().invoke(app, [str(word) for word in words])
    assert found.exit_code == 0, found.output
    return found.output


def test_a_number_is_fitted_stored_and_predicted(folder, tmp_path):
    text = ran("fit", folder / "*.parquet", "--target", "y", "--engine", "stream", "--out", tmp_path / "fit", "--json")
    facts = json.loads(text)
    assert [len(one["sha256"]) for one in facts["files"]] == [64] * 3
    assert {"x", "g = b", "g = missing"} <= set(facts["coefficients"])
    model = tmp_path / "fit" / "model.surefit"
    ran("predict", model, folder / "*.parquet", "--out", tmp_path / "pred", "--intervals", "0.9")
    truth = pq.read_table(folder)
    found = pq.read_table(tmp_path / "pred")
    assert found.num_rows == N
    inside = (found["lower"].to_numpy() <= truth["y"].to_numpy()) & (truth["y"].to_numpy() <= found["upper"].to_numpy())
    assert inside.mean() > 0.87
    again = load(model).predict(truth.to_pandas())
    np.testing.assert_allclose(again, found["y"].to_numpy(), rtol=1e-12)
    printed = ran("fit", folder / "*.parquet", "--target", "y", "--engine", "stream", "--out", tmp_path / "fit")
    assert all(len(line) <= 80 for line in printed.splitlines() if "/" not in line)


def test_classes_are_fitted_and_predicted(folder, tmp_path):
    ran("fit", folder / "*.parquet", "--target", "sold", "--engine", "stream", "--out", tmp_path)
    ran("predict", tmp_path / "model.surefit", folder / "*.parquet", "--out", tmp_path / "pred", "--probabilities")
    found = pq.read_table(tmp_path / "pred")
    truth = pq.read_table(folder)
    assert np.mean(found["sold"].to_numpy() == truth["sold"].to_numpy()) > 0.9
    assert found.column_names == ["sold", "probability of no", "probability of yes"]


def test_wrong_words_are_refused(folder, tmp_path):
    for words in (["--engine", "swift"], ["--engine", "stream"]):
        target = ["--target", "y"] if "swift" in words else []
        found = CliRunner().invoke(app, ["fit", str(folder / "*.parquet"), *target, *words, "--out", str(tmp_path)])
        assert found.exit_code != 0
    assert not (tmp_path / "model.surefit").exists()


def test_columns_are_left_out_and_the_message_says_how(folder, tmp_path):
    rows = pq.read_table(folder / "0.parquet").append_column("day", pa.array([0] * (N // 3), pa.timestamp("s")))
    pq.write_table(rows, tmp_path / "dated.parquet")
    words = ["fit", str(tmp_path / "*.parquet"), "--target", "y", "--engine", "stream", "--out", str(tmp_path / "fit")]
    failed = CliRunner().invoke(app, words)
    assert "leave it out: --drop 'day'" in str(failed.exception) + failed.output
    ran(*words, "--drop", "day", "--drop", "sold")
    assert load(tmp_path / "fit" / "model.surefit").estimator.blocks_.columns.names == ["x", "g", "y"]
    failed = CliRunner().invoke(app, [*words, "--drop", "date"])
    assert "has no column 'date'" in str(failed.exception) + failed.output


def test_words_that_look_like_numbers_or_dates_are_spoken_of(tmp_path):
    """Files past memory are read without guessing: neither a slope nor a regression comes of such words."""
    rng, table = np.random.default_rng(0), tmp_path / "rows.csv"
    rows = [
        f'{"n/a yet" if d == 1 else f"{d:02d}/03/2024"},{k + 9}:30,"{k},5",{k + rng.normal():.3f}'
        for d in range(1, 29) for k in range(8)
    ]  # fmt: skip
    table.write_text("\n".join(["when,at,size,y", *rows]))
    printed = ran("fit", table, "--target", "y", "--engine", "stream", "--out", tmp_path / "fit")
    text = " ".join(printed.split())
    assert "column 'when' holds words such as '28/03/2024' that look like dates" in text
    assert "column 'at' holds words such as '9:30' that look like dates" in text
    assert "column 'size' holds words such as '0,5' that look like numbers" in text
    assert text.count("column 'size'") == 1
    out = tmp_path / "no folder"
    found = CliRunner().invoke(app, ["fit", str(table), "--target", "size", "--engine", "stream", "--out", str(out)])
    assert found.exit_code != 0
    assert "look like numbers" in str(found.exception)
    assert not out.exists()
    ran("fit", table, "--target", "size", "--task", "classification", "--engine", "stream", "--out", tmp_path / "c")
    assert load(tmp_path / "c" / "model.surefit").target.classes[:2] == ("0,5", "1,5")
