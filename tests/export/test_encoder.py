"""Columns of a table as inputs: missing values, unseen levels and dates go where the encoder puts them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import surefit
from surefit import KernelLogistic, LogisticRegression, Ridge
from surefit.export.encoder import columns, is_table_model
from surefit.export.graph import DOUBLE, Graph
from surefit.kernels import Gaussian
from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import Kind
from surefit.study.encode.parts import CategoryPart, DatePart, NumberPart
from surefit.study.model import TableModel
from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from surefit.study.tables.read import read_table
from surefit.study.tables.table import Dates
from surefit.theory import Certificate
from surefit.theory.certificates.certificate import Verdict
from tests.export.running import close, run

pytestmark = pytest.mark.filterwarnings("ignore::surefit.warnings.OutsideWarning")  # strange rows are the point here
RNG = np.random.default_rng(0)
N = 240


def table():
    found = pd.DataFrame({
        "size": RNG.normal(size=N), "wild": RNG.standard_cauchy(size=N) * 50,
        "colour": RNG.choice(["red", "green", "blue"], N),
        "rare": np.where(np.arange(N) < 4, "seldom", np.where(np.arange(N) % 2, "a", "b")),
        "day": pd.Timestamp("1968-03-01") + pd.to_timedelta(RNG.integers(0, 3000 * 86_400, N), "s"),
    })  # fmt: skip
    found.loc[::7, "size"] = np.nan
    found.loc[::9, "day"] = pd.NaT
    found.loc[::5, "colour"] = None
    found["price"] = np.arange(N) * 1.0 + found["size"].fillna(0)
    found["class"] = np.array(["9", "10", "x"])[np.arange(N) % 3]  # as texts in another order than as numbers
    return found


TABLE = table()
NEW = TABLE.head(60).copy()
NEW.loc[:5, "colour"] = "violet"  # unseen
NEW.loc[6:9, "rare"] = "unheard of"
NEW.loc[3:4, "wild"] = [1e300, -1e300]
NEW.loc[10:12, "size"] = [np.nan, 1e12, -1e12]
NEW.loc[13, "rare"] = None

MOMENT = np.datetime64("1970-01-01", "us")


def inputs(encoder, rows):
    """The columns of a table as the file takes them."""
    found = {}
    for part in encoder.parts:
        column = rows[part.name]
        if isinstance(part, CategoryPart):
            values = column.fillna("").astype(str).to_numpy(dtype=object)
        elif isinstance(part, NumberPart):
            values = column.to_numpy(dtype=np.float64)
        else:
            days = (column.to_numpy("datetime64[us]") - MOMENT).astype(np.int64) / 86_400e6
            values = np.where(column.isna(), np.nan, days)
        found[part.name] = values.reshape(-1, 1)
    return found


def model_of(estimator, target):
    other = "class" if target == "price" else "price"
    data = prepare(TABLE.drop(columns=other), Settings(target), None)
    nothing = Certificate("", np.nan, np.nan, 0.05, "", (), Verdict.VACUOUS)
    y = data.y if target == "price" else data.target.labels(data.y)
    return TableModel(data.encoder, estimator.fit(data.X, y), data.target, nothing, np.zeros(1), "")


@pytest.fixture(scope="module")
def regression():
    return model_of(Ridge(0.1), "price")


def test_features_are_those_of_the_encoder(regression, tmp_path):
    graph, encoder = Graph(), regression.encoder
    graph.output("features", DOUBLE, columns(graph, encoder), len(encoder.features))
    (tmp_path / "e").write_bytes(graph.model("encoder").SerializeToString())
    found = run(tmp_path / "e", inputs(encoder, NEW))["features"]
    expected = encoder.encode(read_table(NEW))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert {type(part).__name__ for part in encoder.parts} == {"NumberPart", "CategoryPart", "DatePart"}
    assert any(getattr(part, "squashed", False) for part in encoder.parts)


def test_waves_of_dates_that_are_left_out_are_no_features(tmp_path):
    days = pd.date_range("2010-01-01", "2023-12-31", freq="QS").to_numpy().astype("datetime64[us]")
    part = DatePart.of("day", Dates(days), Kind("date", "dates"))
    assert part.left
    graph = Graph()
    graph.output("features", DOUBLE, columns(graph, Encoder((part,))), len(part.features))
    (tmp_path / "e").write_bytes(graph.model("encoder").SerializeToString())
    found = run(tmp_path / "e", {"day": ((days - MOMENT).astype(np.int64) / 86_400e6)[:, None]})["features"]
    np.testing.assert_allclose(found, part.encode(Dates(days)), rtol=1e-9, atol=1e-9)


def test_missing_and_unseen_values_are_predicted_as_by_the_model(regression, tmp_path):
    surefit.to_onnx(regression, tmp_path / "m.onnx")
    close(run(tmp_path / "m.onnx", inputs(regression.encoder, NEW))["prediction"], regression.predict(NEW))


@pytest.mark.parametrize("estimator", [LogisticRegression(0.1), KernelLogistic(Gaussian(3.0), lam=0.1)], ids=repr)
def test_classes_have_the_names_of_the_table(estimator, tmp_path):
    model = model_of(estimator, "class")
    surefit.to_onnx(model, tmp_path / "m.onnx")
    found = run(tmp_path / "m.onnx", inputs(model.encoder, NEW))
    assert found["label"].tolist() == list(model.predict(NEW))
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(NEW), rtol=1e-9)


def test_a_promised_threshold_decides_what_is_called(tmp_path):
    first = model_of(LogisticRegression(0.1), "class")
    two = replace(first, target=replace(first.target, classes=("9", "x")), threshold=0.3)
    two.estimator.fit(two.encoder.encode(read_table(TABLE)), np.where(TABLE["class"] == "x", "x", "9"))
    surefit.to_onnx(two, tmp_path / "m.onnx")
    found = run(tmp_path / "m.onnx", inputs(two.encoder, NEW))
    assert found["label"].tolist() == list(two.predict(NEW))
    assert 0 < np.mean(found["label"] == "x") < 1


def test_a_model_without_columns_is_refused(regression):
    with pytest.raises(ValueError, match="uses no column of its table"):
        columns(Graph(), Encoder(()))


def test_only_models_of_studies_are_table_models(regression):
    assert is_table_model(regression)
    assert not is_table_model(Ridge())


def test_the_empty_text_is_a_level_where_training_rows_had_it(tmp_path):
    part = CategoryPart("c", Kind("category", ""), "a", ("", "b"), True, False)
    graph = Graph()
    graph.output("features", DOUBLE, columns(graph, Encoder((part, replace(part, name="d", levels=("b",))))), 5)
    (tmp_path / "e").write_bytes(graph.model("encoder").SerializeToString())
    texts = np.array([["a"], [""], ["b"], ["z"]], dtype=object)
    found = run(tmp_path / "e", {"c": texts, "d": texts})["features"]
    assert found.tolist() == [[0, 0, 0, 0, 0], [1, 0, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1]]


@pytest.mark.parametrize("source", ["frame", "texts"])
def test_truth_values_are_known_however_they_are_spelt(source, tmp_path):
    """As `predict` knows them, from columns of truth values and of texts."""
    truths = np.arange(N) % 3 == 0
    frame = pd.DataFrame({"smokes": truths if source == "frame" else np.where(truths, "TRUE", "FALSE")})
    frame["size"], frame["price"] = RNG.normal(size=N), 5.0 * truths + RNG.normal(size=N)
    data = prepare(frame, Settings("price"), None)
    nothing = Certificate("", np.nan, np.nan, 0.05, "", (), Verdict.VACUOUS)
    model = TableModel(data.encoder, Ridge().fit(data.X, data.y), data.target, nothing, np.zeros(1), "")
    new = pd.DataFrame({"smokes": ["true", "True", "TRUE", "tRUE", "false", "False", "FALSE", "no"], "size": 0.0})
    surefit.to_onnx(model, tmp_path / "model.onnx")
    found = run(tmp_path / "model.onnx", inputs(model.encoder, new))["prediction"].ravel()
    close(found, model.predict(new))
    assert len(np.unique(found[:4])) == len(np.unique(found[4:7])) == 1
    assert found[0] > found[4] + 3
