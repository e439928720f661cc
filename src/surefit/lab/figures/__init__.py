"""The figures of the catalogue, F-01 to F-17.  In: a seed.  Out: pictures with numbers in their captions.

figure.py          LabFigure: computed once, kept, drawn from what was kept
regression.py      F-01, F-05, F-11, F-15
classification.py  F-02 to F-04, F-10, F-12 to F-14
kernels.py         F-06 to F-09, F-16, F-17
"""

from surefit.lab.figures import classification, kernels, regression
from surefit.lab.figures.figure import LabFigure

FIGURES = {figure.id: figure for part in (regression, classification, kernels) for figure in part.FIGURES}
"""All figures by their number."""

__all__ = ["FIGURES", "LabFigure"]
