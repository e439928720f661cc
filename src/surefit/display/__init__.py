"""Figures of fitted models, as Display objects: computed once, drawn on any axes.  Drawing needs matplotlib."""

from surefit.display.calibration import CalibrationDisplay
from surefit.display.criterion import CriterionDisplay
from surefit.display.path import PathDisplay

__all__ = ["CalibrationDisplay", "CriterionDisplay", "PathDisplay"]
