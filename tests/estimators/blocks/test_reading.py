"""What was read is remembered by name, and rows to predict must have the same columns."""

import warnings

import numpy as np
import pandas as pd
import polars
import pytest

from surefit import (
    KernelLogistic,
    KernelRidge,
    LeastSquares,
    LogisticRegression,
    OnlineClassifier,
    OnlineRegressor,
    Ridge,
    RobustRegression,
    load,
    save,
)
from surefit.warnings import UnreadableWarning

pa = pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.normal(size=300), "income": RNG.normal(size=300)})
FRAME["y"] = FRAME.age + 2.0 * FRAME.income + RNG.normal(size=300)
NAMES, SWAPPED = ["age", "income"], ["income", "age"]


def carried(table, carrier, folder):
    """The table as a file or as an object of some library; as an array without its target."""
    if carrier == "CSV":
        table.to_csv(folder / "rows.csv", index=False)
    elif carrier == "Parquet":
        table.to_parquet(folder / "rows.parquet")
    else:
        kinds = {
            "polars": polars.from_pandas,
            "Arrow": pa.Table.from_pandas,
            "array": lambda one: one[NAMES].to_numpy(),
        }
        return kinds[carrier](table) if carrier in kinds else table
    return str(folder)


@pytest.fixture(params=["CSV", "pandas", "polars", "Arrow"])
def source(request, tmp_path):
    return carried(FRAME, request.param, tmp_path)


def test_rows_to_predict_must_have_the_columns_of_the_source_in_order(source, tmp_path):
    model = Ridge(0.01).fit_blocks(source, "y")
    save(model, tmp_path / "model.surefit")
    for one in (model, load(tmp_path / "model.surefit")):
        assert one.feature_names_in_.tolist() == NAMES
        for rows in (FRAME, polars.from_pandas(FRAME)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert one.score(rows[NAMES], FRAME.y) > 0.7
            with pytest.raises(ValueError, match=r"must be in the same order.*give the columns of the fit"):
                one.predict(rows[SWAPPED])


@pytest.mark.parametrize(
    "model",
    [LeastSquares(), RobustRegression(lam=0.1), OnlineRegressor(), KernelRidge(n_landmarks=20)],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_all_models_of_blocks_know_their_columns(model):
    model.fit_blocks(FRAME, "y")
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(FRAME[SWAPPED])


def test_rows_with_words_are_refused_where_the_fit_made_indicators_of_them():
    table = FRAME.assign(sold=np.where(FRAME.y > 0, "1", "0"), y=FRAME.y)
    model = LeastSquares().fit_blocks(table, "y", certify=0.1)
    assert model.feature_names_in_.tolist() == model.blocks_.names
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- sold\n.*now missing:\n- sold = "):
        model.predict(table[[*NAMES, "sold"]])


def test_arrays_and_columns_that_are_numbered_have_no_names():
    numbered = FRAME.rename(columns={"age": 0, "income": 1})
    model = LogisticRegression(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Arrow, about names that are numbers
        model.fit_blocks(numbered.assign(y=FRAME.y > 0), "y")
    assert not hasattr(model, "feature_names_in_")
    assert not hasattr(
        Ridge().fit(FRAME[NAMES], FRAME.y).fit_blocks(FRAME[NAMES].to_numpy(), y=FRAME.y), "feature_names_in_"
    )


@pytest.mark.parametrize("carrier", ["CSV", "Parquet", "pandas", "polars"])
def test_whole_numbers_that_would_become_one_are_refused_as_in_memory(carrier, tmp_path):
    far = FRAME.assign(key=2**60 + np.arange(300))
    told = "column 'key' holds whole numbers beyond .*; subtract 1152921504606846976 from all of them first, or leave"
    with pytest.raises(ValueError, match=told):
        LeastSquares().fit(far[["age", "key"]], far.y)
    with pytest.raises(ValueError, match=told):
        LeastSquares().fit_blocks(carried(far, carrier, tmp_path), "y")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["unknown", *map(str, range(299))], "'unknown' among numbers"),
        (["x12", *map(str, range(299))], "'x12' among numbers"),
        (["1,000", "2,500", "300"] * 100, "'1,000' that look like numbers"),
        (["5%", "7 %"] * 150, "'5%' that look like numbers"),
        (list(map(str, range(300))), "'0' that look like numbers"),
    ],
)
def test_a_column_meant_as_numbers_that_is_one_of_words_is_told_of(texts, told, tmp_path):
    table = FRAME.assign(size=texts)
    told = f"column 'size' holds words such as {told}; .* for one slope write plain numbers"
    with pytest.warns(UnreadableWarning, match=told) as found:
        LeastSquares().fit_blocks(table, "y")
    assert [one.filename for one in found] == [__file__]
    table.to_csv(tmp_path / "rows.csv", index=False)
    if "'0'" not in told:  # plain numbers are read as such from text
        with pytest.warns(UnreadableWarning, match=told):
            LeastSquares().fit_blocks(str(tmp_path / "rows.csv"), "y")


@pytest.mark.parametrize(
    "texts",
    [["red", "blue", "7"], ["1", "2", "3"], ["01234", "90210"], ["1.2.2024", "3.2.2024"], ["12 m", "3 m"]],
)
def test_words_codes_and_grades_are_taken_without_a_word(texts):
    LeastSquares().fit_blocks(FRAME.assign(size=(texts * 150)[:300]), "y")


@pytest.mark.parametrize("carrier", ["array", "CSV", "Parquet", "pandas", "polars"])
@pytest.mark.parametrize("kind", [int, bool, float])
def test_classes_are_of_the_kind_that_the_source_has(kind, carrier, tmp_path):
    table = FRAME.assign(y=(FRAME.y > 0).astype(kind))
    rows = table[NAMES].to_numpy() if carrier == "array" else table[NAMES]
    source, target = carried(table, carrier, tmp_path), {"target": "y"}
    if carrier == "array":
        target = {"y": table.y.to_numpy()}
    for model in (LogisticRegression(0.1), KernelLogistic(lam=0.1, n_landmarks=20), OnlineClassifier()):
        model.fit_blocks(source, **target, certify=0.1)
        assert model.classes_.tolist() == [kind(0), kind(1)]
        assert model.classes_.dtype == model.predict(rows).dtype == np.dtype(kind)
        assert model.certificate().bound < 0.7


def test_words_that_look_like_numbers_are_words():
    """The rows held out were searched for a number."""
    table = FRAME.assign(y=np.where(FRAME.y > 0, "1", "0"))
    for model in (LogisticRegression(0.1), KernelLogistic(lam=0.1, n_landmarks=20), OnlineClassifier()):
        model.fit_blocks(table, "y", certify=0.1)
        assert model.classes_.tolist() == ["0", "1"]
        assert set(model.predict(table[NAMES])) == {"0", "1"}


def test_classes_of_rows_that_are_copies_are_of_the_kind_that_the_source_has():
    copies = pd.concat([FRAME.round(0).assign(y=FRAME.y > 0)[:20]] * 500)
    model = LogisticRegression(0.1).fit_blocks(copies, "y")
    assert "distinct" in model.solution_.facts["reason"]
    assert model.classes_.dtype == bool


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_what_a_frame_calls_a_category_is_one(frame):
    shop = pd.Categorical([str(k % 40) for k in range(300)])
    rows = FRAME.assign(shop=shop)
    if frame == "polars":
        rows = polars.from_pandas(FRAME).with_columns(polars.Series("shop", list(shop), polars.Categorical))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ridge(0.1).fit_blocks(rows, "y")
