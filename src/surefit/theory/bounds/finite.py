"""Layer *theory*: bounds for one predictor, for finitely many, and for the largest deviation over a class."""

from __future__ import annotations

import math

import numpy as np

from surefit.parameters import finite_vector, non_negative, within
from surefit.theory.bounds.record import INDEPENDENT, Bound, checked_mean, deviation
from surefit.theory.means.arguments import failure_probability

MOST_HYPOTHESES = 1e300
"""Beyond it a share of ``delta`` is no longer a floating point number."""


def single_predictor_bound(empirical: float, n: int, *, loss_bound: float = 1.0, delta: float = 0.05) -> Bound:
    """``Risk <= Rhat + M sqrt(log(1 / delta) / (2 n))`` for one predictor fixed before the rows.  Catalogue T-26.

    >>> round(single_predictor_bound(0.1, 1000).value, 9)
    0.138702276
    """
    value = checked_mean(empirical) + deviation(n, delta, loss_bound)
    return Bound(
        value,
        empirical,
        delta,
        "single predictor",
        (INDEPENDENT, "the predictor does not depend on these rows", f"losses lie in [0, {loss_bound:g}]"),
        {"n": n, "loss_bound": loss_bound},
        value >= loss_bound,
        "Hoeffding 1963",
    )


def finite_class_bound(
    empirical: float, n: int, n_hypotheses: int, *, loss_bound: float = 1.0, delta: float = 0.05
) -> Bound:
    """``Risk <= Rhat + M sqrt((log|H| + log(1 / delta)) / (2 n))`` for all members of ``H`` at once.  Catalogue T-25.

    >>> round(finite_class_bound(0.0, 1000, 100).value, 9)
    0.0616478
    """
    tried = class_size(n_hypotheses)
    value = checked_mean(empirical) + deviation(n, failure_probability(delta) / tried, loss_bound)
    return Bound(
        value,
        empirical,
        delta,
        "finite class",
        (INDEPENDENT, "the class was fixed before these rows were seen", f"losses lie in [0, {loss_bound:g}]"),
        {"n": n, "n_hypotheses": n_hypotheses, "loss_bound": loss_bound},
        value >= loss_bound,
        "Hoeffding 1963 and a union bound",
    )


def uniform_deviation_bound(expected_supremum: float, n: int, *, loss_bound: float = 1.0, delta: float = 0.05) -> Bound:
    """``sup (Risk - Rhat) <= E sup (Risk - Rhat) + M sqrt(log(1 / delta) / (2 n))``, and so for ``sup (Rhat - Risk)``.

    Replacing a row moves the supremum by at most ``M / n``, so McDiarmid applies.  The expectation is at most twice the
    Rademacher complexity of the losses (symmetrisation), which is false with an absolute value inside the supremum.
    Both signs at once: twice the failure probability.  Catalogue T-27, T-28, T-31, E-046, E-048.

    >>> round(uniform_deviation_bound(0.1, 1000).value, 9)
    0.138702276
    """
    expected = non_negative("expected_supremum", expected_supremum, "a supremum is no smaller than one member's mean 0")
    value = expected + deviation(n, delta, loss_bound)
    return Bound(
        value,
        expected_supremum,
        delta,
        "uniform deviation",
        (INDEPENDENT, f"losses lie in [0, {loss_bound:g}]"),
        {"n": n, "expected_supremum": expected_supremum, "loss_bound": loss_bound},
        value >= loss_bound,
        "McDiarmid 1989",
    )


def bounded_differences_deviation(changes, delta: float) -> float:
    """``sqrt(sum c_i**2 log(1 / delta) / 2)`` for a function that moves by at most ``c_i`` when row ``i`` is replaced.

    Catalogue T-27.

    >>> round(bounded_differences_deviation([1 / 1000] * 1000, 0.05), 9)
    0.038702276
    """
    sizes = finite_vector("changes", changes, "give how far each row can move the function")
    return math.sqrt(float(np.sum(sizes**2)) * math.log(1 / failure_probability(delta)) / 2)


def class_size(n_hypotheses: float) -> float:
    """``n_hypotheses`` if it can be the number of predictors in a class."""
    return within("n_hypotheses", n_hypotheses, (1, MOST_HYPOTHESES), "count every predictor that was tried")
