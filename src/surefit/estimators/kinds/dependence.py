"""Layer estimators: columns that depend on each other, for `LeastSquares` and for `Ridge` without a penalty."""

import warnings
from typing import Any

import numpy as np

from surefit.estimators.kinds.linear import column_names
from surefit.page import listed
from surefit.solvers.linear.factor import TriangularFactor, redundant_columns
from surefit.solvers.linear.least_squares import FactoredFit
from surefit.warnings import RankDeficientWarning

NAMED = 3
"""Columns that a warning names before it counts the others."""


def warn_of_dependence(model: Any, fit: FactoredFit, answer_type: Any) -> None:
    """To be called by the ``fit`` of ``model``; ``answer_type`` is the precision that ``X`` came in."""
    rank, d, names = fit.solution.facts.get("rank"), fit.A.d, column_names(model)
    if rank is not None and rank < d:
        found = [names[j] for j in redundant_in(fit)]
        why = "can be written with the others" if rank else "does not vary" if d == 1 else "do not vary"
        culprits = f": {listed(found, NAMED)} {why}" if found else ""
        warnings.warn(
            f"the columns of X have rank {rank} of {d}{culprits}; predictions are determined, coefficients are "
            "not (the shortest are returned). Drop columns, or use Ridge with lam > 0",
            RankDeficientWarning,
            stacklevel=4,
        )
    tied = [names[j] for j in fit.tied_by_rounding(float(np.finfo(answer_type).eps))]
    if tied:
        warnings.warn(
            f"the columns {listed(tied, NAMED)} depend on each other up to the rounding of their numbers, so their "
            "coefficients and predictions for rounded rows are not determined by the data. Drop one of these columns, "
            "subtract an offset from one before you compute the others from it, or use Ridge with lam > 0",
            RankDeficientWarning,
            stacklevel=4,
        )


def redundant_in(fit: FactoredFit) -> np.ndarray:
    """Numbers of the columns that can be written with others, earlier ones if rounding lets them be told apart."""
    factor = fit.factor
    if factor is None or factor.rank == fit.A.d:
        return np.zeros(0, dtype=np.intp)
    if isinstance(factor, TriangularFactor):
        found = redundant_columns(factor.unit_columns())
        return np.sort(factor.order[factor.rank :]) if found is None else found
    columns = factor.coef(np.diag(factor.singular)).T
    length = np.linalg.norm(columns, axis=0)
    found = redundant_columns(columns / np.where(length > 0, length, 1.0))
    return np.zeros(0, dtype=np.intp) if found is None else found
