"""Layer theory: the sharpest bounds on the mean of bounded losses: bet against every candidate mean.

In: losses ``(..., n)`` in ``[0, upper]``, in an order that does not depend on their values.  Out: bounds ``(...)``.
If the true mean is at least ``m``, no strategy that gains from small losses makes money against ``m`` on average;
wealth ``1/delta`` is therefore reached with probability at most ``delta`` (Ville), and ``m`` is then rejected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.compiled.door import star_rejections
from surefit.parameters import whole
from surefit.theory.means.arguments import failure_probability, safe_root, unit_losses

STAR_LIMIT = 10_000
"""Most losses for which re-targeted bets on a grid of 10,000 candidates beat a root to full precision."""

STAR_GRID = 10_000
BLOCK = 32  # factors multiplied before a logarithm is taken


def betting(losses: Any, delta: float = 0.05, *, upper: float = 1.0, seed: int = 0) -> Any:
    """The bound to use for losses in ``[0, upper]``: `star` up to 10,000 losses, `wsr` beyond.

    Bets depend on the order, and a file sorted by class would break them: losses are shuffled first, the same way for
    the same ``seed``.  Do not choose among seeds after having seen the bounds.  For losses in random order the promise
    holds for every seed; for a sorted file it is over the draw of the seed as well, since one order for all sorted
    files of a length is lucky or unlucky for all of them: certificates take the seed from the rows (`Shuffle`).

    >>> from scipy.stats import beta
    >>> losses = beta.ppf((np.arange(200) + 0.5) / 200, 2, 8)
    >>> round(float(betting(losses) - losses.mean()), 3)     # Hoeffding: 0.087
    0.015
    """
    unit = unit_losses(losses, upper)
    seed = whole("seed", seed, "it decides the order of the losses", least=0)
    shuffled = unit[..., np.random.default_rng(seed).permutation(unit.shape[-1])]
    return upper * (star if unit.shape[-1] <= STAR_LIMIT else wsr)(shuffled, delta)


def wsr(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """Bets of Waudby-Smith and Ramdas (2024), in the order given.

    ``l_t = min(1, sqrt(2 ln(1/delta) / (n s_{t-1})))`` with the running variance ``s``; the bound is the root in ``m``
    of ``max_t sum_{u<=t} ln(1 - l_u (x_u - m)) = ln(1/delta)``, which increases in ``m``: no grid.  Needs independent
    losses of one mean (or a constant conditional mean).

    >>> float(wsr(np.zeros(500)).round(4))
    0.0061
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    target, n = -np.log(delta), unit.shape[-1]
    stakes = np.minimum(1.0, np.sqrt(2 * target / (n * predictable_variance(unit))))
    offset, stakes = in_blocks(1.0 - stakes * unit, 1.0), in_blocks(stakes, 0.0)
    return upper * root_of_wealth(lambda m: offset + stakes * m, unit.shape[:-1], target)


def star(losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> Any:
    """Bets that aim at ``1/delta`` after exactly ``n`` losses, in the order given (Voracek and Orabona 2025).

    On gains ``y = 1 - x``, against ``m``: stake ``sqrt(2 (ln(1/delta) - ln W) / ((n - t) S_t))``, at most ``1/m``, with
    ``S_t = min(sum (y - m)**2 / t + m n / t**2, m (1 - m))`` and 1e-5 added to each denominator.  Stakes are >= 0, so
    wealth is a supermartingale for every true mean on the wrong side of the candidate; candidates on a fixed grid of
    10,000 are tested from the top, stopping at the first that stands, which needs no correction (fixed sequence).

    >>> float(star(np.zeros(500)).round(4))
    0.006
    """
    unit, delta = unit_losses(losses, upper), failure_probability(delta)
    rows = np.ascontiguousarray(1.0 - unit.reshape(-1, unit.shape[-1]))
    rejected = np.empty(len(rows), dtype=np.int64)
    star_rejections(rows, -np.log(delta), np.arange(1, STAR_GRID) / STAR_GRID, rejected)
    return upper * (1.0 - rejected.reshape(unit.shape[:-1]) / STAR_GRID)[()]


def predictable_variance(unit: np.ndarray) -> np.ndarray:
    """Variance estimate before each loss, ``(1/4 + sum (x - mean)**2) / (t + 1)``, with means that start at 1/2."""
    count = np.arange(1, unit.shape[-1] + 1)
    means = (0.5 + np.cumsum(unit, axis=-1)) / (count + 1)
    after = (0.25 + np.cumsum((unit - means) ** 2, axis=-1)) / (count + 1)
    before = np.empty_like(after)
    before[..., 0], before[..., 1:] = 0.25, after[..., :-1]
    return before


def in_blocks(values: np.ndarray, filler: float) -> np.ndarray:
    """``(..., n)`` as ``(..., blocks, 32)``, filled up at the end."""
    n = values.shape[-1]
    padded = np.full((*values.shape[:-1], -(-n // BLOCK) * BLOCK), filler)
    padded[..., :n] = values
    return padded.reshape(*values.shape[:-1], -1, BLOCK)


def root_of_wealth(factors: Callable[[np.ndarray], np.ndarray], shape: tuple[int, ...], target: float) -> Any:
    """The smallest ``m`` at which the running maximum of log wealth reaches ``target``; 1 where none does.

    ``factors(m)`` are the factors of the wealth, each increasing in ``m``, in blocks ``(..., n / 32, 32)``; ``m`` has
    the two axes to go with them.
    """
    return safe_root(lambda m: _peak(factors(m[..., None, None])) - target, np.zeros(shape), np.ones(shape))[()]


def _peak(factors: np.ndarray) -> np.ndarray:
    """``max_t sum_{u <= t} ln(factors_u)``, with one logarithm for every 32 factors."""
    np.multiply.accumulate(factors, axis=-1, out=factors)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.cumsum(np.log(factors[..., -1]), axis=-1)
        highest = np.log(factors.max(axis=-1))
    highest[..., 1:] += ends[..., :-1]
    return highest.max(axis=-1)
