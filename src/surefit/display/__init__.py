"""Figures of fitted models, as Display objects: computed once, drawn on any axes.  Drawing needs matplotlib."""

from surefit.display.boundary import BoundaryDisplay
from surefit.display.calibration import CalibrationDisplay
from surefit.display.criterion import CriterionDisplay
from surefit.display.path import PathDisplay
from surefit.display.perceptron import PerceptronDisplay
from surefit.display.probability import ProbabilityDisplay

__all__ = [
    "BoundaryDisplay",
    "CalibrationDisplay",
    "CriterionDisplay",
    "PathDisplay",
    "PerceptronDisplay",
    "ProbabilityDisplay",
]
