"""Wrong keywords are told the right ones, and everything else about a constructor stays as it was."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from surefit import (
    ERM,
    SVC,
    SVR,
    Certified,
    ElasticNet,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    NearestNeighbourClassifier,
    Nystroem,
    Perceptron,
    Ridge,
    RobustRegression,
    calibrate,
    certify,
    convert_lambda,
    lasso_path,
)
from surefit.features import Polynomial
from surefit.kernels import Gaussian, Linear, Matern
from surefit.names import _PENALTIES, Hinted, hint
from surefit.objective import L1, Huber, elastic_net_to_convention

X = np.random.default_rng(0).normal(size=(20, 2))
Y = X[:, 0] + X[::-1, 1]
FITTED = Ridge(0.1).fit(X, Y)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: Ridge(alpha=1),
            "Ridge has no parameter 'alpha'; the penalty is lam, and scikit-learn's alpha is n * lam: "
            'lam=convert_lambda(alpha, "sklearn.Ridge", n)',
        ),
        (lambda: Lasso(alpha=1), "scikit-learn's alpha is lam / 2: lam=convert_lambda"),
        (lambda: SVR(C=1), 'scikit-learn\'s C is 1 / (2 * n * lam): lam=convert_lambda(C, "sklearn.SVR", n)'),
        (lambda: LogisticRegression(Cs=[1]), "a grid of penalties is lams, and scikit-learn's C is"),
        (lambda: Ridge(C=1), "write lam=1 / (2 * C * n), with n rows"),
        (lambda: Ridge(normalize=True), "standardise=True penalises in units of each column's standard deviation"),
        (lambda: Ridge(solver="svd"), "the solver is chosen by the shape of the data; leave it out"),
        (lambda: RobustRegression(alpha=1), "the penalty is lam, against the mean of the losses"),
        (lambda: lasso_path(X, Y, alphas=[1.0]), "a grid of penalties is lams"),
        (lambda: Ridge(l1_ratio=0.5), "use ElasticNet"),
        (lambda: KernelRidge(method="nystroem"), "KernelRidge has no parameter 'method'; it is called solver here"),
        (lambda: LogisticRegression(penalty="l1"), "l1_ratio=1 is the L1 penalty"),
        (lambda: NearestNeighbourClassifier(n_neighbors=3), "it is called n_neighbours here"),
        (lambda: SVC(gamma=1.0), "it belongs to the kernel: kernel=Gaussian(bandwidth)"),
        (lambda: KernelRidge(kernel_params={}), "a kernel has its parameters itself"),
        (lambda: Gaussian(gamma=1.0), "gamma is 1 / (2 * bandwidth**2)"),
        (lambda: Matern(nu=1.5), "it is called smoothness"),
        (lambda: Huber(delta=1.0), "the knee of Huber's loss is threshold"),
        (lambda: L1(alpha=1.0), "the weight of a penalty is lam of the model"),
        (lambda: L1(0.1), "L1 has no parameters, got 1 value; write L1()"),
        (lambda: Linear(gamma=1), "Linear has no parameter 'gamma'; it has none"),
        (lambda: Nystroem(n_components=3), "it is called n_landmarks"),
        (lambda: Perceptron(max_iter=3), "it is called max_epochs"),
        (lambda: Ridge(tol=1e-3), "nothing here is computed to a tolerance; leave it out"),
        (lambda: Ridge(fit_intercpt=False), "did you mean 'fit_intercept'? It has lam, "),
        (lambda: Polynomial(degre=2), "did you mean 'degree'?"),
        (lambda: Ridge(colour="red"), "Ridge has no parameter 'colour'; it has lam, "),
        (
            lambda: Ridge(0.1, [0.1]),
            "Ridge takes lam alone without a name, got 2 values; write the others as name=value",
        ),
        (lambda: Certified(Ridge(), confidence=0.9), "delta is the failure probability"),
        (lambda: FITTED.certificate(confidence=0.9), "delta is the failure probability"),
        (lambda: certify(FITTED, X, Y, confidence=0.9), "delta is the failure probability"),
        (lambda: FITTED.predict_interval(X, alpha=0.1), "coverage=0.9"),
        (lambda: FITTED.inference(alpha=0.1), "inference has no parameter 'alpha'; level is the confidence of the"),
        (lambda: LeastSquares().fit(X, Y).summary(confidence=0.9), "level is the confidence of the intervals"),
        (lambda: LogisticRegression(0.1).fit(X, Y > 0).inference(conf=0.9), "it has covariance, level, weights_are_"),
        (lambda: calibrate(FITTED, X + 1, Y).predict_interval(X, level=0.1), "delta is the failure probability"),
        (lambda: Ridge().fit(X, Y, alpha=1), "Ridge.fit has no parameter 'alpha'; the penalty is lam, and"),
        (lambda: Ridge().fit(X, Y, lam=1), "it belongs to the model: Ridge(lam=...).fit(X, y)"),
        (lambda: Ridge().fit(X, Y, weights=Y), "it is called sample_weight here"),
        (lambda: Ridge().fit(X, Y, colour=1), "it has X, y, sample_weight, certify"),
        (lambda: Ridge().fit(X), "Ridge.fit needs rows and their targets; call fit(X, y)"),
        (lambda: Ridge.fit(X, Y), "fit was called on the class Ridge; make a model first"),
    ],
)
def test_a_wrong_call_is_told_the_right_one(call, words):
    with pytest.raises(TypeError) as caught:
        call()
    assert words in str(caught.value)


def test_set_params_gives_the_same_hints():
    with pytest.raises(ValueError, match=r"Invalid parameter 'alpha' for Ridge; the penalty is lam, and .* n \* lam"):
        Ridge().set_params(alpha=1.0)
    with pytest.raises(ValueError, match="gamma is 1 / "):
        KernelRidge(Gaussian()).set_params(kernel__gamma=1.0)
    assert KernelRidge(Gaussian()).set_params(kernel__bandwidth=3.0, lam=2).kernel == Gaussian(3.0)


@pytest.mark.parametrize("name", [name for name in _PENALTIES if name not in ("ElasticNet", "lasso_path")])
def test_the_factors_of_the_hints_are_those_of_convert_lambda(name):
    symbol, formula, call = _PENALTIES[name]
    lam = eval(call.removesuffix(" for squares"), {"convert_lambda": convert_lambda, symbol: 0.7, "n": 50})
    assert eval(formula, {"n": 50, "lam": lam}) == pytest.approx(0.7)


def test_the_factor_of_the_elastic_net_is_that_of_its_conversion():
    alpha, _ = elastic_net_to_convention(0.15, 0.6, "sklearn.ElasticNet", 50)
    assert eval(_PENALTIES["ElasticNet"][1], {"lam": 0.15, "l1_ratio": 0.6}) == pytest.approx(alpha)
    assert "convert_elastic_net" in hint("alpha", ["lam"], [ElasticNet.__name__])


def test_signatures_clones_and_pickles_are_untouched():
    assert next(iter(inspect.signature(Ridge).parameters)) == "lam"
    assert "alpha" not in Ridge().get_params()
    assert list(inspect.signature(Linear).parameters) == []
    assert clone(ERM("huber", lam=1.0)).get_params() == ERM("huber", lam=1.0).get_params()
    assert pickle.loads(pickle.dumps(Huber(3.0))) == Huber(3.0)


def test_subclasses_may_take_anything_and_inherit_the_hints():
    class Own(Ridge):
        def __init__(self, lam=None, *, lams=None, radius=None, fit_intercept=True, colour="red"):
            super().__init__(lam, lams=lams, radius=radius, fit_intercept=fit_intercept)
            self.colour = colour

    class Anything(Hinted):
        def __init__(self, **options):
            self.options = options

    assert Own(colour="blue").fit(X, Y).colour == "blue"
    with pytest.raises(TypeError, match=r"Own has no parameter 'alpha'; the penalty is lam, and .* n \* lam"):
        Own(alpha=1.0)
    assert Anything(alpha=1).options == {"alpha": 1}
