"""scikit-learn's own conformance checks for the discrete classifiers, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit import LeastSquares
from surefit.estimators.adaline import Adaline
from surefit.estimators.exhibits.memoriser import Memoriser
from surefit.estimators.exhibits.neighbours import NearestNeighbourClassifier, NearestNeighbourRegressor
from surefit.estimators.exhibits.plug_in import PlugInClassifier
from surefit.estimators.exhibits.threshold import ThresholdClassifier
from surefit.estimators.perceptron import KernelPerceptron, Perceptron
from surefit.kernels import Linear

ESTIMATORS = [
    Perceptron(),
    Perceptron(order="random", weights="mean", sign_zero=1),
    KernelPerceptron(),
    KernelPerceptron(Linear(), order="random", weights="mean", sign_zero=-1),
    Adaline(),
    Adaline(order="random", weights="last", fit_intercept=False),
    ThresholdClassifier(),
    Memoriser(),
    NearestNeighbourClassifier(),
    NearestNeighbourClassifier(n_neighbours=1),
    NearestNeighbourRegressor(),
    PlugInClassifier(),
    PlugInClassifier(LeastSquares()),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::surefit.RankDeficientWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts(estimator, check):
    check(estimator)
