"""Layer *theory*: the bound by uniform stability, for minimisers of ``mean_i loss + lam * ||f||**2``."""

from __future__ import annotations

from surefit.parameters import non_negative, positive
from surefit.theory.bounds.record import INDEPENDENT, Bound, checked_count, checked_mean, deviation


def uniform_stability(n: int, lam: float, *, lipschitz: float, feature_bound: float = 1.0) -> float:
    """``beta = sigma**2 kappa**2 / (2 lam n)``: how far any loss moves when a row's loss is removed from the fit.

    Convex loss, Lipschitz with constant ``sigma`` in the prediction, ``k(x, x) <= kappa**2``.  At the scale of
    ``mean_i loss + lam ||f||**2``.  The fit without the row keeps ``n * lam``, as in the theorem: it minimises
    ``sum_{j != i} loss_j + n lam ||f||**2``.  A refit of ``n - 1`` rows at the same ``lam`` has a weaker penalty in
    that sum too, and its losses can move further.

    >>> uniform_stability(100, 0.5, lipschitz=1.0)
    0.01
    """
    lam = positive("lam", lam, "without a penalty there is no stability")
    slope = non_negative("lipschitz", lipschitz, "a Lipschitz constant is a size")
    size = non_negative("feature_bound", feature_bound, "it bounds the root of k(x, x)")
    return (slope * size) ** 2 / (2 * lam * checked_count(n))


def stability_bound(
    empirical: float, n: int, stability: float, *, loss_bound: float = 1.0, delta: float = 0.05
) -> Bound:
    """``Risk <= Rhat + 2 beta + (4 n beta + M) sqrt(log(1 / delta) / (2 n))`` with ``beta`` from `uniform_stability`.

    Tube and hinge losses have ``sigma = 1``; the squared loss ``sigma = 2 M_y`` and ``M = M_y**2`` with
    ``M_y >= sup |f - y|``, for unclipped fits of ``|y| <= B`` at most ``B (1 + kappa / sqrt(lam))``.  ``lam`` must not
    be chosen on the same rows.  Informative only for ``lam`` near 1 and above: a leave-one-out error is a better
    *estimate*, and this is why it is no certificate.  Bousquet and Elisseeff (2002).

    >>> beta = uniform_stability(5000, 1.0, lipschitz=2.0)
    >>> round(stability_bound(0.0, 5000, beta).value, 3)
    0.157
    """
    return _assembled(checked_mean(empirical), n, stability, 2, loss_bound, delta)


def loo_stability_bound(
    leave_one_out: float, n: int, stability: float, *, loss_bound: float = 1.0, delta: float = 0.05
) -> Bound:
    """``Risk <= R_loo + beta + (4 n beta + M) sqrt(log(1 / delta) / (2 n))`` with the leave-one-out error.

    Of fits without a row that keep ``n * lam``, as `uniform_stability` means them; not of refits at the same ``lam``.

    >>> loo_stability_bound(0.2, 5000, 0.0).value == stability_bound(0.2, 5000, 0.0).value
    True
    """
    return _assembled(checked_mean(leave_one_out, "leave_one_out"), n, stability, 1, loss_bound, delta)


def _assembled(empirical: float, n: int, stability: float, factor: int, loss_bound: float, delta: float) -> Bound:
    beta = non_negative("stability", stability, "use uniform_stability")
    noise = deviation(n, delta, loss_bound)
    value = empirical + factor * beta + (4 * n * beta + loss_bound) / loss_bound * noise
    return Bound(
        value,
        empirical,
        delta,
        "stability" if factor == 2 else "stability, leave-one-out",
        (
            INDEPENDENT,
            "the minimiser was found exactly, with lam and kernel fixed before these rows were seen",
            f"losses lie in [0, {loss_bound:g}] and are convex and Lipschitz in the prediction",
        ),
        {"n": n, "stability": beta, "loss_bound": loss_bound},
        value >= loss_bound,
        "Bousquet and Elisseeff 2002, theorem 12",
    )
