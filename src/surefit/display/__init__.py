"""Figures of fitted models, as Display objects: computed once, drawn on any axes.  Drawing needs matplotlib."""

from surefit.display.criterion import CriterionDisplay
from surefit.display.path import PathDisplay
from surefit.display.probability import ProbabilityDisplay

__all__ = ["CriterionDisplay", "PathDisplay", "ProbabilityDisplay"]
