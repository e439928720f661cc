"""Layer compiled: the compiled betting loop in plain Python: its specification, its test, its replacement."""

import math

import numpy as np

ROOM = 1e-5  # added to denominators, so that the first bet and the ends of the grid are finite


def star_rejections(gains: np.ndarray, target: float, candidates: np.ndarray, rejected: np.ndarray) -> None:
    """For each row of ``gains`` (R, n), how many of the ``candidates`` for its mean fall in turn.

    A candidate falls when log wealth reaches ``target``; the count stops at the first that stands.
    """
    for row, y in enumerate(gains.tolist()):
        standing = (j for j, m in enumerate(candidates.tolist()) if not _falls(y, m, target))
        rejected[row] = next(standing, len(candidates))


def bet_until(
    losses: np.ndarray,
    entering: np.ndarray,
    level: float,
    stakes: np.ndarray,
    shares: np.ndarray,
    wealth: np.ndarray,
    cash_and_threshold: tuple[float, float],
) -> tuple[int, float, float]:
    """Bets of several stakes that the mean of ``losses`` is above ``level``, updated in place in ``wealth``.

    ``wealth_k <- (wealth_k + entering_t shares_k) (1 + stakes_k (x_t - level))``; what enters is taken from the cash,
    unless that is negative: then it comes from outside.  Returns the first loss after which wealth and cash together
    reach the threshold (their number if none does), the cash, and the total.
    """
    cash, threshold = cash_and_threshold
    total = 0.0
    for t, (x, new) in enumerate(zip(losses.tolist(), entering.tolist(), strict=True)):
        if cash >= 0.0:
            cash = max(cash - new, 0.0)
        wealth[:] = (wealth + new * shares) * (1.0 + stakes * (x - level))
        total = max(cash, 0.0)
        for one in wealth.tolist():
            total += one
        if total >= threshold:
            return t, cash, total
    return len(losses), cash, total


def _falls(gains: list[float], m: float, target: float) -> bool:
    n, log_wealth, squares = len(gains), 0.0, 0.0
    for t, y in enumerate(gains):
        seen = t + ROOM
        spread = min(squares / seen + m * n / (seen * seen), m * (1.0 - m)) + ROOM
        stake = min(math.sqrt(2.0 * (target - log_wealth) / ((n - t) * spread)), 1.0 / (m + ROOM))
        log_wealth += math.log1p(stake * (y - m))
        if log_wealth >= target:
            return True
        squares += (y - m) * (y - m)
    return False
