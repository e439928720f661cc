"""Layer *theory*: bounds by Rademacher complexity, for any Lipschitz loss and for the classes that surefit fits.

In: a mean loss, the sample size, a radius, what is known of the features.  Out: `Bound`.  All hold for every member of
the class at once, so also for the one that was chosen by looking at the rows.  The constants follow from one theorem:
the slack is ``2 mu Rad + M sqrt(log(1 / delta) / (2 n))`` for a ``mu``-Lipschitz loss in ``[0, M]``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from surefit.parameters import finite_vector, non_negative, positive, within
from surefit.theory.bounds.complexity import contracted, kernel_ball_rate, l1_ball_rate
from surefit.theory.bounds.record import (
    FIXED_BEFORE,
    INDEPENDENT,
    NO_INTERCEPT,
    Bound,
    Radius,
    checked_mean,
    deviation,
    settled,
)
from surefit.theory.means.arguments import failure_probability


def rademacher_bound(
    empirical: float,
    n: int,
    complexity: float,
    *,
    lipschitz: float = 1.0,
    loss_bound: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """``Risk <= Rhat + 2 mu Rad_n + M sqrt(log(1 / delta) / (2 n))`` with the *expected* complexity.  Catalogue T-35.

    ``complexity`` must bound ``E Rad_S`` without looking at the rows, as `kernel_ball_rate` and `l1_ball_rate` do.

    >>> round(rademacher_bound(0.0, 1000, 0.0).value, 9)
    0.038702276
    """
    value = checked_mean(empirical) + 2 * contracted(complexity, lipschitz) + deviation(n, delta, loss_bound)
    return _record(value, empirical, delta, _numbers(n, complexity, lipschitz, loss_bound))


def empirical_rademacher_bound(
    empirical: float,
    n: int,
    complexity: float,
    *,
    lipschitz: float = 1.0,
    loss_bound: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """``Risk <= Rhat + 2 mu Rad_S + 3 M sqrt(log(1 / delta) / (2 n))`` with the complexity on *these* rows.

    ``sup(Risk - Rhat) - 2 Rad_S`` has mean at most 0 and moves by at most ``3 M / n`` when a row is replaced, so one
    use of McDiarmid suffices; the usual proof uses two and prints ``log(2 / delta)``.  A radius of the class that was
    read off the fit must have been paid for: multiply ``delta`` by `Fitted.share`.  For a `SimulatedComplexity` give
    its ``upper``; the failure probabilities add.  Catalogue T-35, T-37, T-38, T-40, E-005.

    >>> from surefit.theory.bounds.complexity import NormBall
    >>> rows = np.random.default_rng(0).uniform(-1, 1, (1000, 3))
    >>> bound = empirical_rademacher_bound(0.1, 1000, NormBall(rows, order=1).bound())
    >>> round(bound.value, 2), bound.vacuous
    (0.29, False)
    """
    value = checked_mean(empirical) + 2 * contracted(complexity, lipschitz) + 3 * deviation(n, delta, loss_bound)
    return _record(value, empirical, delta, _numbers(n, complexity, lipschitz, loss_bound))


def kernel_squared_bound(
    empirical: float,
    n: int,
    *,
    radius: Radius,
    largest_error: float,
    feature_bound: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """``Risk <= Rhat + 4 M r Lambda / sqrt(n) + M**2 sqrt(log(1 / delta) / (2 n))`` for the squared loss.

    ``|f(x) - y| <= M`` is ``largest_error``, for every ``f`` of the ball (``r Lambda`` plus the largest ``|y|`` will
    do) or for clipped predictions; ``k(x, x) <= r**2`` is ``feature_bound`` (Gaussian kernel: 1); the ball has no
    intercept.  ``radius=Fitted(norm)`` pays for a norm read off the fit.  Where ``r`` is not known, use
    `empirical_rademacher_bound` with `KernelBall`.  Catalogue T-49, E-021.

    >>> round(kernel_squared_bound(0.0, 1000, radius=1.0, largest_error=2.0).value, 9)
    0.407791315
    """
    M = positive("largest_error", largest_error, "it bounds |f(x) - y|")
    size, left, text = settled(radius, failure_probability(delta))
    rate = kernel_ball_rate(n, radius=size, feature_bound=feature_bound)
    inner = rademacher_bound(empirical, n, rate, lipschitz=2 * M, loss_bound=M**2, delta=left)
    return _for_class(inner, delta, "rademacher, kernel ball, squared loss", (text, _features(feature_bound)))


def kernel_tube_bound(
    empirical: float,
    n: int,
    *,
    radius: Radius,
    loss_bound: float,
    feature_bound: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """``Risk <= Rhat + 2 r Lambda / sqrt(n) + M sqrt(log(1 / delta) / (2 n))`` for the tube loss ``(|f - y| - eps)_+``.

    ``loss_bound`` is ``M``: the largest loss in the ball or of clipped predictions, the largest ``|f - y|`` less
    ``epsilon``.  The loss is Lipschitz with constant 1.  Catalogue T-50, E-021.

    >>> round(kernel_tube_bound(0.0, 1000, radius=1.0, loss_bound=2.0).value, 9)
    0.140650104
    """
    size, left, text = settled(radius, failure_probability(delta))
    rate = kernel_ball_rate(n, radius=size, feature_bound=feature_bound)
    inner = rademacher_bound(empirical, n, rate, loss_bound=loss_bound, delta=left)
    return _for_class(inner, delta, "rademacher, kernel ball, tube loss", (text, _features(feature_bound)))


def l1_squared_bound(
    empirical: float,
    n: int,
    d: int,
    *,
    radius: Radius,
    largest_error: float,
    feature_bound: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """``Risk <= Rhat + 4 M r Lambda_1 sqrt(2 log(2 d) / n) + M**2 sqrt(log(1 / delta) / (2 n))``, L1 ball.

    ``|x_j| <= r`` is ``feature_bound``.  The constant is 4; the 2 that is sometimes stated does not follow.  On given
    rows `empirical_rademacher_bound` with ``NormBall(X, radius, order=1)`` uses the norms of the columns.  Catalogue
    T-51, E-015.

    >>> round(l1_squared_bound(0.0, 1000, 100, radius=1.0, largest_error=2.0).value, 9)
    0.978328758
    """
    M = positive("largest_error", largest_error, "it bounds |f(x) - y|")
    size, left, text = settled(radius, failure_probability(delta))
    rate = l1_ball_rate(n, d, radius=size, feature_bound=feature_bound)
    inner = rademacher_bound(empirical, n, rate, lipschitz=2 * M, loss_bound=M**2, delta=left)
    known = f"every feature lies in [-{feature_bound:g}, {feature_bound:g}]"
    return _for_class(inner, delta, "rademacher, L1 ball, squared loss", (text, known))


def margin_bound(margins: np.ndarray, *, radius: Radius, feature_bound: float = 1.0, delta: float = 0.05) -> Bound:
    """``P(t f(x) <= 0) <= mean 1[t_i f(x_i) < 1] + 2 r Lambda / sqrt(n) + sqrt(log(1 / delta) / (2 n))``.

    ``margins`` (n,) are ``t_i f(x_i)``, ``Lambda`` bounds the norm of ``f``.  The ramp loss ``min(1, (1 - m)_+)`` is
    1-Lipschitz and lies between the two indicators.  For a margin ``rho`` other than 1 divide ``f`` by it: margins
    ``t f / rho``, norm ``||f|| / rho``; with ``radius=Fitted(norm / rho)`` the choice of ``rho`` is paid for too.
    Koltchinskii and Panchenko (2002).  Catalogue T-35, T-38.

    >>> round(margin_bound(np.full(2500, 2.0), radius=1.0).value, 4)
    0.0645
    """
    m = finite_vector("margins", margins, "give t_i f(x_i), one per row")
    size, left, text = settled(radius, failure_probability(delta))
    rate = kernel_ball_rate(len(m), radius=size, feature_bound=feature_bound)
    inner = rademacher_bound(float(np.mean(m < 1)), len(m), rate, delta=left)
    return _for_class(inner, delta, "rademacher, margin", (text, _features(feature_bound)))


def bounded_erm_excess(
    n: int, *, radius: float, lipschitz: float = 1.0, feature_bound: float = 1.0, factor: float = 2.0
) -> Bound:
    """``E Risk(f_erm) - min_ball Risk <= 2 L R D / sqrt(n)`` for empirical risk minimisation over ``||w|| <= D``.

    ``L``-Lipschitz loss, ``E ||phi(x)||**2 <= R**2``; no bound on the loss is needed, and the statement is about the
    mean over samples.  ``factor=4`` is the usual constant, from two suprema where the mean of ``Rhat - Risk`` at
    the best member, which is 0, does.  Catalogue T-42, E-048.

    >>> round(bounded_erm_excess(1000, radius=1.0, factor=4).value, 9)
    0.126491106
    """
    times = checked_factor(factor) * non_negative("lipschitz", lipschitz, "a Lipschitz constant is a size")
    value = times * kernel_ball_rate(n, radius=radius, feature_bound=feature_bound)
    numbers = {"n": n, "radius": radius, "lipschitz": lipschitz, "feature_bound": feature_bound, "factor": factor}
    known = f"the mean squared norm of the features is at most {feature_bound:g}**2"
    return Bound(
        value,
        0.0,
        0.0,
        "expected excess risk of constrained empirical risk minimisation",
        (INDEPENDENT, FIXED_BEFORE, "the empirical risk was minimised exactly over the ball", known),
        numbers,
        value >= 2 * lipschitz * feature_bound * radius,  # what Lipschitz losses on the ball can differ by at all
        "symmetrisation and contraction",
    )


def checked_factor(factor: float) -> float:
    """``factor`` if a proof of `bounded_erm_excess` has it or a smaller one."""
    return within("factor", factor, (2, 1e100), "2 is the smallest that is proved, 4 is usual")


def _features(feature_bound: float) -> str:
    return f"k(x, x) = ||phi(x)||**2 is at most {feature_bound:g}**2 everywhere"


def _numbers(n: int, complexity: float, lipschitz: float, loss_bound: float) -> dict[str, float]:
    return {"n": n, "complexity": complexity, "lipschitz": lipschitz, "loss_bound": loss_bound}


def _record(value: float, empirical: float, delta: float, numbers: Mapping[str, float]) -> Bound:
    known = (
        "for every predictor of the class, or after clipping, losses lie in [0, {loss_bound:g}] "
        "and are Lipschitz with constant {lipschitz:g}"
    ).format(**numbers)
    return Bound(
        value,
        empirical,
        delta,
        "rademacher",
        (INDEPENDENT, FIXED_BEFORE, known),
        numbers,
        value >= numbers["loss_bound"],
        "Bartlett and Mendelson 2002",
    )


def _for_class(inner: Bound, delta: float, method: str, known: tuple[str, ...]) -> Bound:
    """``inner`` as a statement about one class, with the whole ``delta`` (part of it paid for the radius)."""
    return Bound(
        inner.value,
        inner.empirical,
        delta,
        method,
        (*inner.assumptions, NO_INTERCEPT, *known),
        {**inner.inputs, "delta_left": inner.delta},
        inner.vacuous,
        inner.reference,
    )
