"""One record holds what a fit keeps: what it says of the settings, of rows that changed, and of storage."""

import dataclasses
import pickle
from copy import deepcopy
from enum import Enum

import numpy as np
import pytest
from sklearn.base import clone

import surefit.data.fingerprints as data_prints
from surefit import (
    ERM,
    SVC,
    SVR,
    KernelERM,
    KernelLogistic,
    KernelPerceptron,
    KernelRidge,
    Lasso,
    LeastSquares,
    NearestNeighbourClassifier,
    Ridge,
)
from surefit.guarantee.fit_record import FitRecord, Settings
from surefit.kernels import Gaussian, Laplace, Linear
from surefit.objective import Hinge, Huber, Squared
from surefit.theory.certificates.certificate import Standing

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 2))
LABELS = (X[:, 0] + 0.2 * rng.normal(size=150) > 0).astype(int)
NUMBERS = X[:, 0] + 0.2 * rng.normal(size=150)


def violated(certificate):
    return [one.text for one in certificate.assumptions if one.standing is Standing.VIOLATED]


@pytest.mark.parametrize(
    ("model", "y", "later"),
    [
        (SVC(Gaussian(1.0)), LABELS, {"lam": 0.1}),
        (SVR(Gaussian(1.0), epsilon=0.3), NUMBERS, {"lam": 0.1}),
        (SVC(Gaussian("median"), 0.01), LABELS, {"kernel": Gaussian(1.0)}),
        (SVC(Gaussian("median"), 0.01), LABELS, {"kernel__bandwidth": 1.0}),
        (KernelRidge(Gaussian("median"), 0.01), NUMBERS, {"kernel__bandwidth": 1.0}),
        (KernelRidge([Gaussian("median"), Laplace("median")], 0.01), NUMBERS, {"kernel": Gaussian(1.0)}),
        (KernelLogistic(Gaussian("median"), 0.01), LABELS, {"kernel__bandwidth": 1.0}),
        (KernelERM(Huber(1.0), Gaussian("median"), 0.01), NUMBERS, {"kernel__bandwidth": 1.0}),
        (KernelPerceptron(Gaussian("median"), max_epochs=1), LABELS, {"kernel__bandwidth": 1.0}),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_violation_cannot_be_erased_after_the_fit(model, y, later):
    model = clone(model).fit(X, y)
    before = model.certificate()
    assert violated(before)
    model.set_params(**later)
    after = model.certificate()
    assert violated(after) == violated(before)
    assert (after.statement, after.bound) == (before.statement, before.bound)
    assert "set to something else since" in after.assumptions[-1].evidence
    assert violated(pickle.loads(pickle.dumps(model)).fit(X, y).certificate()) != violated(before)


def test_nor_by_setting_the_attribute_to_what_was_chosen():
    model = SVC(Gaussian("median")).fit(X, LABELS)
    model.lam, model.kernel = model.lam_, model.kernel_
    assert len(violated(model.certificate())) == 2


def test_a_violation_does_not_appear_after_the_fit_either():
    model = SVC(Gaussian(1.0), 0.01).fit(X, LABELS)
    before = model.certificate()
    model.set_params(lam=None, kernel=Gaussian("median"))
    after = model.certificate()
    assert after.assumptions[:-1] == before.assumptions
    assert after.assumptions[-1].evidence.startswith("kernel, lam set to something else since")
    assert after.bound == before.bound < 1


def test_the_tube_is_that_of_the_fit():
    model = SVR(Gaussian(1.0), 1e-3, 0.3).fit(X, NUMBERS)
    before = model.certificate()
    model.epsilon = 5.0
    assert model.certificate().bound == before.bound
    assert "by more than 0.3 " in model.certificate().statement


def test_settings_do_not_reach_a_fitted_kernel():
    for model in (SVC(Gaussian(1.0), 0.01), KernelLogistic(Gaussian(1.0) + Linear(), 0.01)):
        scores = model.fit(X, LABELS).decision_function(X)
        for name in [name for name in model.get_params() if name.endswith("bandwidth")]:
            model.set_params(**{name: 7.0})
        np.testing.assert_array_equal(model.decision_function(X), scores)


def test_a_held_out_certificate_says_that_it_is_about_the_fit():
    model = NearestNeighbourClassifier(5).fit(X, LABELS, certify=0.3)
    before = model.certificate()
    model.n_neighbours = 50  # takes effect at once
    after = model.certificate()
    assert after.assumptions == (*before.assumptions, after.assumptions[-1])
    assert "n_neighbours set to something else since" in after.assumptions[-1].evidence
    stored = pickle.loads(pickle.dumps(model))
    assert stored.certificate() == after


def test_a_loss_for_signs_stays_one():
    signs = 2.0 * LABELS - 1
    model = ERM(Hinge(), lam=0.01).fit(X, signs, certify=0.3)
    before = model.certificate()
    model.loss = Squared()
    assert model.certificate().bound == before.bound


def test_the_model_itself_keeps_the_new_setting():
    model = Ridge(0.1).fit(X, NUMBERS)
    model.set_params(lam=0.5)
    model.certificate()
    assert model.lam == 0.5
    assert model.lam_ == 0.1


def test_untouched_settings_add_nothing():
    model = Lasso(lams=[0.1, 0.2], lam=None).fit(X, NUMBERS)
    assert Settings.of(model).changed(model) == ()
    assert model._fit_record.settings.changed(model) == ()
    model.lams = np.array([0.1, 0.2, 0.3])
    assert model._fit_record.settings.changed(model) == ("lams",)
    assert "as it was fitted" not in str(Ridge(0.1).fit(X, NUMBERS).certificate())


def leaves(value):
    """Everything in a tree of records, dictionaries and sequences that is none of these."""
    if dataclasses.is_dataclass(value):
        parts = [getattr(value, one.name) for one in dataclasses.fields(value)]
    elif isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple):
        parts = value
    else:
        return [value]
    return [leaf for part in parts for leaf in leaves(part)]


EVERY = [Ridge(0.1), Ridge(), Ridge(0.1, standardise=True), LeastSquares(), KernelRidge(Gaussian(1.0), 0.01),
         KernelRidge(Gaussian(1.0), 0.01, solver="nystroem", n_landmarks=20), Lasso(0.1)]  # fmt: skip


@pytest.mark.parametrize("certify", [None, 0.2])
@pytest.mark.parametrize("model", EVERY, ids=str)
def test_a_stored_record_is_plain_data(model, certify):
    """Arrays of numbers, numbers, words and nothing, in frozen records; only settings are what the user gave."""
    record = pickle.loads(pickle.dumps(clone(model).fit(X, NUMBERS, certify=certify)))._fit_record
    for leaf in leaves(dataclasses.replace(record, settings=Settings())):
        plain = leaf is None or isinstance(leaf, bool | int | float | str | np.generic | Enum)
        assert plain or (isinstance(leaf, np.ndarray) and leaf.dtype != object), type(leaf)
    assert record.rows is None
    assert record.factored is None


@pytest.mark.parametrize("certify", [None, 0.2])
@pytest.mark.parametrize("model", EVERY, ids=str)
def test_copies_in_memory_share_the_record(model, certify):
    fitted = clone(model).fit(X, NUMBERS, certify=certify)
    assert deepcopy(fitted)._fit_record is fitted._fit_record


@pytest.mark.parametrize("ask", ["inference", "predict_interval", "certificate"])
@pytest.mark.parametrize("model", [Ridge(0.1), Ridge(), Ridge(0.1, standardise=True), LeastSquares()], ids=str)
@pytest.mark.parametrize("which", ["rows", "targets"])
def test_changes_in_place_are_noticed_by_whatever_they_would_reach(model, which, ask):
    """Either the answer is the one from before, since the solver has a copy, or there is none."""
    rows, targets = X.copy(), NUMBERS.copy()
    fitted, given = clone(model).fit(rows, targets), (X[:2],) if ask == "predict_interval" else ()
    before = getattr(fitted, ask)(*given)
    {"rows": rows, "targets": targets}[which][3] += 0.5
    assert not fitted._fit_record.unchanged()
    record = fitted._fit_record
    if which == "targets" and ask != "certificate" and record.unchanged(record.factored.pair):
        assert repr(getattr(fitted, ask)(*given)) == repr(before)
        return
    with pytest.raises(ValueError, match="changed in place since the fit; fit again"):
        getattr(fitted, ask)(*given)


def test_ridge_inference_notices_changed_rows():
    rows = X.copy()
    fitted = Ridge(0.1).fit(rows, NUMBERS)
    rows[0] += 1.0
    with pytest.raises(ValueError, match="changed in place since the fit; fit again to have its standard errors"):
        fitted.inference()


def test_rows_that_a_fit_divided_are_its_own():
    rows, targets = X.copy(), NUMBERS.copy()
    model = Ridge(0.1).fit(rows, targets, certify=0.2)
    before = model.inference().standard_error
    rows += 1.0
    np.testing.assert_array_equal(model.inference().standard_error, before)


@pytest.mark.parametrize("certify", [None, 0.2])
@pytest.mark.parametrize("model", [Ridge(), Ridge(0.1), Lasso(0.1), LeastSquares()], ids=str)
def test_rows_are_fingerprinted_once_in_full_and_once_in_single_precision(model, certify, monkeypatch):
    """Single precision only where rows are divided; comparing nothing with anything, a fit needs no more."""
    made = []
    counted = data_prints.dense_prints

    def counting(rows, odd, crew, total):
        if rows.shape[1] == X.shape[1]:
            made.append(str(rows.dtype))
        counted(rows, odd, crew, total)

    monkeypatch.setattr(data_prints, "dense_prints", counting)
    clone(model).fit(X, NUMBERS, certify=certify)
    assert made.count("float64") == 1
    assert made.count("float32") == (certify is not None)


def test_an_empty_record_has_no_rows_and_nothing_to_compare():
    assert FitRecord().n == 0
    assert FitRecord().near is None
    assert FitRecord().unchanged()
