"""Figures of fitted models, as Display objects.  Drawing needs matplotlib.

In: a fitted model and data, or numbers.  Out: a figure.  Doors: the classes below.  ``from_estimator`` and its kin
compute and draw at once, on ``ax`` or on new axes; `plot` draws again elsewhere.

Read ``axes.py`` (axes that all share) and ``criterion.py``; then ``path.py`` (coefficients along ``lam``),
``certificate.py`` (bounds), ``calibration.py``, ``probability.py``; in the plane: ``plane.py``, ``boundary.py``,
``perceptron.py``.
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
