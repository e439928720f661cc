"""Layer *theory*: bounds for one predictor, for finitely many, and for the largest deviation over a class."""

from __future__ import annotations

import math

from surefit.theory.bounds.record import INDEPENDENT, Bound, checked_delta, deviation


def single_predictor_bound(empirical: float, n: int, *, loss_bound: float = 1.0, delta: float = 0.05) -> Bound:
    """``Risk <= Rhat + M sqrt(log(1 / delta) / (2 n))`` for one predictor fixed before the rows.  Catalogue T-26.

    >>> round(single_predictor_bound(0.1, 1000).value, 9)
    0.138702276
    """
    value = empirical + deviation(n, delta, loss_bound)
    return Bound(
        value,
        empirical,
        delta,
        "single predictor",
        (INDEPENDENT, "the predictor does not depend on these rows", f"losses lie in [0, {loss_bound:g}]"),
        {"n": n, "loss_bound": loss_bound},
        value >= loss_bound,
        "Hoeffding 1963; catalogue T-24, T-26",
    )


def finite_class_bound(
    empirical: float, n: int, n_hypotheses: int, *, loss_bound: float = 1.0, delta: float = 0.05
) -> Bound:
    """``Risk <= Rhat + M sqrt((log|H| + log(1 / delta)) / (2 n))`` for all members of ``H`` at once.  Catalogue T-25.

    >>> round(finite_class_bound(0.0, 1000, 100).value, 9)
    0.0616478
    """
    if not n_hypotheses >= 1:
        raise ValueError(f"n_hypotheses must be >= 1, got {n_hypotheses}; count every predictor that was tried")
    value = empirical + deviation(n, checked_delta(delta) / n_hypotheses, loss_bound)
    return Bound(
        value,
        empirical,
        delta,
        "finite class",
        (INDEPENDENT, "the class was fixed before these rows were seen", f"losses lie in [0, {loss_bound:g}]"),
        {"n": n, "n_hypotheses": n_hypotheses, "loss_bound": loss_bound},
        value >= loss_bound,
        "Hoeffding and a union; catalogue T-25",
    )


def uniform_deviation_bound(expected_supremum: float, n: int, *, loss_bound: float = 1.0, delta: float = 0.05) -> Bound:
    """``sup (Risk - Rhat) <= E sup (Risk - Rhat) + M sqrt(log(1 / delta) / (2 n))``, and so for ``sup (Rhat - Risk)``.

    Replacing a row moves the supremum by at most ``M / n``, so McDiarmid applies.  The expectation is at most twice the
    Rademacher complexity of the losses (symmetrisation), which is false with an absolute value inside the supremum.
    Both signs at once: twice the failure probability.  Catalogue T-27, T-28, T-31, E-046, E-048.

    >>> round(uniform_deviation_bound(0.1, 1000).value, 9)
    0.138702276
    """
    value = expected_supremum + deviation(n, delta, loss_bound)
    return Bound(
        value,
        expected_supremum,
        delta,
        "uniform deviation",
        (INDEPENDENT, f"losses lie in [0, {loss_bound:g}]"),
        {"n": n, "expected_supremum": expected_supremum, "loss_bound": loss_bound},
        value >= loss_bound,
        "McDiarmid 1989; catalogue T-28",
    )


def bounded_differences_deviation(changes, delta: float) -> float:
    """``sqrt(sum c_i**2 log(1 / delta) / 2)`` for a function that moves by at most ``c_i`` when row ``i`` is replaced.

    Catalogue T-27.

    >>> round(bounded_differences_deviation([1 / 1000] * 1000, 0.05), 9)
    0.038702276
    """
    return math.sqrt(sum(c**2 for c in changes) * math.log(1 / checked_delta(delta)) / 2)
