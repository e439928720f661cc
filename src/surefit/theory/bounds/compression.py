"""Layer *theory*: bounds from the number of rows that a fit really needs (Campi and Garatti 2023), re-derived.

In: the sample size ``n`` and the size ``k`` of the compressed set, or the residuals it is counted from.  Out: `Bound`.
No hold-out is needed: for support vector regression the tube becomes a prediction band.

Let ``c(z_1..z_m)`` be a subset of its arguments that does not depend on their order (where a learner looks at
the order, rows carry it as a random mark), with *preference*: a row outside ``c(U + z)`` can be left out,
``c(U) = c(U + z)`` if ``z`` is not in ``c(U + z)``.  Let ``phi(V) = P(c(V + z) != V)``
for a fresh ``z``.  By preference ``c(z_1..z_n) = V`` implies ``c(z_1..z_m) = V`` for ``k <= m <= n``, and that no later
row alone changes ``V``, so given ``V = (z_1..z_k)``

    P(c(z_1..z_n) = V)  <=  P(c(z_1..z_m) = V) (1 - phi(V))**(n - m).

If ``(delta / n) sum_{m=k}^{n-1} C(m, k) / C(n, k) (1 - eps_k)**-(n - m) = 1``, then where ``phi > eps_k`` that sum with
``phi`` in place of ``eps_k`` exceeds 1, so

    P(phi > eps_k)  <=  (delta / n) sum_{m<n} sum_{k<=m} C(m, k) P(c(z_1..z_m) = (z_1..z_k))  =  (delta / n) n.

If moreover ``c(U) = V`` as soon as no row of ``U`` alone changes ``V``, the inequality is an equality for all ``m``,
also beyond ``n``, and weights ``delta / (2 n)`` below ``n`` and ``delta / (6 n)`` on ``n + 1 .. 4 n`` bound ``phi`` on
both sides.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, gammaln, logsumexp, xlog1py, xlogy

from surefit.parameters import finite_vector, non_negative, whole
from surefit.theory.bounds.record import INDEPENDENT, Bound, checked_count
from surefit.theory.means.arguments import failure_probability


def compression_risk(n: int, k: int, delta: float = 0.05) -> float:
    """``eps_k``: with confidence ``1 - delta``, at most this share of fresh rows changes the ``k`` kept rows.

    The sum in the equation for ``eps`` is a binomial tail, which leaves
    ``delta P(Bin(n, eps) > k) = n eps P(Bin(n, eps) = k)`` with one root above ``k / n``: no underflow and no sum,
    whatever ``n``.

    >>> [round(compression_risk(n, k), 4) for n, k in [(200, 20), (500, 5), (5000, 500)]]
    [0.1721, 0.0279, 0.1145]
    """
    n, k = _sizes(n, k)
    failure_probability(delta)
    if k == n:
        return 1.0

    def excess(eps: float) -> float:  # increasing above k / n
        return _log_ratio(delta, betainc(k + 1, n - k, eps), n * eps) - _log_mass(n, k, eps)

    end = 1 - 1e-15
    return float(brentq(excess, _start(n, k, delta), end, xtol=1e-14)) if excess(end) > 0 else 1.0


def compression_interval(n: int, k: int, delta: float = 0.05) -> tuple[float, float]:
    """Both sides: the probability that a fresh row changes the compressed set lies between these with ``1 - delta``.

    Needs more than `compression_risk` does: rows without ties (a law without atoms), and that rows which change ``V``
    neither alone do not change it together, as for support vectors in general position.

    >>> [round(end, 3) for end in compression_interval(500, 50)]
    [0.062, 0.149]
    """
    n, k = _sizes(n, k)
    failure_probability(delta)
    if k == n:
        return 0.0, 1.0

    def excess(eps: float) -> float:  # convex in log(1 - eps), negative between the two roots
        later = betainc(k + 1, 4 * n + 1 - k, eps) - betainc(k + 1, n + 1 - k, eps)
        return _log_ratio(delta, betainc(k + 1, n - k, eps) / 2 + later / 6, n * eps) - _log_mass(n, k, eps)

    middle, end = _start(n, k, delta), 1 - 1e-15
    if excess(middle) >= 0:  # only for delta near 1, where the statement is empty anyway
        return 0.0, 1.0
    upper = float(brentq(excess, middle, end, xtol=1e-14)) if excess(end) > 0 else 1.0
    low = middle
    while n * low > 1e-6:
        low /= 2
        if excess(low) > 0:
            return float(brentq(excess, low, middle, xtol=1e-16)), upper
    return 0.0, upper


def svr_tube_bound(
    residuals: np.ndarray,
    epsilon: float,
    *,
    n_support: int = 0,
    tolerance: float = 1e-3,
    free_offset: bool = False,
    delta: float = 0.05,
) -> Bound:
    """``P(|y - f(x)| > epsilon)`` of a fitted support vector regression, from the rows on or outside its tube.

    ``residuals`` (n,) are ``y_i - f(x_i)``.  ``k`` is the larger of ``n_support`` (non-zero dual weights) and the
    number of ``|r_i| >= epsilon (1 - tolerance)``: rounding must err upward, so ``tolerance`` is to
    be no smaller than the solver's.  Rows strictly inside the tube can be left out without changing ``f`` (at the same
    ``n * lam``), and a fresh row outside the tube cannot.

    ``free_offset``: the optimal offset is an interval and its midpoint was taken.  Two more rows then belong to the
    compressed set, those that delimit the interval: they lie inside the tube, but without one of them the midpoint
    moves.  Choosing among several fits: divide ``delta`` by their number.

    >>> r = np.r_[np.full(20, 0.2), np.full(380, 0.01)]
    >>> bound = svr_tube_bound(r, 0.1)
    >>> bound.inputs["k"], round(bound.value, 3), bound.empirical
    (20, 0.088, 0.05)
    """
    r = _vector("residuals", residuals)
    epsilon = non_negative("epsilon", epsilon, "it is the half-width of the tube")
    on_or_outside = int(np.sum(np.abs(r) >= epsilon * (1 - _slack(tolerance))))
    k = _kept(max(_support(n_support), on_or_outside), free_offset, len(r))
    outside = float(np.mean(np.abs(r) > epsilon))
    return _record(len(r), k, delta, outside, "compression, tube of a support vector regression", _SUPPORT)


def svm_margin_bound(
    margins: np.ndarray,
    *,
    n_support: int = 0,
    tolerance: float = 1e-3,
    free_offset: bool = False,
    delta: float = 0.05,
) -> Bound:
    """``P(t f(x) < 1)``, hence the error ``P(t f(x) <= 0)``, of a fitted support vector machine with hinge loss.

    ``margins`` (n,) are ``t_i f(x_i)``; ``k`` is the larger of ``n_support`` and the number of margins up to
    ``1 + tolerance``; two more if ``free_offset``, as for `svr_tube_bound`.

    >>> round(svm_margin_bound(np.r_[np.full(40, 0.5), np.full(360, 2.0)]).value, 3)
    0.15
    """
    m = _vector("margins", margins)
    k = _kept(max(_support(n_support), int(np.sum(m <= 1 + _slack(tolerance)))), free_offset, len(m))
    return _record(len(m), k, delta, float(np.mean(m < 1)), "compression, margin of a support vector machine", _SUPPORT)


def perceptron_compression_bound(
    mistakes: np.ndarray, *, wrong: np.ndarray | None = None, delta: float = 0.05
) -> Bound:
    """``P(error)`` of the last weights of a perceptron that was swept in one random order.

    ``mistakes`` (n,) counts the updates that each row caused; ``wrong`` (n,) marks rows that the last weights still get
    wrong, none if the run ended with a clean epoch.  ``k`` is the number of rows that are in either.
    Any other row can be left out without changing the run; a fresh row that the weights get wrong would have joined the
    ``k``.  The order must be independent of the rows, and the limit on the epochs fixed beforehand.

    >>> round(perceptron_compression_bound(np.r_[np.full(38, 2), np.zeros(162, int)]).value, 2)
    0.28
    """
    counts = _vector("mistakes", mistakes)
    if counts.min() < 0:
        raise ValueError(f"mistakes must be >= 0, got {counts.min():g}; count the updates that each row caused")
    left = np.zeros(len(counts)) if wrong is None else _vector("wrong", wrong)
    if len(left) != len(counts):
        raise ValueError(f"wrong must be as long as mistakes, got {len(left)} and {len(counts)}; one entry per row")
    k = int(np.sum((counts > 0) | (left > 0)))
    order = "the perceptron was swept in one random order, to a clean epoch or a fixed limit"
    return _record(len(counts), k, delta, float(np.mean(left > 0)), "compression, perceptron", order)


def classical_compression_bound(n: int, k: int, *, errors: int = 0, delta: float = 0.05) -> Bound:
    """Binomial tail inversion at ``delta / (n C(n, k))`` on the ``n - k`` other rows, of which ``errors`` are wrong.

    For any learner whose result can be rebuilt from ``k`` rows, without preference; much wider than `compression_risk`.
    In log space: the usual cumulative functions underflow to a bound far too small.  (Littlestone and Warmuth 1986;
    Langford 2005.)

    >>> round(classical_compression_bound(200, 38).value, 2)
    0.47
    """
    n, k = _sizes(n, k)
    log_delta = math.log(failure_probability(delta)) - math.log(n) - _log_binomial(n, k)
    rest, errors = n - k, whole("errors", errors, "count wrong rows outside the compressed set", least=0)
    if errors > rest:
        raise ValueError(
            f"errors must be in 0..{rest}, got {errors}; count them on the rows outside the compressed set"
        )
    value = largest_error_rate(rest, errors, log_delta) if rest else 1.0
    return Bound(
        value,
        errors / rest if rest else 0.0,
        delta,
        "classical compression",
        (INDEPENDENT, "the predictor can be rebuilt from the compressed set alone"),
        {"n": n, "k": k, "errors": errors},
        value >= 1,
        "Littlestone and Warmuth 1986; Langford 2005",
    )


def largest_error_rate(n: int, errors: int, log_delta: float) -> float:
    """The ``p`` with ``log P(Bin(n, p) <= errors) = log_delta``, for a ``log_delta`` as negative as one likes.

    >>> round(largest_error_rate(50, 5, np.log(0.05)), 4), round(largest_error_rate(10, 0, -2000.0), 4)
    (0.1988, 1.0)
    """
    n, errors = checked_count(n), whole("errors", errors, "count the wrong rows", least=0)
    if not log_delta <= 0:
        raise ValueError(f"log_delta must be <= 0, got {log_delta!r}; it is the logarithm of a probability")
    if errors >= n:
        return 1.0
    if errors == 0:
        return -math.expm1(log_delta / n)
    counts = np.arange(errors + 1)
    log_counts = _log_binomial(n, counts)
    excess = lambda p: float(logsumexp(log_counts + xlogy(counts, p) + xlog1py(n - counts, -p))) - log_delta
    top = 1 - 1e-15
    return float(brentq(excess, 0.0, top, xtol=1e-14)) if excess(top) < 0 else 1.0


_SUPPORT = "the optimum is unique, and found closely enough that no support vector was missed by the tolerance"


def _record(n: int, k: int, delta: float, empirical: float, method: str, special: str) -> Bound:
    value = compression_risk(n, k, delta)
    return Bound(
        value,
        empirical,
        delta,
        method,
        (
            INDEPENDENT,
            special,
            "kernel, lam and epsilon were fixed before these rows were seen; of several fits each gets its part of "
            "delta, the probability of failure",
        ),
        {"n": n, "k": k},
        value >= 1,
        "Campi and Garatti 2023, theorem of preference (proof in the module)",
    )


def _kept(k: int, free_offset: bool, n: int) -> int:
    """The support, and the two rows that delimit an offset that nothing else fixes."""
    return min(k + 2 * free_offset, n)


def _start(n: int, k: int, delta: float) -> float:
    """A level at which the equations of the risk have not been reached yet."""
    return max(k / n, 1e-3 * (1 - delta) / n)


def _log_ratio(delta: float, tail: float, expected: float) -> float:
    """``log(delta * tail / expected)``, minus infinity for a tail that underflows, which never certifies too much."""
    return math.log(delta) + math.log(tail) - math.log(expected) if tail > 0 else -math.inf


def _log_mass(n: int, k: int, eps: float) -> float:
    """``log P(Bin(n, eps) = k)``."""
    return _log_binomial(n, k) + xlogy(k, eps) + xlog1py(n - k, -eps)


def _log_binomial(n, k):
    return gammaln(np.add(n, 1)) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n, k) + 1)


def _sizes(n: int, k: int) -> tuple[int, int]:
    n, k = checked_count(n), whole("k", k, "it counts the rows of the compressed set", least=0)
    if k > n:
        raise ValueError(f"k must be in 0..{n}, got {k}; it counts the rows of the compressed set")
    return n, k


def _support(n_support: int) -> int:
    return whole("n_support", n_support, "it counts the support vectors", least=0)


def _slack(tolerance: float) -> float:
    return non_negative("tolerance", tolerance, "rounding must err upward; use the tolerance of the solver")


def _vector(name: str, values: np.ndarray) -> np.ndarray:
    return finite_vector(name, values, "give one entry per row")
