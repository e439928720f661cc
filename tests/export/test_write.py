"""The door: which models, what goes in, what comes out."""

import os

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import surefit
from surefit import ERM, SVC, Certified, Lasso, Nystroem, PivotedCholesky, Ridge, exhibits
from surefit.features import Polynomial
from surefit.kernels import Gaussian, Matern
from tests.export.running import answers, close, onnxruntime

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X.sum(axis=1) + RNG.normal(size=60)


@pytest.mark.parametrize("model", [
    make_pipeline(Nystroem(Gaussian(2.0), n_landmarks=15, random_state=0), Ridge(0.01)),
    make_pipeline(PivotedCholesky(Matern(2.0, 1.5)), Lasso(0.001)),
    Certified(Ridge(0.1)), Certified(make_pipeline(Nystroem(Gaussian(1.0)), Ridge(0.1))),
], ids=lambda model: type(model).__name__)  # fmt: skip
def test_low_rank_kernels_and_certified_models_are_written_through(model, tmp_path):
    model.fit(X, Y)
    close(answers(model, X, tmp_path)["prediction"], model.predict(X))


def test_any_number_of_rows_is_taken(tmp_path):
    model = Ridge(0.1).fit(X, Y)
    for rows in (X[:1], X[:0], np.repeat(X, 50, axis=0)):
        found = answers(model, rows, tmp_path)["prediction"]
        assert found.shape == (len(rows),)


def test_inputs_and_outputs_say_their_types(tmp_path):
    surefit.to_onnx(Ridge(0.1).fit(X, Y), tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    (given,), (found,) = session.get_inputs(), session.get_outputs()
    assert (given.name, given.type, given.shape) == ("X", "tensor(double)", ["rows", 3])
    assert (found.name, found.type, found.shape) == ("prediction", "tensor(double)", ["rows"])


@pytest.mark.parametrize(("model", "cause"), [
    (LinearRegression(), "LinearRegression cannot be written as ONNX; these can: LeastSquares"),
    (exhibits.NearestNeighbourRegressor(), "NearestNeighbourRegressor cannot be written"),
    (ERM(features=Polynomial(2)), "without features of its own"),
    (make_pipeline(StandardScaler(), Ridge(0.1)), "StandardScaler in a pipeline cannot be written"),
    (Certified(LinearRegression()), "LinearRegression cannot be written"),
], ids=lambda one: type(one).__name__)  # fmt: skip
def test_what_cannot_be_written_is_refused_and_leaves_no_file(model, cause, tmp_path):
    model.fit(X, Y)
    with pytest.raises(ValueError, match=cause):
        surefit.to_onnx(model, tmp_path / "m.onnx")
    assert os.listdir(tmp_path) == []


def test_votes_of_pairs_and_models_that_are_not_fitted_are_refused(tmp_path):
    three = SVC(lam=0.1).fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="votes by pairs"):
        surefit.to_onnx(three, tmp_path / "m.onnx")
    with pytest.raises(NotFittedError):
        surefit.to_onnx(Ridge(), tmp_path / "m.onnx")
