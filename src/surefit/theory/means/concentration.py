"""Layer theory: upper bounds on a mean from independent bounded losses, and bands for a distribution.

In: held-out losses ``(..., n)`` in ``[0, upper]`` of one fixed model.  Out: numbers ``(...)`` that are below the true
mean with probability at most ``delta``.  One signature for all: ``bound(losses, delta=0.05, *, upper=1.0)``; a lower
bound is `lower_bound` of any of them.  For losses without an upper end `catoni` has ``variance_bound`` in its place.
Bounds that bet are in `betting`, those valid at all times or for dependent losses in `sequences`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import betainc, betainccinv, rel_entr

from surefit.parameters import all_numbers, finite_vector, positive, whole
from surefit.theory.means.arguments import failure_probability, largest_loss, loss_array, safe_root, unit_losses


def hoeffding(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """``mean + upper sqrt(ln(1/delta) / (2n))``: the range alone.  Catalogue T-24, T-26.

    Also valid for dependent losses around the mean of their conditional means (Azuma).

    >>> float(hoeffding(np.zeros(1000)).round(9))
    0.038702276
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    return upper * np.minimum(unit.mean(axis=-1) + np.sqrt(-np.log(delta) / (2 * unit.shape[-1])), 1.0)


def hoeffding_tail(deviation: Any, n: int, upper: float = 1.0) -> Any:
    """Largest possible ``P(mean - expectation >= deviation)``: ``exp(-2 n deviation**2 / upper**2)``.  Catalogue T-24.

    Twice that for the absolute deviation.

    >>> float(2 * hoeffding_tail(0.05, 1000).round(11))
    0.013475894
    """
    n = whole("n", n, "it counts the losses")
    return mcdiarmid_tail(deviation, np.full(n, largest_loss(upper) / n))


def mcdiarmid_tail(deviation: Any, differences: Any) -> Any:
    """``P(F - E F >= deviation) <= exp(-2 deviation**2 / sum(differences**2))``.  Catalogue T-27.

    ``F`` is any function of independent inputs; input ``i`` alone moves it by at most ``differences[i]``.  Twice that
    for the absolute deviation.  The mean of numbers in ``[0, 1]`` has differences ``1/n``: Hoeffding.
    """
    above = np.maximum(all_numbers("deviation", deviation, "give how far above its expectation"), 0.0)
    moved = _squared_differences(differences)
    return np.exp(-2.0 * above**2 / moved) if moved > 0 else np.where(above > 0, 0.0, 1.0)[()]


def mcdiarmid(value: Any, differences: Any, delta: float = 0.05) -> Any:
    """Upper bound ``value + sqrt(ln(1/delta) sum(differences**2) / 2)`` on the expectation.  Catalogue T-27, T-28.

    >>> float(mcdiarmid(0.0, np.full(1000, 1 / 1000)).round(9))
    0.038702276
    """
    delta = failure_probability(delta)
    seen = all_numbers("value", value, "give what the function came to")
    return (seen + np.sqrt(-0.5 * np.log(delta) * _squared_differences(differences)))[()]


def _squared_differences(differences: Any) -> float:
    moved = finite_vector("differences", differences, "give how far each input can move the function")
    return float(np.sum(np.square(moved)))


def chernoff(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """The largest ``p`` with ``n kl(mean || p) <= ln(1/delta)``: the range, and a mean near its ends.

    For one fixed model no further logarithm is needed: ``P(mean <= x) <= exp(-n kl(x || p))`` for every ``x < p``.

    >>> float(chernoff(np.repeat([1.0, 0.0], [10, 490])).round(4))
    0.0393
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    return upper * largest_mean(unit.mean(axis=-1), -np.log(delta) / unit.shape[-1])


def largest_mean(observed: Any, divergence: Any) -> np.ndarray:
    """The largest ``p`` in ``[q, 1]`` with ``kl(q || p) <= c`` between Bernoulli laws, rounded upward.

    Arrays broadcast.

    >>> largest_mean([0.0, 0.2, 1.0], 0.1).round(6)
    array([0.095163, 0.409973, 1.      ])
    """
    q, c = np.broadcast_arrays(np.clip(np.asarray(observed, dtype=float), 0, 1), np.asarray(divergence, dtype=float))

    def excess(p: np.ndarray) -> np.ndarray:
        return np.where(p <= q, 0.0, rel_entr(q, p) + rel_entr(1 - q, 1 - p)) - c

    return safe_root(excess, q, np.ones_like(q))


def clopper_pearson(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """The exact bound for losses that are 0 or ``upper``: ``p`` with ``P(Binomial(n, p) <= errors) = delta``.

    A beta quantile, taken from its upper tail so that any ``delta`` down to 1e-300 is exact to rounding.  Other values
    are refused: the formula is not valid for them.

    >>> [round(float(clopper_pearson(np.repeat([1, 0], [10, 490]), 0.05 / k)), 4) for k in (1, 5, 20, 100)]
    [0.0337, 0.0399, 0.0446, 0.0497]
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    if not np.all((unit == 0.0) | (unit == 1.0)):
        raise ValueError(
            f"clopper_pearson needs losses that are 0 or {upper:g}; use betting or hoeffding_bentkus for values between"
        )
    return upper * binomial_upper(unit.sum(axis=-1), unit.shape[-1], delta)


def binomial_upper(errors: Any, n: int, delta: float = 0.05) -> Any:
    """The largest error rate that makes ``errors`` or fewer out of ``n`` no rarer than ``delta``.

    >>> float(binomial_upper(0, 500)) == float(-np.expm1(np.log(0.05) / 500))
    True
    """
    errors, n = all_numbers("errors", errors, "count the wrong rows"), whole("n", n, "it counts the rows")
    if np.any((errors < 0) | (errors > n)):
        raise ValueError(f"errors must be in 0..{n}, got {errors.min():g} to {errors.max():g}; count the wrong rows")
    all_wrong = errors >= n
    root = betainccinv(errors + 1.0, np.where(all_wrong, 1.0, n - errors), failure_probability(delta))
    root = np.where(errors == 0, -np.expm1(np.log(delta) / n), root)
    return np.where(all_wrong, 1.0, root)[()]


def binomial_p(hits: Any, n: Any, level: float) -> np.ndarray:
    """``P(Binomial(n, level) >= hits)``: how likely so many are if the true share is ``level`` or less.

    >>> float(binomial_p(59, 59, 0.95).round(4))
    0.0485
    """
    hits, n = np.asarray(hits, dtype=float), np.asarray(n, dtype=float)
    return np.where(hits <= 0, 1.0, betainc(np.maximum(hits, 1e-12), n - hits + 1.0, level))


def hoeffding_bentkus(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """Chernoff's bound or Bentkus's, whichever is smaller, at no extra ``delta``.

    Both bound the same tail ``P(mean <= x)``, so their minimum does too: ``min(exp(-n kl(x || p)), e P(Binomial(n, p)
    <= ceil(n x)))``.  Rounding ``n x`` down instead of up is a known mistake: invalid unless losses are 0 or 1.

    >>> float(hoeffding_bentkus(np.repeat([1.0, 0.0], [50, 450])).round(4))
    0.1317
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    n = unit.shape[-1]
    bentkus = binomial_upper(np.minimum(np.ceil(unit.sum(axis=-1)), n), n, delta / np.e)
    return upper * np.minimum(largest_mean(unit.mean(axis=-1), -np.log(delta) / n), bentkus)


def empirical_bernstein(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """``mean + sqrt(2 V ln(2/delta) / n) + 7 ln(2/delta) / (3 (n - 1))`` with the unbiased variance ``V``.

    Maurer and Pontil (2009).  Better than Hoeffding where the losses vary little; `betting` is better still.

    >>> float(empirical_bernstein(np.repeat([1.0, 0.0], [50, 450])).round(4))
    0.1537
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    n = unit.shape[-1]
    if n < 2:
        raise ValueError("empirical_bernstein estimates a variance and needs two losses; use hoeffding for one")
    log = np.log(2.0 / delta)
    slack = np.sqrt(2 * unit.var(axis=-1, ddof=1) * log / n) + 7 * log / (3 * (n - 1))
    return upper * np.minimum(unit.mean(axis=-1) + slack, 1.0)


def lower_bound(bound: Callable[..., Any], losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """The lower bound that goes with an upper one: ``upper - bound(upper - losses)``.

    Both together, each at ``delta / 2``, are a two-sided interval.

    >>> errors = np.repeat([1, 0], [10, 490])
    >>> float(lower_bound(clopper_pearson, errors, 0.025).round(4)), float(clopper_pearson(errors, 0.025).round(4))
    (0.0096, 0.0365)
    """
    upper = largest_loss(upper)
    return upper - bound(upper - loss_array(losses), delta, upper=upper)


def catoni(losses: Any, delta: float = 0.05, *, variance_bound: float) -> Any:
    """Upper bound on the mean of unbounded values whose variance is *declared* to be at most ``variance_bound``.

    ``theta + sqrt(2 v L / (n - 2 L))``, ``L = ln(1/delta)``, with ``theta`` the root of ``sum_i psi(a (x_i - theta))``,
    ``psi(u) = sign(u) ln(1 + |u| + u**2 / 2)``.  Derived again here: ``E exp(-psi(a (x - t))) <= 1 - a d + a**2 (v +
    d**2) / 2`` with ``d = m - t``, so by Markov the sum is positive at ``t`` unless ``a d < a**2 (v + d**2) / 2 +
    L / n``; the smallest ``d`` that escapes is minimised by the ``a`` used here and is the slack above.
    Catoni (2012).  Nothing in the data can check the variance.  Values ``(..., n)`` of either sign; no ``upper``, since
    there is none.

    >>> x = np.random.default_rng(0).standard_t(3, size=(2, 2000))
    >>> catoni(x, variance_bound=3.0).round(3)
    array([0.11 , 0.058])
    """
    values, delta = loss_array(losses), failure_probability(delta)
    if values.ndim == 0 or not np.all(np.isfinite(values)):
        raise ValueError("losses must be finite, shape (..., n); drop what is missing before the data are looked at")
    variance_bound = positive("variance_bound", variance_bound, "declare it from knowledge")
    n, log = values.shape[-1], -np.log(delta)
    if n <= 2 * log:
        raise ValueError(f"catoni needs more than 2 ln(1/delta) = {2 * log:.1f} values, got {n}; add values")
    slack = np.sqrt(2 * variance_bound * log / (n - 2 * log))
    scale = np.sqrt(2 * log / (n * (variance_bound + slack**2)))

    def excess(theta: np.ndarray) -> np.ndarray:
        u = scale * (theta[..., None] - values)
        return np.sum(np.sign(u) * np.log1p(np.abs(u) + 0.5 * u**2), axis=-1)

    return (safe_root(excess, values.min(axis=-1), values.max(axis=-1)) + slack)[()]


def dkw_slack(n: int, delta: float = 0.05) -> float:
    """Height of the one-sided band around an empirical distribution: ``sqrt(ln(1/delta) / (2n))``, for all points.

    Dvoretzky, Kiefer, Wolfowitz with Massart's constant: with probability ``1 - delta`` the true distribution function
    is nowhere below the empirical one by more than this.  One side needs ``delta <= 1/2``; for both at once use
    ``delta / 2``.

    >>> round(dkw_slack(500), 4)
    0.0547
    """
    if failure_probability(delta) > 0.5:
        raise ValueError(f"the one-sided band holds for delta <= 0.5 only, got {delta}; ask for more confidence")
    return float(np.sqrt(-np.log(delta) / (2 * whole("n", n, "it counts the points of the distribution"))))
