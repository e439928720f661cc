"""Errors about rows and targets name the column, count the entries, and say what to do."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from surefit import (
    ERM,
    SVC,
    Certified,
    KernelERM,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    NearestNeighbourClassifier,
    Nystroem,
    OnlineRidgeIntervals,
    Ridge,
    WidrowHoff,
    calibrate,
    calibrate_probabilities,
    certify,
    choose_threshold,
    lasso_path,
)
from surefit.data.tables import explained, numbered
from surefit.features import Polynomial
from surefit.warnings import PairingWarning

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["age", "bmi", "bp"])
Y = FRAME["age"].to_numpy() + RNG.normal(size=60)
LABELS = np.where(Y > 0, "yes", "no")
GAPS = FRAME.copy()
GAPS.loc[[3, 17, 20, 30], "bmi"] = np.nan
WORDS = FRAME.assign(city=["Oslo", "Rome"] * 30)
DATES = FRAME.assign(when=pd.date_range("2020", periods=60))
MISSING = r"Input X contains NaN: column 'bmi' has 4 missing values \(rows 3, 17, 20, ...\); impute"


@pytest.mark.parametrize(
    "model", [Ridge(), Lasso(), KernelRidge(), SVC(), NearestNeighbourClassifier(), Certified(Ridge(), holdout=1 / 60)]
)
def test_missing_values_are_counted_where_they_are(model):
    with pytest.raises(ValueError, match=MISSING):
        model.fit(GAPS, LABELS if isinstance(model, SVC | NearestNeighbourClassifier) else Y)


def test_new_rows_transformers_paths_and_held_out_fits_say_the_same():
    for call in (
        lambda: Ridge(1.0).fit(FRAME, Y).predict(GAPS),
        lambda: LogisticRegression(1.0).fit(FRAME, LABELS).predict_proba(GAPS),
        lambda: Nystroem().fit(GAPS),
        lambda: Polynomial(2).fit(GAPS),
        lambda: lasso_path(GAPS, Y),
        lambda: Ridge(1.0).fit(GAPS, Y, certify=1 / 60),  # rows keep their numbers in the part that is fitted
    ):
        with pytest.raises(ValueError, match=MISSING):
            call()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (GAPS.to_numpy(), r"Input X contains NaN: column 1 has 4 missing values \(rows 3, 17, 20, ...\)"),
        (GAPS.to_numpy().tolist(), "column 1 has 4 missing values"),
        (sparse.csr_array(GAPS.to_numpy()), "column 1 has 4 missing values"),
        (FRAME.assign(bmi=pd.array([1.0, None] * 30, dtype="Float64")), "column 'bmi' has 30 missing values"),
        (FRAME.assign(bmi=pd.Series([1.0, None] * 30, dtype=object)), "column 'bmi' has 30 missing values"),
        (pl.DataFrame({"a": [1.0, None] * 30, "b": Y}), "column 'a' has 30 missing values"),
        (FRAME.replace(FRAME.iloc[7, 2], np.inf), r"contains infinity.*column 'bp' has 1 infinite value \(row 7\)"),
        (WORDS, r"column 'city' holds words such as 'Oslo' \(could not convert string to float\); encode words"),
        (WORDS.to_numpy(), "column 3 holds words such as 'Oslo'"),
        (WORDS.assign(city="2024-03-01 10:30"), "column 'city' holds dates such as '2024-03-01 10:30' .*to_datetime"),
        (WORDS.assign(city="1.3.2024"), "column 'city' holds dates such as '1.3.2024' .*to_datetime"),
        (DATES, "column 'when' holds dates; turn dates into numbers"),
        (DATES[["when"]], "column 'when' holds dates"),
        (DATES[["when"]].to_numpy(), "column 0 holds dates"),
        (FRAME.assign(day=[datetime.date(2020, 1, 1)] * 60), "column 'day' holds dates"),
        (
            pd.DataFrame(np.full((60, 5), np.nan)),
            r"column 2 has 60 missing values \(rows 0, 1, 2, ...\) and 2 more columns",
        ),
        (FRAME["age"], r"2-dimensional container but got .*Reshape your data: X.to_frame\(\) if it is a column"),
        (FRAME["age"].to_numpy(), r"Expected 2D array, got 1D array instead: .*X.reshape\(-1, 1\) if it is a column"),
        (FRAME.to_numpy()[None], r"Found array with dim 3.*X.reshape\(len\(X\), -1\)"),
        ([[1.0, 2.0], [3.0]] * 30, "rows have different lengths: give every row the same columns"),
        ("data.csv", "X is the word 'data.csv'.*pandas.read_csv"),
    ],
)
def test_every_kind_of_table_is_explained(table, words):
    with pytest.raises((TypeError, ValueError), match=words):
        LeastSquares().fit(table, Y)


def test_a_list_of_dicts_is_no_table_yet():
    with pytest.raises(TypeError, match=r"X is a list of dicts .*pandas.DataFrame\(X\)"):
        Ridge().fit([{"a": 1.0}] * 60, Y)


@pytest.mark.parametrize("model", [Ridge(), LeastSquares(), SVC(), KernelRidge(), LogisticRegression()])
def test_a_dict_a_name_for_the_targets_and_an_exchanged_pair_are_told_what_to_do(model):
    targets = LABELS if isinstance(model, SVC | LogisticRegression) else Y
    with pytest.raises((TypeError, ValueError), match=r"X is a dict; make a table of it: pandas.DataFrame\(X\)"):
        model.fit(dict(FRAME), targets)
    with pytest.raises((TypeError, ValueError), match="y is the word 'age'; give the targets themselves: the column"):
        model.fit(FRAME, "age")
    with pytest.raises(ValueError, match=r"X has one dimension and y has two; call fit\(X, y\): the rows come first"):
        model.fit(targets, FRAME)


@pytest.mark.parametrize(
    ("model", "target", "words"),
    [
        (
            Ridge(),
            np.where(np.arange(60) % 30 == 1, np.nan, Y),
            r"Input y contains NaN: 2 missing values \(rows 1, 31\); drop",
        ),
        (Ridge(), LABELS, "y holds words such as 'no', and Ridge predicts numbers .*use a classifier"),
        (ERM(), pd.Series(LABELS), "y holds words such as 'no', and ERM predicts numbers"),
        (KernelERM(), LABELS, "y holds words such as 'no', and KernelERM predicts numbers"),
        (Ridge(), pd.Series(DATES["when"]), "y holds dates, and Ridge predicts numbers"),
        (Ridge(), Y[:10], "X has 60 rows and y has 10; give one target for each row"),
        (Lasso(), np.column_stack([Y, Y]), r"y should be a 1d array.*; Lasso has one target: fit one column"),
        (LogisticRegression(), Y, "Unknown label type: continuous.*; use a regressor such as Ridge"),
    ],
)
def test_every_kind_of_target_is_explained(model, target, words):
    with pytest.raises((TypeError, ValueError), match=words):
        model.fit(FRAME, target)


def test_other_columns_than_those_of_the_fit_are_told_apart():
    model = Ridge(1.0).fit(FRAME, Y)
    with pytest.raises(ValueError, match=r"X has 2 features, but Ridge is expecting 3 .*give the columns of the fit"):
        Ridge(1.0).fit(FRAME.to_numpy(), Y).predict(FRAME.to_numpy()[:, :2])
    with pytest.raises(ValueError, match=r"(?s)now missing:\n- bp; give the columns of the fit"):
        model.predict(FRAME[["age", "bmi"]])
    with pytest.raises(ValueError, match="X has 5 rows and y has 4; give one target for each row"):
        model.certificate(FRAME[:5], Y[:4])


def test_words_in_the_target_of_a_classifier_are_not_to_blame():
    table = FRAME.to_numpy(dtype=object, copy=True)
    table[0, 0] = {"an": "object"}
    with pytest.raises(
        TypeError, match=r"^column 0 holds values of type dict \(float\(\) argument must .* 'dict'\); give"
    ):
        LogisticRegression().fit(table, LABELS)


def test_errors_of_another_kind_pass_untouched_and_parts_of_parts_have_no_row_numbers():
    with pytest.raises(ValueError, match=r"^something else$"), explained(GAPS):
        raise ValueError("something else")
    with pytest.raises(ValueError, match="has 4 missing values; impute"), numbered(np.arange(7)), explained(GAPS):
        raise ValueError("Input X contains NaN.")


def test_a_list_of_feature_names_that_scikit_learn_cut_short_keeps_its_dots():
    with pytest.raises(ValueError, match=r"- \.\.\.; give the columns of the fit"), explained([[1.0]]):
        raise ValueError("The feature names should match those that were passed during fit.\n- a\n- ...\n")


@pytest.mark.parametrize("empty", [[], (), np.array([])])
def test_rows_that_are_not_there_are_called_empty(empty):
    with pytest.raises(ValueError, match=r"X is empty .*; give at least one row"):
        Ridge().fit(empty, [])


def test_tables_without_rows_or_columns_are_told_what_to_do():
    table = pd.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"0 sample\(s\) .*; give at least one row and one column$"):
        Ridge().fit(table.iloc[:0], [])
    with pytest.raises(ValueError, match=r"0 sample\(s\) .*; give at least one row and one column$"):
        Ridge(1.0).fit(table, [1.0, 3.0]).predict(table.iloc[:0])
    with pytest.raises(ValueError, match=r"0 feature\(s\) .*; give at least one row and one column$"):
        Ridge().fit(np.empty((2, 0)), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"X has no columns: give at least one$"):
        Ridge().fit(table[[]], [1.0, 2.0])


def test_dates_pass_to_a_pipeline_that_turns_them_into_numbers():
    dates = pd.DataFrame({"day": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D")})
    target = np.random.default_rng(0).normal(size=60) + np.arange(60)
    pipeline = make_pipeline(FunctionTransformer(lambda frame: frame.apply(lambda day: day.dt.day_of_year)), Ridge(1.0))
    assert Certified(pipeline).fit(dates, target).score(dates, target) > 0.9
    with pytest.raises(ValueError, match="'day' holds dates"):
        Certified(Ridge(1.0)).fit(dates, target)


def test_masked_entries_are_missing():
    X, hidden = FRAME.to_numpy(), np.zeros((60, 3), dtype=bool)
    hidden[4, 1] = True
    for model, y in ((Ridge(1.0), Y), (LogisticRegression(1.0), LABELS)):
        with pytest.raises(
            ValueError, match="X is a masked array, 1 entries of which are masked, that is missing; fill"
        ):
            model.fit(np.ma.MaskedArray(X, hidden), y)
    with pytest.raises(ValueError, match="y is a masked array"):
        Ridge(1.0).fit(X, np.ma.MaskedArray(Y, hidden[:, 1]))
    plain = Ridge(1.0).fit(np.ma.MaskedArray(X), Y)  # nothing is masked
    np.testing.assert_array_equal(plain.coef_, Ridge(1.0).fit(X, Y).coef_)


def test_columns_of_one_name_are_refused_by_name():
    twins = pd.concat([FRAME, FRAME.iloc[:, :1]], axis=1)
    for model, y in ((Ridge(1.0), Y), (LogisticRegression(1.0), LABELS), (Certified(Ridge(1.0)), Y)):
        with pytest.raises(
            ValueError, match=f"several columns of X are called {FRAME.columns[0]!r}; give every column"
        ):
            model.fit(twins, y)


def test_labels_that_are_missing_are_counted_and_located():
    words = np.where(np.asarray(LABELS) == LABELS[0], "yes", "no").astype(object)
    words[3] = np.nan
    with pytest.raises(ValueError, match=r"Input y contains NaN: 1 missing value \(row 3\); drop these rows"):
        LogisticRegression(1.0).fit(FRAME, words)


@pytest.mark.parametrize("form", [np.asarray, list, pd.Series])
def test_infinite_targets_are_counted_and_located(form):
    target = np.array(Y, dtype=float)
    target[[7, 9]] = np.inf, -np.inf
    with pytest.raises(ValueError, match=r"y contains infinity .*: 2 infinite values \(rows 7, 9\); drop these rows"):
        Ridge(1.0).fit(FRAME, form(target))


@pytest.mark.parametrize("model", [Ridge(lam=0.1), LogisticRegression(lam=0.1), KernelRidge(lam=0.1), LeastSquares()])
def test_targets_whose_labels_are_in_another_order_than_those_of_the_rows_are_told_of_once(model):
    X = pd.DataFrame(RNG.normal(size=(30, 2)), columns=["a", "b"])
    y = pd.Series((X["a"] > 0).astype(int), name="y")
    shuffled = y.iloc[::-1]
    with pytest.warns(PairingWarning, match=r"paired by position.* y\.loc\[X\.index\]") as told:
        model.fit(X, shuffled)
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for targets in (
            y,
            y.to_numpy(),
            shuffled.reset_index(drop=True),
            y.set_axis(range(1000, 1030)),
            y.to_frame()["y"],
        ):
            model.fit(X, targets)


def test_held_out_targets_in_another_order_are_told_of():
    X = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "b"])
    y = X["a"] + RNG.normal(size=60)
    model = Ridge(lam=0.1).fit(X[:30], y[:30])
    with pytest.warns(PairingWarning):
        model.certificate(X[30:], y[30:].sort_values())
    with pytest.warns(PairingWarning):
        calibrate(model, X[30:], y[30:].sort_values())


def test_tables_of_pyarrow_are_taken_and_their_columns_named():
    X = RNG.normal(size=(60, 2))
    table, y = pyarrow.table({"a": X[:, 0], "b": X[:, 1]}), X[:, 0]
    np.testing.assert_array_equal(Ridge(0.1).fit(table, y).predict(table), Ridge(0.1).fit(X, y).predict(X))
    with pytest.raises(ValueError, match=r"column 'b' has 1 missing value \(row 59\)"):
        Ridge().fit(pyarrow.table({"a": X[:, 0], "b": pyarrow.array([*X[:59, 1], None])}), y)


@pytest.mark.parametrize("use", [
    lambda X, y: choose_threshold(LogisticRegression(lam=0.1).fit(X + 1, y > 0), X, y > 0, cost=0.9),
    lambda X, y: calibrate_probabilities(LogisticRegression(lam=0.1).fit(X + 1, y > 0), X, y > 0),
    lambda X, y: WidrowHoff().partial_fit(X, y),
    lambda X, y: OnlineRidgeIntervals().partial_fit(X, y),
    lambda X, y: lasso_path(X, y, lams=[0.1]),
])  # fmt: skip
def test_whatever_pairs_rows_with_targets_tells_of_their_labels(use):
    X = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "b"])
    y = X["a"] + RNG.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PairingWarning)
        use(X, y)
        with pytest.raises(PairingWarning, match="X and y have the same row labels in different orders"):
            use(X, pd.Series(y.to_numpy(), X.index[::-1]))


@pytest.mark.parametrize(("name", "fit"), [
    ("sample_weight", lambda X, y, weight: Ridge(lam=0.1).fit(X, y, weight)),
    ("sample_weight", lambda X, y, weight: LogisticRegression(lam=0.1).fit(X, y > 0, sample_weight=weight)),
    ("sample_weight", lambda X, y, weight: Ridge(lam=0.1).fit(X, y, sample_weight=weight, certify=0.5)),
    ("sample_weight", lambda X, y, weight: Certified(Ridge(lam=0.1)).fit(X, y, sample_weight=weight)),
    ("groups", lambda X, y, groups: Certified(Ridge(lam=0.1)).fit(X, y, groups=groups // 4)),
    ("groups", lambda X, y, groups: Ridge(lam=0.1).fit(X + 1, y).certificate(X, y, groups=groups // 4)),
    ("weights", lambda X, y, weights: certify(Ridge(lam=0.1).fit(X + 1, y), X, y, weights=weights / 30.5)),
    ("within", lambda X, y, within: calibrate(Ridge(lam=0.1).fit(X + 1, y), X, y, within=within // 20)),
])  # fmt: skip
def test_weights_whose_labels_are_in_another_order_than_those_of_the_rows_are_told_of(name, fit):
    X = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "b"])
    y = X["a"] + RNG.normal(size=60)
    beside = pd.Series(np.arange(60) + 1, X.index)
    with pytest.warns(PairingWarning, match=rf"X and {name} have .* give {name}\.loc\[X\.index\]"):
        fit(X, y, beside[::-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error", PairingWarning)
        fit(X, y, beside)
        fit(X, y, beside.to_numpy())


HOURS = pd.Series(pd.to_timedelta(np.arange(60), unit="h"))
DAYS = pd.Series(pd.period_range("2020", periods=60, freq="D"))


@pytest.mark.parametrize(("X", "said"), [
    (pd.DataFrame({"a": DAYS}), r"column 'a' holds values of type Period .* dt\.to_timestamp\(\)"),
    (pd.DataFrame({"a": [{1}] * 60}), "column 'a' holds values of type set .*; give numbers, or leave"),
    (pd.DataFrame({"a": [np.ones(2)] * 60}), "column 'a' holds values of type ndarray"),
    (pd.DataFrame({"a": [Decimal("nan"), *[Decimal(1)] * 59]}), r"column 'a' has 1 missing value \(row 0\)"),
    (pd.DataFrame({"a": HOURS}), r"column 'a' holds durations; turn durations .*dt\.total_seconds\(\)"),
    (pd.DataFrame({"a": HOURS.astype(object)}), r"column 'a' holds durations .*dt\.total_seconds\(\)"),
    (HOURS.to_numpy()[:, None], "column 0 holds durations"),
    (FRAME.to_records(index=False), r"X is an array of records; make a table of it: pandas\.DataFrame\(X\)"),
    ({1.0, 2.0}, "X is of type set; give rows of numbers"),
    (([float(k)] for k in range(60)), "X is of type generator; give rows of numbers"),
    (5.0, "X is of type float; give rows of numbers"),
])  # fmt: skip
def test_what_holds_no_numbers_is_named_with_a_remedy(X, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Ridge(lam=0.1).fit(X, Y)


def test_a_sparse_array_that_is_a_dict_is_called_sparse():
    with pytest.raises(TypeError, match=r"[Ss]parse data was passed"):
        NearestNeighbourClassifier().fit(sparse.dok_array(FRAME.to_numpy()), LABELS)


@pytest.mark.parametrize(("y", "said"), [
    (DAYS, "y holds values of type Period, and Ridge predicts numbers"),
    (HOURS, r"y holds durations, and Ridge predicts numbers; give their seconds: y\.dt\.total_seconds\(\)"),
    (HOURS.astype(object), "y holds durations, and Ridge predicts numbers"),
    ({"a": 1}, "y is of type dict; give one target for each row"),
    (set(range(60)), "y is of type set; give one target for each row"),
    (iter(range(60)), "y is of type range_iterator; give one target for each row"),
])  # fmt: skip
def test_targets_that_are_no_list_of_numbers_are_named_with_a_remedy(y, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Ridge(lam=0.1).fit(FRAME, y)


@pytest.mark.parametrize("kind", ["string", object, "category"])
def test_missing_labels_are_located_whatever_their_type(kind):
    X = pd.DataFrame(RNG.normal(size=(30, 1)), columns=["a"])
    y = pd.Series(["yes", "no"] * 15, dtype=kind)
    model = LogisticRegression(lam=0.1).fit(X, y)
    y[7] = None
    said = r"1 missing (value \(row 7\)|label in row 7); drop these rows, or give them a label of their own"
    with pytest.raises(ValueError, match=said):
        LogisticRegression(lam=0.1).fit(X, y)
    with pytest.raises(ValueError, match=said):
        model.certificate(X + 1, y)
