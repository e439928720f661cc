"""Models that exist to show something rather than to serve in practice: ``from surefit.exhibits import Memoriser``."""

from surefit.estimators.exhibits.memoriser import Memoriser
from surefit.estimators.exhibits.neighbours import NearestNeighbourClassifier, NearestNeighbourRegressor
from surefit.estimators.exhibits.plug_in import PlugInClassifier
from surefit.estimators.exhibits.threshold import ThresholdClassifier

__all__ = [
    "Memoriser",
    "NearestNeighbourClassifier",
    "NearestNeighbourRegressor",
    "PlugInClassifier",
    "ThresholdClassifier",
]
