"""Layer lab: small examples with numbers.  Catalogue X-02, X-03, X-04, X-05, X-08, X-09, X-10."""

import numpy as np
from scipy.stats import norm

from surefit.estimators.exhibits.memoriser import Memoriser
from surefit.lab.claim import Claim, Kind


def constant(rng, wrong=False):
    return (rng.integers(0, 2, size=100) == 0).mean(), 0.25 if wrong else 0.5


def noisy(rng, wrong=False):
    return (2.0 * rng.normal(size=(20, 50))) ** 2 @ np.full(50, 1 / 50), 2.0 if wrong else 4.0


def coins(rng, wrong=False):
    first, second = rng.integers(0, 2, size=(2, 1000))
    return (first + second == 1)[first == 0].mean(), 0.75 if wrong else 0.5


def conditional(rng, wrong=False):
    first, second = rng.integers(0, 2, size=(2, 1000))
    return (first + second)[first == 0].mean(), 1.0 if wrong else 0.5


def threshold(rng, wrong=False):
    x = rng.normal(size=1000)
    return ((x >= 0) != (x >= 1)).mean(), norm.cdf(1) if wrong else norm.cdf(1) - 0.5


def perfect(rng, wrong=False):
    x = rng.normal(size=1000)
    return 1 + ((x >= 0) != (x >= 0.0)).mean(), 1.5 if wrong else 1.0


def memory(rng, wrong=False):
    """Fresh errors of a classifier that knows its rows by heart and answers 0 elsewhere."""
    X, new = rng.normal(size=(30, 1)), rng.normal(size=(2000, 1))
    model = Memoriser().fit(X, (X[:, 0] >= 0).astype(int))
    return (model.predict(new) != (new[:, 0] >= 0)).reshape(20, 100).mean(axis=1), 1e-3 if wrong else 0.5


CLAIMS = tuple(
    Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=Kind.EXACT if entry == "X-09" else Kind.MEAN,
        draw=draw,
        mistake=mistake,
        tolerance=1e-9 if entry == "X-09" else 0.02,
        largest=np.inf if entry == "X-03" else 3.0,
        variance=2 / 50,
        draws=100 if entry == "X-09" else 5000,
    )
    for entry, title, statement, draw, mistake in (
        ("X-02", "A constant on balanced classes", "risk 1/2", constant, "a quarter"),
        ("X-03", "A perfect predictor under noise", "risk sigma^2 = 4", noisy, "sigma"),
        ("X-04", "Two coins, the first known", "P(A + B = 1 | A = 0) = 1/2", coins, "three quarters"),
        ("X-05", "Two coins, the mean", "E[A + B | A = 0] = 1/2", conditional, "the mean without the condition"),
        ("X-08", "A threshold beside the truth", "P(0 <= X <= 1) = Phi(1) - 1/2 = 0.3413", threshold, "Phi(1)"),
        ("X-09", "The true threshold", "risk 0", perfect, "one half"),
        ("X-10", "Knowing rows by heart", "training error 0, risk 1/2", memory, "risk 0"),
    )
)
