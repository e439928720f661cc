"""Online learners over blocks: `partial_fit` on all rows in their order, to the bit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from surefit import OnlineAdaline, OnlineClassifier, OnlinePerceptron, OnlineRegressor, OnlineSVR, WidrowHoff

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
N = 1500


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    group = np.where(np.arange(N) < 1000, "early", "late")
    y = X @ [1.0, -0.5] + 0.3 * (group == "late") + 0.1 * rng.normal(size=N)
    label = np.where(y > 0, "yes", "no")
    return pa.table({"u": X[:, 0], "v": X[:, 1], "group": group, "y": y, "label": label})


@pytest.mark.parametrize("model", [WidrowHoff(), OnlineRegressor("huber"), OnlineSVR(budget=20)], ids=repr)
def test_regressors_learn_as_from_rows_in_memory(tmp_path, model):
    found = table()
    X = np.column_stack([found["u"], found["v"], np.array(found["group"].to_pylist()) == "late"]).astype(float)
    for k in range(3):
        pq.write_table(found.slice(k * 500, 500).drop_columns("label"), tmp_path / f"{k}.parquet", row_group_size=77)
    memory = clone(model).partial_fit(X, found["y"].to_numpy())
    for options in ({"rows": 64, "executor": 3}, {"rows": 65_536, "executor": "serial"}):
        blocks = clone(model).fit_blocks(str(tmp_path), "y", **options)
        named = pd.DataFrame(X, columns=blocks.feature_names_in_)
        assert blocks.predict(named).tobytes() == memory.predict(named.to_numpy()).tobytes()
        assert blocks.rows_ == N
        assert blocks.blocks_.names == ["u", "v", "group = late"]


@pytest.mark.parametrize("model", [OnlineClassifier(), OnlinePerceptron(), OnlineAdaline()], ids=repr)
def test_classifiers_learn_labels_and_certify_rows_held_out(model):
    found = table()
    X = np.column_stack([found["u"], found["v"]])
    memory = clone(model).partial_fit(X, np.array(found["label"].to_pylist()))
    blocks = clone(model).fit_blocks(found.select(["u", "v", "label"]), "label", rows=64)
    assert blocks.coef_.tobytes() == memory.coef_.tobytes()
    assert "at every moment" in blocks.certificate().statement
    held = clone(model).fit_blocks(found.select(["u", "v", "label"]), "label", rows=64, certify=0.2)
    assert held.rows_ + held.blocks_.held_out == N
    assert "held-out" in held.certificate().statement
    held.partial_fit(pd.DataFrame(X[:5], columns=["u", "v"]), np.array(found["label"].to_pylist())[:5])
    assert "at every moment" in held.certificate().statement


def test_what_a_learner_cannot_do_is_refused():
    found = table().drop_columns("label")
    with pytest.raises(ValueError, match="checkpoint"):
        WidrowHoff().fit_blocks(found, "y", checkpoint="kept")
    with pytest.raises(ValueError, match="passes"):
        OnlineSVR(passes=3).fit_blocks(found, "y")
    model = WidrowHoff()
    with pytest.raises(ValueError, match=r"'late'.*read once"):
        model.fit_blocks(found.to_reader(), "y", rows=500)
    assert not hasattr(model, "coef_")
    once = WidrowHoff().fit_blocks(found.drop_columns("group").to_reader(max_chunksize=100), "y", rows=64)
    again = WidrowHoff().fit_blocks(found.drop_columns("group"), "y")
    assert once.coef_.tobytes() == again.coef_.tobytes()
