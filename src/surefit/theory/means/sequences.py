"""Layer theory: bounds on a mean that are valid at all times at once, or for losses that depend on the past.

In: losses ``(..., n)`` in ``[0, upper]``, in the order in which they came.  Out: upper bounds ``(...)`` after ``n``.

- Confidence sequences (`bernoulli_sequence`, `betting_sequence`): look after every loss, stop when you like.  The
  conditional mean must be constant, as for one fixed model on independent rows.
- Online to batch (`martingale_kl`, `martingale_bernstein`): loss ``t`` belongs to the model learnt from the losses
  before it, so means vary; what is bounded is the mean risk of these models (of their average, if the loss is convex;
  of one drawn at random otherwise).  `hoeffding` is valid here too (Azuma); `wsr` and `star` are not.
"""

from typing import Any

import numpy as np
from scipy.special import betaln, logsumexp, xlog1py, xlogy

from surefit.theory.means.arguments import failure_probability, safe_root, unit_losses
from surefit.theory.means.betting import in_blocks, predictable_variance, root_of_wealth

RATES = np.logspace(-2, np.log10(8.0), 64)
STAKES = np.logspace(-2.5, np.log10(0.95), 64)


def bernoulli_sequence(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """Root ``p`` of ``ln[B(1/2 + S, 1/2 + n - S) / B(1/2, 1/2)] - S ln p - (n - S) ln(1 - p) = ln(1/delta)``.

    A mixture of likelihood ratios over Beta(1/2, 1/2).  ``(q/p)**x ((1-q)/(1-p))**(1-x)`` is convex in ``x``, so its
    mean under ``p`` is at most one for any ``x`` in ``[0, 1]``, not only for 0 and 1.  Keeps only ``n`` and the sum.

    >>> float(bernoulli_sequence(np.repeat([1.0, 0.0], [10, 490])).round(4))
    0.0508
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    return upper * bernoulli_root(unit.sum(axis=-1), unit.shape[-1], delta)


def bernoulli_root(total: Any, n: int, delta: float) -> Any:
    """`bernoulli_sequence` of ``n`` losses in ``[0, 1]`` from their sum, which is all that it keeps."""
    total = np.asarray(total, dtype=float)
    mixture = betaln(0.5 + total, 0.5 + n - total) - betaln(0.5, 0.5) + np.log(delta)
    mean = np.minimum(total / n, 1.0)

    def excess(p: np.ndarray) -> np.ndarray:
        return mixture - xlogy(total, p) - xlog1py(n - total, -p)

    return safe_root(excess, mean, np.ones_like(mean))[()]


def betting_sequence(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """Bets as in `wsr` that do not know ``n``, valid at all times.

    ``l_t = min(sqrt(2 ln(1/delta) / (t ln(1 + t) s_{t-1})), 1 / (2 (1 - m)))``.  The running maximum of wealth is used,
    so the bound never rises as losses arrive.  Each factor of wealth increases in ``m``, capped or not: one root, no
    grid.

    >>> float(betting_sequence(np.zeros(500)).round(4))
    0.0119
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    target, count = -np.log(delta), np.arange(1, unit.shape[-1] + 1)
    stakes = in_blocks(np.sqrt(2 * target / (count * np.log1p(count) * predictable_variance(unit))), 0.0)
    values = in_blocks(unit, 0.0)

    def factors(m: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return 1.0 + np.minimum(stakes, 0.5 / (1.0 - m)) * (m - values)

    return upper * root_of_wealth(factors, unit.shape[:-1], target)


def martingale_kl(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """Online to batch, for small losses: ``b`` with ``mean_j exp(-r_j S - n ln(1 - b (1 - e**-r_j))) = 1/delta``.

    Derived here: ``E[exp(-r x)] <= 1 - b_t (1 - e**-r)`` given the past, by convexity; ``ln`` is concave, so the
    product over ``t`` is at most that at the mean ``b`` of the ``b_t``.  Each term is thus below a supermartingale that
    starts at one, and so is their mean over 64 rates from 0.01 to 8.

    >>> float(martingale_kl(np.repeat([1.0, 0.0], [50, 450])).round(4))
    0.1473
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    return upper * kl_root(unit.sum(axis=-1), unit.shape[-1], delta)


def kl_root(total: Any, n: int, delta: float) -> Any:
    """`martingale_kl` of ``n`` losses in ``[0, 1]`` from their sum, which is all that it keeps."""
    total = np.asarray(total, dtype=float)

    def excess(b: np.ndarray) -> np.ndarray:
        shrunk = n * np.log1p(b[..., None] * np.expm1(-RATES))
        return logsumexp(-RATES * total[..., None] - shrunk, axis=-1) - np.log(len(RATES)) + np.log(delta)

    return safe_root(excess, np.minimum(total / n, 1.0), np.ones_like(total))[()]


def martingale_bernstein(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """Online to batch, for losses that vary little: ``b`` with ``mean_j exp(l_j n (b - mean) - psi(l_j) V) = 1/delta``.

    ``V = sum_t (x_t - a_{t-1})**2`` around running means of the past, ``psi(l) = -ln(1 - l) - l``.  Derived here from
    ``exp(l u - psi(l) u**2) <= 1 + l u`` for ``u >= -1`` (Fan et al. 2015) at ``u = a_{t-1} - x_t``: given the past,
    ``E exp(l (b_t - x_t) - psi(l) u**2) <= (1 + l (a - b_t)) exp(l (b_t - a)) <= 1``.  A mean over 64 values of ``l``
    replaces the usual union over them and is never worse.

    >>> steady = 0.1 + 0.01 * np.sin(np.arange(500.0))
    >>> float(martingale_bernstein(steady).round(3)), float(martingale_kl(steady).round(3))
    (0.114, 0.147)
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    n, mean = unit.shape[-1], unit.mean(axis=-1)
    past = np.empty_like(unit)
    past[..., 0] = 0.5
    past[..., 1:] = (0.5 + np.cumsum(unit, axis=-1)[..., :-1]) / np.arange(2, n + 1)
    return upper * bernstein_root(mean, np.sum((unit - past) ** 2, axis=-1), n, delta)


def bernstein_root(mean: Any, spread: Any, n: int, delta: float) -> Any:
    """`martingale_bernstein` of ``n`` losses in ``[0, 1]`` from their mean and ``V``, which is all that it keeps."""
    mean, spread = np.asarray(mean, dtype=float), np.asarray(spread, dtype=float)
    cost = (-np.log1p(-STAKES) - STAKES) * spread[..., None]

    def excess(b: np.ndarray) -> np.ndarray:
        gain = STAKES * n * (b - mean)[..., None]
        return logsumexp(gain - cost, axis=-1) - np.log(len(STAKES)) + np.log(delta)

    return safe_root(excess, mean, np.ones_like(mean))[()]


def cesa_bianchi_gentile(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """The textbook online-to-batch bound (Cesa-Bianchi and Gentile 2008), to compare `martingale_kl` with.

    ``mean + (36/n) ln((S + 3)/delta) + 2 sqrt((mean/n) ln((S + 3)/delta))``; nearly always vacuous, hence not capped.

    >>> float(cesa_bianchi_gentile(np.repeat([1.0, 0.0], [50, 450])).round(3))
    0.676
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    n, total = unit.shape[-1], unit.sum(axis=-1)
    log = np.log((total + 3.0) / delta)
    return upper * (total / n + 36.0 * log / n + 2.0 * np.sqrt(total / n**2 * log))
