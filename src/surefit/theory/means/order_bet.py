"""Layer theory: the bet of `evidence_of_order`, one conformal p-value at a time.

In: p-values that are independent and uniform if rows are exchangeable.  Out: the capital now, an e-value, and the most
that it ever was.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefit.theory.means.exchangeability import ENOUGH, JUMPS, RICH, SLOPES

SHARES: tuple[float, ...] = tuple(JUMPS.ravel().tolist())


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

    def update(self, *p_values: float) -> None:
        """Take in the p-values of the next rows, in order."""
        for p in p_values:
            if not 0.0 <= p <= 1.0:
                raise ValueError(f"a p-value must lie between 0 and 1, got {p!r}; give conformal p-values")
        accounts, owned = self.capital.tolist(), self.evidence
        for p in p_values:
            self.n += 1
            if owned >= RICH:
                continue
            owned, gain = 0.0, p - 0.5
            for account, jump in zip(accounts, SHARES, strict=True):
                falls, rests, rises = account
                dealt = jump * (falls + rests + rises) / 3
                account[:] = (
                    ((1 - jump) * falls + dealt) * (1 - gain),
                    (1 - jump) * rests + dealt,
                    ((1 - jump) * rises + dealt) * (1 + gain),
                )
                owned += sum(account)
            self.highest = max(self.highest, owned)
        self.capital = np.array(accounts)

    @property
    def evidence(self) -> float:
        """The e-value now."""
        return float(self.capital.sum())

    @property
    def found(self) -> bool:
        """Whether there is evidence against exchangeability; wrongly with probability at most 1 / 100."""
        return self.highest >= ENOUGH
