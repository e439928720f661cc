"""A model fitted to blocks predicts tables: the same answers as from its own features, words and gaps included."""

import numpy as np
import pandas as pd
import pytest

from surefit import LogisticRegression, Ridge, load, save
from surefit.study.of_blocks import table_model_of
from surefit.warnings import OutsideWarning

RNG = np.random.default_rng(0)
N = 600
TABLE = pd.DataFrame({"x": RNG.normal(size=N), "g": RNG.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1])})
TABLE["y"] = 2.0 * TABLE["x"] + (TABLE["g"] == "b") + RNG.normal(size=N)
TABLE["sold"] = np.where(TABLE["y"] > 0, "yes", "no")


def features(model, rows):
    """The columns of the model by hand: numbers as they are, a column of zeros and ones for each level."""
    found = [rows[name] if level is None else rows[name] == level for name, level in model.blocks_.features]
    return pd.DataFrame(np.column_stack(found).astype(float), columns=model.feature_names_in_)


def test_numbers_are_predicted_from_tables_as_from_features(tmp_path):
    model = Ridge(lam=0.01).fit_blocks(TABLE[["x", "g", "y"]], "y", certify=0.3)
    save(table_model_of(model), tmp_path / "model")
    found = load(tmp_path / "model")
    np.testing.assert_allclose(found.predict(TABLE[:50]), model.predict(features(model, TABLE[:50])), rtol=1e-12)
    assert found.certificate == model.certificate()
    half = np.ptp(found.predict_interval(TABLE[:1], 0.9).to_frame().to_numpy()) / 2
    assert 1.4 < half < 2.2  # 90 % of standard normal errors are within 1.645


def test_labels_are_predicted_with_their_names():
    model = LogisticRegression(lam=0.01).fit_blocks(TABLE[["x", "g", "sold"]], "sold", certify=0.3)
    found = table_model_of(model)
    assert set(found.predict(TABLE)) == {"yes", "no"}
    assert found.target.classes == ("no", "yes")
    assert np.mean(found.predict(TABLE) == TABLE["sold"]) > 0.8


def test_a_level_that_was_never_seen_counts_as_the_reference():
    model = Ridge(lam=0.01).fit_blocks(TABLE[["x", "g", "y"]], "y", certify=0.3)
    reference = model.blocks_.references[0]
    rows = pd.DataFrame({"x": [0.5, 0.5], "g": [reference, "never seen"]})
    with pytest.warns(OutsideWarning, match=f"'never seen', and is predicted as {reference!r}, the most frequent"):
        first, second = table_model_of(model).predict(rows)
    assert first == pytest.approx(second)


def test_without_rows_held_out_there_is_nothing_to_promise():
    with pytest.raises(ValueError, match=r"fit_blocks\(\.\.\., certify=0.05\)"):
        table_model_of(Ridge(lam=0.01).fit_blocks(TABLE[["x", "y"]], "y"))
