"""Predictions for many files: one for each row, in order, whatever the files are cut into."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from surefit import LogisticRegression, Ridge, save
from surefit.cli.main import app
from surefit.study.of_blocks import table_model_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
csv = pytest.importorskip("pyarrow.csv")
N = 700


def table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    x, g = rng.normal(size=n), rng.choice(["a", "b"], size=n)
    y = 3.0 * x + 2.0 * (g == "b") + rng.normal(size=n)
    return pa.table({"x": x, "unused": np.arange(n), "g": g, "y": y, "sold": np.where(y > 1.0, "yes", "no")})


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("models"), table(3000, 1)
    number = Ridge(lam=1e-3).fit_blocks(found.select(["x", "g", "y"]), "y", certify=0.2)
    label = LogisticRegression(lam=1e-3).fit_blocks(found.select(["x", "g", "sold"]), "sold", certify=0.2)
    for name, model in (("number", number), ("label", label)):
        save(table_model_of(model), folder / name)
    return folder, number, label


def features(model, rows):
    """By hand: numbers as they are, and an indicator."""
    X = np.column_stack([rows["x"], np.array(rows["g"].to_pylist()) == model.blocks_.features[1][1]]).astype(float)
    return pd.DataFrame(X, columns=model.feature_names_in_)


def ran(*words, code=0):
    found = CliRunner().invoke(app, ["predict", *map(str, words)])
    assert found.exit_code == code, found.output
    return found


def test_rows_keep_their_order_and_number_in_parquet_and_csv(models, tmp_path, monkeypatch):
    monkeypatch.setattr("surefit.cli.many_files.ROWS", 64)
    folder, number, _ = models
    rows = table()
    for k, (start, size) in enumerate([(0, 300), (300, 0), (300, 400)]):
        pq.write_table(rows.slice(start, size), tmp_path / f"{k}.parquet", row_group_size=77)
        if size:
            (tmp_path / "text").mkdir(exist_ok=True)
            csv.write_csv(rows.slice(start, size), tmp_path / "text" / f"{k}.csv")
    ran(folder / "number", tmp_path / "*.parquet", "--out", tmp_path / "pred", "--intervals", "0.8")
    assert [pq.read_metadata(tmp_path / "pred" / f"{k}.parquet").num_rows for k in range(3)] == [300, 0, 400]
    found = pq.read_table(tmp_path / "pred")
    np.testing.assert_allclose(found["y"].to_numpy(), number.predict(features(number, rows)), rtol=1e-12)
    width = found["upper"].to_numpy() - found["lower"].to_numpy()
    np.testing.assert_allclose(width, width[0])
    assert 2 * 0.8 < width[0] < 2 * 1.6  # 1.28 standard deviations hold 80 %
    ran(folder / "number", tmp_path / "text", "--out", tmp_path / "again", "--intervals", "0.8")
    assert pq.read_table(tmp_path / "again").equals(found)


def test_classes_get_probabilities_and_sets(models, tmp_path):
    folder, _, label = models
    rows = table()
    pq.write_table(rows, tmp_path / "rows.parquet")
    ran(folder / "label", tmp_path / "*.parquet", "--out", tmp_path / "pred", "--intervals", "0.9", "--probabilities")
    found = pq.read_table(tmp_path / "pred")
    X = features(label, rows)
    np.testing.assert_allclose(found["probability of yes"].to_numpy(), label.predict_proba(X)[:, 1], rtol=1e-12)
    assert found["sold"].to_pylist() == label.predict(X).tolist()
    inside = [
        truth in one.split() for truth, one in zip(rows["sold"].to_pylist(), found["set"].to_pylist(), strict=True)
    ]
    assert np.mean(inside) > 0.85


def test_bad_files_are_named_and_leave_nothing(models, tmp_path):
    folder, _, _ = models
    pq.write_table(table(), tmp_path / "0.parquet")
    pq.write_table(table().drop_columns("x"), tmp_path / "1.parquet")
    failed = ran(folder / "number", tmp_path / "*.parquet", "--out", tmp_path / "pred", code=1)
    assert "1.parquet lacks the column 'x'" in str(failed.exception) + failed.output
    assert [path.name for path in (tmp_path / "pred").iterdir()] == ["0.parquet"]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        pq.write_table(table(), tmp_path / name / "same.parquet")
    ran(folder / "number", tmp_path / "?" / "same.parquet", "--out", tmp_path / "both", code=1)
    assert not (tmp_path / "both").exists()
    ran(folder / "number", tmp_path / "a" / "*.parquet", "--out", tmp_path / "a", code=1)
    assert pq.read_table(tmp_path / "a" / "same.parquet").num_columns == 5
