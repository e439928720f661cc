"""Every model of the library as a file: it comes back with the same answers and the same state as from a pickle."""

import json
import os
import pickle
import warnings
import zipfile
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import surefit
from surefit import (
    ERM,
    SVC,
    SVR,
    Certified,
    KernelERM,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Nystroem,
    OnlineAdaline,
    OnlineClassifier,
    OnlineIntervals,
    OnlinePerceptron,
    OnlineRegressor,
    OnlineRidgeIntervals,
    OnlineSVR,
    PivotedCholesky,
    Ridge,
    Stream,
    WidrowHoff,
    calibrate,
    calibrate_probabilities,
    calibrate_quantiles,
    choose_threshold,
    features,
)
from surefit.kernels import Gaussian, Linear, Matern
from surefit.objective import L1, Huber, Logistic, Pinball
from surefit.store.encode import Encoded
from surefit.store.file import ARRAYS, DATA
from surefit.store.refusal import ModelFileError
from surefit.store.vocabulary import VOCABULARY, label_of
from tests.properties.models import IN_MEMORY, target_for

RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 3))
Y = X @ [1.0, 2.0, 0.0] + RNG.normal(size=90)
SIGNS = np.where(Y > 0, 1, -1)
LABELS = np.array(["no", "yes"], dtype=object)[(Y > 0) * 1]
THREE = np.array(["low", "middle", "high"])[np.digitize(Y, [-1.0, 1.0])]
TABLE = pd.DataFrame(X, columns=["age", "size", "naïve <b>"])

OTHERS = [
    (Ridge(0.1, standardise=True), Y),
    (Lasso(cv=KFold(4, shuffle=True, random_state=0)), Y),
    (ERM(Huber(1.0), L1(), lam=0.1), Y),
    (ERM(Pinball(0.2), lam=0.01, features=features.Polynomial(2)), Y),
    (KernelRidge(), Y),
    (KernelRidge(Gaussian(1.0) + 2.0 * Linear(), lam=0.1), Y),
    (KernelRidge(Matern(1.0, 1.5), 0.1, solver="nystroem", n_landmarks=20, random_state=np.random.default_rng(3)), Y),
    (SVR(), Y),
    (make_pipeline(Nystroem(Gaussian(1.0), n_landmarks=15, random_state=0), Ridge(0.1)), Y),
    (make_pipeline(features.BooleanMonomials(2), Lasso(0.01)), Y),
    (Certified(Ridge(0.1)), Y),
    (LogisticRegression(), THREE),
    (LogisticRegression(0.1), LABELS),
    (SVC(), LABELS),
    (KernelERM(Logistic(), kernel=Gaussian(1.0), lam=0.1), SIGNS),
    (Certified(LogisticRegression(0.1)), LABELS),
]
"""Models that chose something, hold objects of their user, or have a penalty, loss or label of another kind."""
CASES = [*((one, target_for(one, Y, LABELS, THREE)) for one in IN_MEMORY), *OTHERS]
ONLINE = [
    (OnlineRegressor(), Y),
    (WidrowHoff(), Y),
    (OnlineSVR(), Y),
    (OnlineClassifier(), LABELS),
    (OnlinePerceptron(), LABELS),
    (OnlineAdaline(), LABELS),
    (OnlineRidgeIntervals(), Y),
    (OnlineIntervals(WidrowHoff()), Y),
]
TRANSFORMERS = [Nystroem(), PivotedCholesky(Gaussian(1.0)), features.Polynomial(3, scaling="range")]

by_name = {"ids": lambda one: repr(one).replace("\n", " ")[:50] if isinstance(one, BaseEstimator) else ""}


KNOWN = {}


def fitted(model, y, **options):
    """A fitted copy; fits are made once and read by several tests."""
    key = repr(model), id(y), *options.items()
    if key not in KNOWN:
        KNOWN[key] = _fitted(model, y, options)
    return KNOWN[key]


def _fitted(model, y, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X[:70], y[:70], **options)


def through_file(model, folder):
    surefit.save(model, folder / "model.surefit")
    return surefit.load(folder / "model.surefit")


def state(model):
    """A model as data and bytes: equal for models that hold the same, bit for bit."""
    encoded = Encoded()
    node = encoded.node(model, "")
    return node, {name: (one.dtype.str, one.shape, one.tobytes()) for name, one in encoded.arrays.items()}


@pytest.mark.parametrize(("model", "y"), CASES, **by_name)
def test_a_model_comes_back_as_from_a_pickle(model, y, tmp_path):
    model = fitted(model, y)
    found, pickled = through_file(model, tmp_path), pickle.loads(pickle.dumps(model))
    assert type(found) is type(model)
    assert state(found) == state(pickled)
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            assert np.array_equal(getattr(found, method)(X), getattr(model, method)(X))


@pytest.mark.parametrize(("model", "y"), [case for case in CASES if not hasattr(case[0], "steps")], **by_name)
def test_certificates_of_a_loaded_model_are_those_of_a_pickle(model, y, tmp_path):
    model = fitted(model, y)
    found, pickled = through_file(model, tmp_path), pickle.loads(pickle.dumps(model))
    assert found.certificate(X[70:], y[70:]) == pickled.certificate(X[70:], y[70:])
    with pytest.raises(ValueError, match="were used in fit"):
        found.certificate(X[:70], y[:70])


@pytest.mark.parametrize(("model", "y"), [
    (Ridge(0.1), Y), (KernelRidge(lam=0.1), Y), (LogisticRegression(0.1), LABELS), (SVC(lam=0.1), THREE),
], **by_name)  # fmt: skip
def test_answers_on_held_out_rows_travel(model, y, tmp_path):
    y = LABELS if isinstance(model, SVC) else y
    model = fitted(model, y, certify=0.3)
    assert through_file(model, tmp_path).certificate() == model.certificate()


@pytest.mark.parametrize("model", [LeastSquares(), Ridge(), Ridge(0.1, standardise=True)], **by_name)
def test_tables_and_intervals_travel(model, tmp_path):
    model = fitted(model, Y)
    found, pickled = through_file(model, tmp_path), pickle.loads(pickle.dumps(model))
    assert str(found.summary()) == str(pickled.summary())
    for covariance in ("classical", "HC3"):
        one, other = (each.inference(covariance=covariance, level=0.9) for each in (found, pickled))
        assert state(one) == state(other)
    one, other = (each.predict_interval(X[70:]) for each in (found, pickled))
    assert np.array_equal(one.lower, other.lower)
    assert np.array_equal(one.upper, other.upper)
    assert one.statement == other.statement


def test_the_table_of_a_logistic_regression_travels(tmp_path):
    model = fitted(LogisticRegression(0.1), LABELS)
    assert str(through_file(model, tmp_path).summary()) == str(pickle.loads(pickle.dumps(model)).summary())


def test_intervals_of_an_exact_kernel_ridge_travel(tmp_path):
    model = fitted(KernelRidge(Gaussian(1.0), lam=0.1), Y)
    one, other = (each.predict_interval(X[70:], method="full") for each in (through_file(model, tmp_path), model))
    np.testing.assert_allclose(one.lower, other.lower, rtol=1e-9)


def test_calibrated_models_travel(tmp_path):
    held_out = calibrate(fitted(Ridge(0.1), Y), X[70:], Y[70:], within=LABELS[70:])
    found = through_file(held_out, tmp_path)
    one, other = (each.predict_interval(X[:9], 0.5, within=LABELS[:9]) for each in (found, held_out))
    assert np.array_equal(one.upper, other.upper)
    assert repr(found) == repr(held_out)
    band = calibrate_quantiles(*(fitted(ERM(Pinball(q), lam=0.01), Y) for q in (0.1, 0.9)), X[70:], Y[70:])
    one, other = (each.predict_interval(X[:9], 0.5) for each in (through_file(band, tmp_path), band))
    assert np.array_equal(one.lower, other.lower)


@pytest.mark.parametrize(("model", "y"), ONLINE, **by_name)
def test_online_learners_go_on_where_they_were(model, y, tmp_path):
    model = clone(model)
    first = {"classes": np.unique(y)} if "classes" in signature(model.partial_fit).parameters else {}
    model.partial_fit(X[:60], y[:60], **first)
    found = through_file(model, tmp_path)
    assert state(found) == state(pickle.loads(pickle.dumps(model)))
    for one in (model, found):
        one.partial_fit(X[60:], y[60:])
    assert state(found) == state(model)


def test_a_stream_that_is_watched_goes_on_where_it_was(tmp_path):
    stream = Stream(WidrowHoff(), upper=100.0)
    stream.learn(X[:60], Y[:60])
    found = through_file(stream, tmp_path)
    for one in (stream, found):
        one.learn(X[60:], Y[60:])
    assert state(found) == state(stream)


def test_calibrated_probabilities_and_thresholds_travel(tmp_path):
    model = fitted(LogisticRegression(0.1), LABELS)
    held_out = calibrate_probabilities(model, X[70:], LABELS[70:])
    assert state(through_file(held_out, tmp_path)) == state(pickle.loads(pickle.dumps(held_out)))
    assert np.array_equal(through_file(held_out, tmp_path).predict_proba(X), held_out.predict_proba(X))
    chosen = choose_threshold(model, X[70:], LABELS[70:], recall=0.3, label="yes")
    assert state(through_file(chosen, tmp_path)) == state(pickle.loads(pickle.dumps(chosen)))


def test_every_model_of_the_vocabulary_is_tried():
    tried = [one for one, _ in (*CASES, *ONLINE)] + [*TRANSFORMERS, Stream(WidrowHoff())]
    inside = [step for one in tried for _, step in getattr(one, "steps", ())]
    known = {label for label in VOCABULARY if label.startswith("model ")}
    assert known <= {label_of(type(one)) for one in (*tried, *inside)}


def test_certificates_travel(tmp_path):
    certificate = fitted(Ridge(0.1), Y).certificate(X[70:], Y[70:])
    assert through_file(certificate, tmp_path) == certificate


@pytest.mark.parametrize("model", TRANSFORMERS, **by_name)
def test_transformers_travel(model, tmp_path):
    model = clone(model).fit(X)
    assert np.array_equal(through_file(model, tmp_path).transform(X), model.transform(X))


@pytest.mark.parametrize("model", [Ridge(), Lasso(0.1), SVC(Gaussian("median"), lam=0.5)], **by_name)
def test_models_that_are_not_fitted_travel(model, tmp_path):
    assert repr(through_file(model, tmp_path)) == repr(model)
    assert fitted(through_file(model, tmp_path), LABELS if isinstance(model, SVC) else Y)


def test_names_of_columns_travel_and_are_heeded(tmp_path):
    model = Ridge(0.1).fit(TABLE, Y)
    found = through_file(model, tmp_path)
    assert found.feature_names_in_.tolist() == list(TABLE.columns)
    assert np.array_equal(found.predict(TABLE), model.predict(TABLE))
    with pytest.raises(ValueError, match="feature names"):
        found.predict(TABLE[["size", "age", "naïve <b>"]])
    assert "naïve <b>" in str(found.summary())


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_points_travel(kind, tmp_path):
    rows = kind(np.where(np.abs(X) > 0.5, X, 0.0))
    model = KernelRidge(Gaussian(1.0), lam=0.1).fit(rows, Y)
    assert np.array_equal(through_file(model, tmp_path).predict(rows), model.predict(rows))


def test_single_precision_stays(tmp_path):
    model = Ridge(0.1).fit(X.astype(np.float32), Y.astype(np.float32))
    assert through_file(model, tmp_path).predict(X.astype(np.float32)).dtype == np.float32


def test_several_targets_travel(tmp_path):
    model = Ridge().fit(X, np.column_stack([Y, -Y]))
    assert np.array_equal(through_file(model, tmp_path).predict(X), model.predict(X))


def test_the_same_model_gives_the_same_bytes(tmp_path):
    model = fitted(LogisticRegression(0.1), LABELS)
    paths = [tmp_path / name for name in ("a", "b", "c")]
    surefit.save(model, paths[0])
    surefit.save(model, paths[1])
    surefit.save(surefit.load(paths[1]), paths[2])
    assert len({path.read_bytes() for path in paths}) == 1


def test_a_loaded_model_is_fitted_again_as_any_other(tmp_path):
    found = through_file(fitted(Ridge(), Y), tmp_path)
    assert np.array_equal(found.fit(X, Y).coef_, Ridge().fit(X, Y).coef_)
    assert found.summary()


def test_a_file_does_not_grow_with_the_rows(tmp_path):
    sizes = []
    for n in (2_000, 20_000):
        rows = np.random.default_rng(0).normal(size=(n, 5))
        surefit.save(LogisticRegression(0.01).fit(rows, rows[:, 0] > 0), tmp_path / "model")
        sizes.append(os.path.getsize(tmp_path / "model"))
    assert sizes[1] - sizes[0] < 2_000


def test_many_columns_with_names_stay_out_of_the_json(tmp_path):
    wide = np.random.default_rng(0).normal(size=(20, 4000))
    model = Lasso(0.1).fit(pd.DataFrame(wide, columns=[f"column {k}" for k in range(4000)]), wide[:, 0])
    surefit.save(model, tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as archive:
        assert archive.getinfo(DATA).file_size < 20_000
    assert surefit.load(tmp_path / "model").feature_names_in_[-1] == "column 3999"


def test_the_parts_can_be_read_by_anybody(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    model = fitted(Ridge(0.1), Y)
    surefit.save(model, tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as archive:
        header = json.loads(archive.read(DATA))
        assert np.array_equal(safetensors.load(archive.read(ARRAYS))["coef_"], model.coef_)
        assert archive.testzip() is None
    assert header["format"] == "surefit model"
    assert header["schema"] == 1
    assert header["model"]["is"] == "model Ridge"
    assert header["model"]["holds"]["lam"] == 0.1
    assert header["versions"]["surefit"] == surefit.__version__


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.surefit"
    surefit.save(Ridge(0.1), path)
    with pytest.raises(ModelFileError, match="lam is the function"):
        surefit.save(Ridge(len), path)
    assert surefit.load(path).lam == 0.1
    assert os.listdir(tmp_path) == ["model.surefit"]


@pytest.mark.parametrize("model", [
    StandardScaler(), make_pipeline(StandardScaler(), Ridge()), {"a": 1}, "ridge", None, Ridge, 3.0,
], ids=str)  # fmt: skip
def test_what_is_no_model_of_ours_is_refused(model, tmp_path):
    with pytest.raises(ModelFileError, match=r"own classes|is a class and holds nothing"):
        surefit.save(model, tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_nothing_is_pickled_on_the_way(tmp_path, monkeypatch):
    model = fitted(KernelRidge(lam=0.1), Y)
    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, None)
    assert np.array_equal(through_file(model, tmp_path).predict(X), model.predict(X))


def test_a_file_that_is_not_there_or_no_model_is_told_what_to_give(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such model file; check the path"):
        surefit.load(tmp_path / "model.surefit")
    (tmp_path / "table.csv").write_text("x,y\n1,2\n")
    with pytest.raises(ModelFileError, match=r"give the model\.surefit that `surefit fit` wrote"):
        surefit.load(tmp_path / "table.csv")


def test_a_folder_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(ModelFileError, match="is a folder; give the model file in it"):
        surefit.load(tmp_path)
