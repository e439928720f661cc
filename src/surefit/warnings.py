"""Below all layers: the warnings of this library, to be filtered by name.

A fit that ends before its optimum warns with scikit-learn's ``ConvergenceWarning``, not with one of these.

>>> import warnings
>>> from surefit.warnings import ChoiceWarning
>>> warnings.simplefilter("ignore", ChoiceWarning)
"""

import sys


class ChoiceWarning(UserWarning):
    """A ``lam`` at the end of its grid, or worse than no model; as many columns as the rows allow; a bandwidth that one
    column alone decides."""


class DriftWarning(UserWarning):
    """Errors on held-out rows change with time, so that nothing is promised for a later time."""


class OutsideWarning(UserWarning):
    """Rows unlike those that a study's model was fitted to, so that no interval, set or certificate covers them."""


class PairingWarning(UserWarning):
    """Rows and targets (or weights) have the same labels, pandas' index, in different orders; position pairs them."""


class RankDeficientWarning(UserWarning):
    """Columns depend on each other, exactly or up to the rounding of X: single coefficients are not determined."""


class SeparationWarning(UserWarning):
    """The classes can be separated, so the unpenalised likelihood has no maximum."""


class UnreadableWarning(UserWarning):
    """Cells of a column of numbers or dates that are none, so that they count as missing, or that could be others; or,
    in rows that are read block by block, make the whole column one of words."""


def frames_inside() -> int:
    """How many calls of this package lie between a warning of the caller and the user."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("surefit."):
        frame, count = frame.f_back, count + 1
    return count
