"""Models that are honest about their future pass, and each way of cheating is caught."""

from dataclasses import replace

import numpy as np
import pytest

from surefit import SVC, LogisticRegression, NearestNeighbourClassifier, Ridge
from surefit.kernels import Gaussian
from surefit.testing import check_certified_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
Y = X.sum(axis=1) + RNG.normal(size=240)
LABELS = np.where(Y > 0, "up", "down")


@pytest.mark.parametrize("model", [LogisticRegression(0.01), SVC(Gaussian(2.0), 0.01), NearestNeighbourClassifier()])
def test_honest_classifiers_pass(model):
    check_certified_model(model, X, LABELS)


def test_an_honest_regressor_passes():
    check_certified_model(Ridge(0.1), X, Y)
    check_certified_model(Ridge(), X.tolist(), Y.tolist())


class Forgetful(Ridge):
    """Does not remember what it has seen."""

    def _certificate(self, X, y, record, asked, *declared):
        nothing = replace(record.seen, prints=np.zeros(0, np.uint64))
        return super()._certificate(X, y, replace(record, seen=nothing, rows=None), asked, *declared)


class Cheap(Ridge):
    """Charges nothing for more models."""

    def certificate(self, *rows, n_models_fixed=1, delta=0.05, loss=None):
        return super().certificate(*rows, n_models_fixed=1, delta=0.05 if n_models_fixed == 1 else 0.3, loss=loss)


class Upside(Ridge):
    """Takes half the confidence for the probability of failure."""

    def certificate(self, *rows, n_models_fixed=1, delta=0.05, loss=None):
        return super().certificate(*rows, n_models_fixed=n_models_fixed, delta=(1 - delta) / 2, loss=loss)


class Moody(Ridge):
    """Holds out another share every time."""

    calls = 0

    def fit(self, X, y, sample_weight=None, *, certify=None):
        if certify is not None:
            type(self).calls += 1
            certify += 0.1 * type(self).calls
        return super().fit(X, y, sample_weight, certify=certify)


class Ordered(Ridge):
    """Looks at the first rows only."""

    def _certificate(self, X, y, record, asked, *declared):
        found = super()._certificate(X, y, record, asked, *declared)
        return (
            super()._certificate(X[:50], y[:50], record, asked, *declared) if y is not None and len(y) == 60 else found
        )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Forgetful(0.1), "rows of which all were used in fit"),
        (Cheap(0.1), "ten models at once cost less than one"),
        (Upside(0.1), "the bound falls with delta"),
        (Moody(0.1), "gives another certificate"),
        (Ordered(0.1), "order of the held-out rows|the certificate counts"),
    ],
)
def test_cheating_models_are_caught(model, message):
    with pytest.raises(AssertionError, match=message):
        check_certified_model(model, X, Y)
