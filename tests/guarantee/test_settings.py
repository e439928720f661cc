"""What a certificate assumes is judged by the settings of the fit, whatever is set afterwards."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from surefit import (
    ERM,
    SVC,
    SVR,
    KernelERM,
    KernelLogistic,
    KernelPerceptron,
    KernelRidge,
    Lasso,
    NearestNeighbourClassifier,
    Ridge,
)
from surefit.guarantee.settings import Settings
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
