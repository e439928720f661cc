"""Words for losses and kernels stand for the objects, and stay what was given."""

import numpy as np
import pytest
from sklearn.base import clone

from surefit import ERM, SVC, KernelERM, KernelPerceptron, KernelRidge, Nystroem, RobustRegression
from surefit.kernels import Gaussian, Laplace, Linear, Matern, Polynomial
from surefit.objective import Absolute, Hinge, Huber, Logistic, Squared
from surefit.objective.words import loss_named

X = np.random.default_rng(0).normal(size=(30, 2))
Y = X[:, 0] + X[::-1, 1]
SIGNS = np.where(Y > 0, 1.0, -1.0)


@pytest.mark.parametrize(
    ("word", "kernel"),
    [
        ("rbf", Gaussian("median")),
        ("gaussian", Gaussian("median")),
        ("laplacian", Laplace("median")),
        ("matern", Matern("median")),
        ("linear", Linear()),
        ("poly", Polynomial()),
        ("Polynomial", Polynomial()),
    ],
)
def test_a_word_fits_what_its_kernel_fits(word, kernel):
    model = clone(KernelRidge(word, 0.1)).fit(X, Y)
    assert model.kernel == word
    assert np.array_equal(model.predict(X), KernelRidge(kernel, 0.1).fit(X, Y).predict(X))


def test_words_work_wherever_a_kernel_is_asked_for():
    assert KernelRidge(["linear", "rbf"]).fit(X, Y).kernel_ != Gaussian("median")
    assert SVC("linear").fit(X, SIGNS).kernel_ == Linear()
    assert KernelPerceptron("linear", weights="mean").fit(X, SIGNS).kernel_ == Linear()
    assert Nystroem("linear").fit(X).kernel_ == Linear()
    for wrong in ("sigmoid", Gaussian, lambda x, z: x @ z, 3):
        with pytest.raises(ValueError, match=r"kernel.*; (use one of 'gaussian'|write |surefit\.kernels)"):
            KernelRidge(wrong).fit(X, Y)


@pytest.mark.parametrize(
    ("word", "loss", "y"),
    [
        ("squared", Squared(), Y),
        ("absolute", Absolute(), Y),
        ("huber", Huber(), Y),
        ("logistic", Logistic(), SIGNS),
        ("hinge", Hinge(), SIGNS),
    ],
)
def test_a_word_fits_what_its_loss_fits(word, loss, y):
    model = clone(ERM(word, lam=0.1)).fit(X, y)
    assert model.loss == word
    assert np.array_equal(model.coef_, ERM(loss, lam=0.1).fit(X, y).coef_)


def test_words_for_losses_elsewhere():
    assert RobustRegression("huber").fit(X, Y).loss_ == RobustRegression().fit(X, Y).loss_
    assert RobustRegression("absolute").fit(X, Y).loss_ == Absolute()
    labels = np.where(Y > 0, "yes", "no")
    assert KernelERM("logistic", lam=0.1).fit(X, labels).score(X, labels) > 0.5
    with pytest.raises(ValueError, match="no loss is called 'absolut'; use one of 'squared', "):
        RobustRegression("absolut").fit(X, Y)
    with pytest.raises(ValueError, match="for real targets, got Hinge"):
        RobustRegression("hinge").fit(X, Y)
    assert loss_named("Epsilon-Insensitive").epsilon == 0.1
