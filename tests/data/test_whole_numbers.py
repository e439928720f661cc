"""Whole numbers beyond 2**53: refused where rounding makes one of several, kept where that does no harm."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from surefit import Certified, KernelRidge, LeastSquares, LogisticRegression, Ridge
from surefit.data.whole_numbers import merged
from surefit.study.division import groups_of
from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import kinds_of
from surefit.study.study import Study
from surefit.study.tables.read import read_table
from surefit.study.tables.table import TableError
from surefit.study.target import target_of

FAR = 2**60
STEPS = np.random.default_rng(0).integers(0, 100, 60)
NOISE = np.random.default_rng(1).normal(size=60)
TABLE = pd.DataFrame({"number": FAR + STEPS, "x": NOISE})
FORMS = {
    "pandas": TABLE,
    "pandas with missing values of its own": TABLE.convert_dtypes(),
    "polars": polars.DataFrame({"number": FAR + STEPS, "x": NOISE}),
    "pyarrow": pyarrow.table({"number": FAR + STEPS, "x": NOISE}),
    "array": (FAR + STEPS)[:, None],
    "array without a sign": (FAR + STEPS).astype(np.uint64)[:, None],
    "objects": pd.DataFrame({"number": np.array([*(FAR + STEPS[:-1]).tolist(), 0.5], dtype=object), "x": NOISE}),
    "array of objects": np.array((FAR + STEPS).tolist(), dtype=object)[:, None],
    "list": [[one] for one in (FAR + STEPS).tolist()],
    "beyond 64 bits": [[one] for one in (FAR**2 + STEPS.astype(object)).tolist()],
    "sparse": sparse.csr_array((FAR + STEPS)[:, None]),
}


@pytest.mark.parametrize("form", FORMS)
def test_columns_whose_numbers_would_become_one_are_refused_by_name(form):
    with pytest.raises(ValueError, match=r"column ('number'|0) holds whole numbers beyond .* or leave the column"):
        Ridge().fit(FORMS[form], STEPS)


@pytest.mark.parametrize("target", [FAR + STEPS, pd.Series(FAR + STEPS), -FAR - STEPS, (FAR + STEPS).tolist()])
@pytest.mark.parametrize("model", [LeastSquares(), KernelRidge()])
def test_targets_whose_numbers_would_become_one_are_refused(model, target):
    with pytest.raises(ValueError, match=r"^y holds whole numbers beyond 2\*\*53 .* subtract -?\d+ from all of them"):
        model.fit(NOISE[:, None], target)


def test_what_was_subtracted_as_the_message_says_is_fitted():
    assert LeastSquares().fit((TABLE["number"] - FAR).to_frame(), STEPS).coef_ == pytest.approx([1.0])


def test_classes_and_numbers_whose_rounding_does_no_harm_are_taken():
    keys = np.random.default_rng(2).integers(-(2**62), 2**62, 60)
    Ridge().fit(keys[:, None], NOISE)
    Ridge().fit(FAR + 256 * STEPS[:, None], NOISE)
    some = np.where(STEPS > 50, FAR + STEPS, 0)[:, None]
    Ridge().fit(some, NOISE)
    Ridge(lam=1.0).fit(sparse.csr_array(some), NOISE)
    KernelRidge().fit(NOISE[:, None], FAR + 256 * STEPS)
    labels = FAR + (NOISE > 0)
    assert set(LogisticRegression(lam=0.1).fit(NOISE[:, None], labels).predict(NOISE[:, None])) == set(labels)


def test_new_rows_are_answered_in_any_company():
    X = np.where(STEPS > 50, FAR + STEPS, 0)[:, None]
    model = Ridge(lam=0.1).fit(X, NOISE)
    assert model.predict(X[STEPS > 50]).tolist() == model.predict(X)[STEPS > 50].tolist()


def test_what_comes_first_in_a_pipeline_may_subtract():
    nearer = make_pipeline(FunctionTransformer(lambda X: X - FAR), LeastSquares())
    Certified(nearer).fit(TABLE[["number"]], STEPS).predict(TABLE[["number"]])


@given(st.lists(st.integers(2**53 - 8, 2**53 + 40), min_size=1, max_size=12))
def test_merged_finds_neighbours_that_round_to_one(values):
    alike = [(a, b) for a, b in pairwise(sorted(set(values))) if float(a) == float(b)]
    assert merged(np.array(values)) == (alike[0] if alike else None)


@pytest.mark.parametrize("text", [False, True])
def test_a_study_takes_such_numbers_for_words(text, tmp_path):
    """Classes, groups and levels of a category remain what they are; a target that should be a quantity is refused."""
    rows = pd.DataFrame({"number": FAR + np.repeat(np.arange(30), 10)})
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    table = read_table(path if text else rows)
    kinds = kinds_of(table, {})
    assert kinds["number"].kind == "category"
    assert "cannot tell apart, so that they count as words" in kinds["number"].reason
    encoder = Encoder.of(table, kinds, ["number"])
    assert set(encoder.features) == {f"number = {FAR + k}" for k in range(1, 30)}  # beside the first
    for source, unknown in ((rows.head(1), 0), (rows.head(1).assign(number=FAR + 64), 1)):
        assert encoder.outside(read_table(source))["number"][0].count == unknown
    assert target_of(table, "number", "classification").classes == tuple(str(FAR + k) for k in range(30))
    assert len(np.unique(groups_of(table, "number"))) == 30
    wanted = f"such as {FAR} and {FAR + 1}; subtract {FAR} from all of them first"
    with pytest.raises(TableError, match=wanted):
        target_of(table, "number")
    with pytest.raises(TableError, match=f"^'number': it holds .*{wanted}"):
        kinds_of(read_table(path), {"number": "number"})
    beside_zeros = rows.assign(number=rows.number.where(rows.index > 20, 0))  # where their rounding does not matter
    assert kinds_of(read_table(beside_zeros), {})["number"].kind == "number"


def test_a_study_says_that_floats_which_are_equal_may_have_differed():
    rows = pd.DataFrame({"number": float(FAR) + STEPS, "x": NOISE, "y": STEPS})
    study = Study("y", budget=None).fit(rows)
    reason = "it has the same value in every row, as far as floating point numbers tell"
    assert f"Left out: number ({reason})." in repr(study)
    with pytest.raises(TableError, match="as far as floating point numbers tell; if its values differ"):
        Study("number", budget=None).fit(rows)
