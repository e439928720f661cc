"""Below all layers: the warnings of this library, to be filtered by name.

A fit that ends before its optimum warns with scikit-learn's ``ConvergenceWarning``, not with one of these.

>>> import warnings
>>> from surefit.warnings import ChoiceWarning
>>> warnings.simplefilter("ignore", ChoiceWarning)
"""


class ChoiceWarning(UserWarning):
    """A ``lam`` at the end of its grid, or worse than no model; as many columns as the rows allow; a bandwidth that one
    column alone decides."""


class DriftWarning(UserWarning):
    """Errors on held-out rows change with time, so that nothing is promised for a later time."""


class OutsideWarning(UserWarning):
    """Rows unlike those that a study's model was fitted to, so that no interval, set or certificate covers them."""


class RankDeficientWarning(UserWarning):
    """Columns depend on each other, exactly or up to the rounding of X: single coefficients are not determined."""


class SeparationWarning(UserWarning):
    """The classes can be separated, so the unpenalised likelihood has no maximum."""


class UnreadableWarning(UserWarning):
    """Cells of a column of numbers or dates that are none, so that they count as missing."""
