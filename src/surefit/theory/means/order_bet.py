"""Layer theory: the bet of `evidence_of_order`, one conformal p-value at a time.

In: p-values that are independent and uniform if rows are exchangeable.  Out: the capital now, an e-value, and the most
that it ever was.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefit.theory.means.exchangeability import ENOUGH, JUMPS, RICH, SLOPES


@dataclass(eq=False)
class OrderBet:
    """The capital of a bettor who started with one coin; stops when rich, as a martingale may.

    >>> bet = OrderBet()
    >>> for _ in range(60):
    ...     bet.update(0.01)
    >>> bet.found
    True
    """

    capital: np.ndarray = field(
        default_factory=lambda: np.full((len(JUMPS), len(SLOPES)), 1.0 / (len(JUMPS) * len(SLOPES)))
    )
    highest: float = 1.0
    n: int = 0

    def update(self, p: float) -> None:
        """Take in the p-value of the next row."""
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"a p-value must lie between 0 and 1, got {p!r}; give conformal p-values")
        self.n += 1
        if self.evidence >= RICH:
            return
        self.capital = self.capital + JUMPS * (self.capital.mean(axis=1, keepdims=True) - self.capital)
        self.capital = self.capital * (1.0 + SLOPES * (p - 0.5))
        self.highest = max(self.highest, self.evidence)

    @property
    def evidence(self) -> float:
        """The e-value now."""
        return float(self.capital.sum())

    @property
    def found(self) -> bool:
        """Whether there is evidence against exchangeability; wrongly with probability at most 1 / 100."""
        return self.highest >= ENOUGH
