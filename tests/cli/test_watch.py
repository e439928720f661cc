"""``surefit watch``: a sentence and an exit code."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from surefit import LogisticRegression, Ridge, Stream, Study, WidrowHoff, save
from surefit.cli.watch import watched


def events(frame, target):
    return [
        json.dumps({**row, "y": value}) for row, value in zip(frame.to_dict("records"), target.tolist(), strict=True)
    ]


def test_a_model_file_is_held_to_its_promise(tmp_path):
    """Labels that turn around are noticed; labels like those of the fit are not."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(800, 2)), columns=["a", "b"])
    y = (X["a"] > 0).to_numpy()
    path = tmp_path / "model.surefit"
    save(LogisticRegression(lam=0.01).fit(X[:500], y[:500], certify=0.4), path)
    out = io.StringIO()
    assert watched(path, events(X[500:], y[500:]), "y", 0.05, out) == 0
    assert out.getvalue().startswith("The promise stands")
    out = io.StringIO()
    assert watched(path, events(X[500:], ~y[500:]), "y", 0.05, out) == 1
    assert out.getvalue().startswith("REFUTED: promised were")


def test_labels_of_another_type_are_named_and_not_counted_as_errors(tmp_path):
    X = pd.DataFrame({"a": np.linspace(-1.0, 1.0, 200)})
    y = (X["a"] > 0).to_numpy().astype(int)
    path = tmp_path / "model.surefit"
    save(LogisticRegression(lam=0.01).fit(X, y, certify=0.4), path)
    with pytest.raises(
        ValueError, match=r"line 1 has the label '0', and the model was fitted to 0; give labels of the"
    ):
        watched(path, events(X, pd.Series(y.astype(str))), "y", 0.05, io.StringIO())
    assert watched(path, events(X, pd.Series(y)), "y", 0.05, io.StringIO()) == 0


def test_a_regressor_and_a_certificate_alone(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 2))
    y = X @ [1.0, 2.0] + 0.1 * rng.normal(size=600)
    model = Ridge(lam=0.01).fit(X, y, certify=0.5)
    save(model, tmp_path / "m.surefit")
    lines = [json.dumps({"x0": 0.0, "x1": 0.0, "price": 5.0})] * 60
    assert watched(tmp_path / "m.surefit", lines, "price", 0.05, io.StringIO()) == 1
    path = tmp_path / "promise.json"
    path.write_text(model.certificate().to_json(), encoding="utf-8")
    assert watched(path, ['{"loss": 9.0}'] * 60, "y", 0.05, io.StringIO()) == 1
    assert watched(path, ['{"loss": 0.01}', ""] * 60, "y", 0.05, io.StringIO()) == 0
    for line, message in (("{", "line 1 is not JSON"), ("[1]", "not an object"), ('{"a": 1}', "has no 'loss'")):
        with pytest.raises(ValueError, match=message):
            watched(path, [line], "y", 0.05, io.StringIO())
    for line, message in (('{"x0": 1}', "nor the target"), ('{"x0": 1, "y": 1}', "has no feature 'x1'")):
        with pytest.raises(ValueError, match=message):
            watched(tmp_path / "m.surefit", [line], "y", 0.05, io.StringIO())


@pytest.mark.parametrize("labels", [False, True])
def test_the_model_of_a_study_is_held_to_its_promise(tmp_path, labels):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=400), "colour": rng.choice(["red", "blue"], 400)})
    price = 2 * frame["x"] + 0.3 * rng.normal(size=400)
    frame["y"] = (price > 0).astype(int) if labels else price
    path = tmp_path / "model.surefit"
    save(Study("y", budget="60s").fit(frame[:300]).model_, path)  # a busy machine finds no more in 5 s than a constant
    new = frame[300:]
    assert watched(path, events(new, new["y"]), "y", 0.05, io.StringIO()) == 0
    assert watched(path, events(new, 1 - new["y"] if labels else new["y"] + 50), "y", 0.05, io.StringIO()) == 1


def test_events_may_come_as_csv(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(800, 2)), columns=["a", "b"])
    y = (X["a"] > 0).astype(int)
    path = tmp_path / "model.surefit"
    save(LogisticRegression(lam=0.01).fit(X[:500], y[:500], certify=0.4), path)
    for labels, code in ((y, 0), (1 - y, 1)):
        lines = X[500:].assign(y=labels[500:]).to_csv(index=False).splitlines(keepends=True)
        assert watched(path, lines, "y", 0.05, io.StringIO(), csv=True) == code
    with pytest.raises(ValueError, match="looks like column names; give --csv"):
        watched(path, lines, "y", 0.05, io.StringIO())
    for row, message in (("1,2\n", "line 2 has not the 3 fields"), ("1,x,1\n", "line 2 has 'x' as feature 'b'")):
        with pytest.raises(ValueError, match=message):
            watched(path, ["a,b,y\n", row], "y", 0.05, io.StringIO(), csv=True)
    with pytest.raises(ValueError, match="line 2 has 'much' as the loss, which is not a number"):
        watched(path, ["loss\n", "much\n"], "y", 0.05, io.StringIO(), csv=True)


def test_files_without_a_promise_are_refused(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2))
    save(Ridge(lam=0.1).fit(X, X[:, 0]), tmp_path / "m.surefit")
    save(Stream(WidrowHoff()).learn(X, X[:, 0]), tmp_path / "s.surefit")
    for name, message in (("m", "promises nothing that could be watched.*certify=0.2"), ("s", "holds a Stream, which")):
        with pytest.raises(ValueError, match=message):
            watched(tmp_path / f"{name}.surefit", [], "y", 0.05, io.StringIO())


def test_a_study_knows_its_target_whatever_a_feature_is_called(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"y": rng.normal(size=400)})
    frame["price"] = 50 + 2 * frame["y"] + 0.3 * rng.normal(size=400)
    path = tmp_path / "model.surefit"
    save(Study("price", budget="60s").fit(frame[:300]).model_, path)
    lines = frame[300:].to_csv(index=False).splitlines(keepends=True)
    assert watched(path, lines, None, 0.05, io.StringIO(), csv=True) == 0
    with pytest.raises(ValueError, match="the model predicts 'price' and reads 'y' to do so; leave out --target"):
        watched(path, lines, "y", 0.05, io.StringIO(), csv=True)
