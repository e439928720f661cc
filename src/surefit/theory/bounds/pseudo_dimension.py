"""Layer *theory*: the bound by pseudo-dimension."""

from __future__ import annotations

import math

from surefit.parameters import within
from surefit.theory.bounds.record import FIXED_BEFORE, INDEPENDENT, Bound, checked_count, checked_mean, deviation


def pseudo_dimension_bound(
    empirical: float, n: int, dimension: int, *, loss_bound: float = 1.0, delta: float = 0.05
) -> Bound:
    """``Risk <= Rhat + M sqrt(2 p log(e n / p) / n) + M sqrt(log(1 / delta) / (2 n))`` for all members of the class.

    ``dimension`` is ``p``, the pseudo-dimension of the class of *losses* (`squared_loss_dimension` for affine
    functions), not of the predictors; ``n >= p``.  Catalogue T-48, E-009.

    >>> round(pseudo_dimension_bound(0.0, 1000, 11).value, 9)
    0.386864479
    """
    p = within("dimension", dimension, (1, checked_count(n)), "the bound needs 1 <= dimension <= n, so use more rows")
    noise = deviation(n, delta, loss_bound)
    value = checked_mean(empirical) + loss_bound * math.sqrt(2 * p * math.log(math.e * n / p) / n) + noise
    return Bound(
        value,
        empirical,
        delta,
        "pseudo-dimension",
        (INDEPENDENT, FIXED_BEFORE, f"losses lie in [0, {loss_bound:g}]", "dimension is that of the class of losses"),
        {"n": n, "dimension": dimension, "loss_bound": loss_bound},
        value >= loss_bound,
        "Mohri, Rostamizadeh and Talwalkar",
    )
