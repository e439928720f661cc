"""Layer theory: the mean of losses while they come, and bounds that hold at every moment.

In: losses in ``[0, upper]``, in order, in any blocks.  Out: their mean, and upper bounds valid at all times at once.
Three numbers are kept, however long the stream.

Which bound is about what: while a model learns, loss ``t`` belongs to the model before row ``t``, so that
`mean_risk_bound` is about the *mean risk of the models used so far*; for a model that no longer changes,
`risk_bound` is about *its* risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.theory.means.arguments import failure_probability, largest_loss, unit_losses
from surefit.theory.means.sequences import bernoulli_root, bernstein_root, kl_root

METHODS = ("kl", "bernstein")


@dataclass(eq=False)
class RunningMean:
    """Number, sum and spread of the losses so far; sums in the order of the losses, so that blocks change nothing.

    >>> running = RunningMean()
    >>> running.update(np.repeat([1.0, 0.0], [50, 450]))
    >>> running.mean, round(running.mean_risk_bound(0.05), 4)
    (0.1, 0.1473)
    """

    upper: float = 1.0
    n: int = 0
    total: float = 0.0
    spread: float = 0.0

    def __post_init__(self) -> None:
        largest_loss(self.upper)

    def update(self, losses: Any) -> None:
        """Take in losses, in order."""
        unit = np.atleast_1d(unit_losses(losses, self.upper))
        sums = np.cumsum(np.append(self.total, unit))
        past = (0.5 + sums[:-1]) / np.arange(self.n + 1, self.n + len(unit) + 1)
        self.spread = float(np.cumsum(np.append(self.spread, (unit - past) ** 2))[-1])
        self.total, self.n = float(sums[-1]), self.n + len(unit)

    @property
    def mean(self) -> float:
        """The mean loss: an estimate."""
        return self.upper * self.total / self.n if self.n else np.nan

    def mean_risk_bound(self, delta: float = 0.05, method: str = "kl") -> float:
        """The mean risk of the models used so far is below this at all times, with probability ``1 - delta``.

        ``method``: ``"kl"`` (`martingale_kl`, for small losses) or ``"bernstein"`` (`martingale_bernstein`, for losses
        that vary little).  Choose before the stream starts.
        """
        delta = failure_probability(delta)
        if method not in METHODS:
            raise ValueError(f"method must be 'kl' or 'bernstein', got {method!r}; choose before the losses are seen")
        if self.n == 0:
            return self.upper
        if method == "kl":
            return float(self.upper * kl_root(self.total, self.n, delta))
        return float(self.upper * bernstein_root(self.total / self.n, self.spread, self.n, delta))

    def risk_bound(self, delta: float = 0.05) -> float:
        """The risk of one model that does not change is below this at all times (`bernoulli_sequence`)."""
        delta = failure_probability(delta)
        return float(self.upper * bernoulli_root(self.total, self.n, delta)) if self.n else self.upper
