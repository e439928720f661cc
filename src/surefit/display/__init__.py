"""Figures of fitted models, as Display objects.  Drawing needs matplotlib.

``from_estimator`` and its kin compute and draw at once, on ``ax`` or on new axes; `plot` draws again elsewhere.
"""

from surefit.display.boundary import BoundaryDisplay
from surefit.display.calibration import CalibrationDisplay
from surefit.display.certificate import BoundGrowthDisplay, BoundsDisplay, ErrorCurveDisplay
from surefit.display.criterion import CriterionDisplay
from surefit.display.path import PathDisplay
from surefit.display.perceptron import PerceptronDisplay
from surefit.display.probability import ProbabilityDisplay

__all__ = [
    "BoundGrowthDisplay",
    "BoundaryDisplay",
    "BoundsDisplay",
    "CalibrationDisplay",
    "CriterionDisplay",
    "ErrorCurveDisplay",
    "PathDisplay",
    "PerceptronDisplay",
    "ProbabilityDisplay",
]
