"""Layer theory: alarms: a stream of losses refutes, while it runs, that their mean is at most a level.

In: a level, then losses in ``[0, upper]`` in the order in which they come, in any blocks.  Out: the rows at which the
alarm went off.  What is refuted is that every loss, given the past, has a mean of at most ``level``; nothing more is
assumed.

Bets on large losses multiply money by ``1 + stake (x - level)``, which gains nothing on average while the mean is at
most ``level``.  ``"ever"``: one unit of money in all, half of it from the first row on and the rest entering row by
row, so that late changes are met too; the probability that it ever becomes ``1 / delta`` is at most ``delta`` (Ville).
``"run-length"``: a unit enters with every row, so that all wealth is ``t`` on average after ``t`` rows; alarms at
``run_length`` come after at least ``run_length`` rows on average (Shin, Ramdas and Rinaldo 2024), and betting starts
again after each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.compiled.door import bet_until
from surefit.parameters import number, positive
from surefit.theory.means.arguments import failure_probability, largest_loss, unit_losses

MODES = ("ever", "run-length")
ODDS = np.geomspace(1.3, 4.0, 8)
"""How many times the odds of the level the odds of an error are that eight of the bets are best against."""
BOLD = np.array([0.5, 0.9])
"""Stakes of the other two, as shares of the largest stake that is never ruined: for losses that vary little."""
SHARES = np.append(np.full(8, 0.9 / 8), [0.05, 0.05])
AT_ONCE = 0.5
"""Share of the money that bets from the first row on, of an alarm that may never be false."""


@dataclass(eq=False)
class Alarm:
    """An alarm against a level that the mean loss may not exceed.

    ``mode="ever"``: the probability of any false alarm is at most ``delta``.  ``mode="run-length"``: false alarms come
    after at least ``run_length`` rows on average, and it starts again after each.  ``rows`` and ``alarms`` (row
    numbers, the first row being 0) say what was seen; ``evidence`` is 1 or more at an alarm.

    >>> alarm = Alarm(0.1)
    >>> alarm.update(np.tile([1.0, 0.0, 0.0], 30)), alarm.rows
    ([18], 90)
    """

    level: float
    mode: str = "ever"
    delta: float = 0.05
    run_length: float = 1e5
    upper: float = 1.0
    wealth: np.ndarray = field(default_factory=lambda: np.zeros(len(SHARES)))
    cash: float = 1.0
    evidence: float = 0.0
    rows: int = 0
    since: int = 0
    alarms: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"mode must be 'ever' or 'run-length', got {self.mode!r}; see what each promises")
        largest_loss(self.upper)
        self.level = number("level", self.level, "it is the mean loss that may not be exceeded")
        if not 0 < self.level < self.upper:
            raise ValueError(
                f"level must lie between 0 and the largest loss {self.upper:g}, got {self.level!r}; a level at an end "
                "is refuted by one loss, or by none"
            )
        failure_probability(self.delta)
        if positive("run_length", self.run_length, "the mean number of rows to a false alarm") < 2:
            raise ValueError(f"run_length must be at least 2 rows, got {self.run_length!r}; 1e5 is the default")

    @property
    def threshold(self) -> float:
        """The wealth at which it goes off."""
        return 1 / self.delta if self.mode == "ever" else self.run_length

    def update(self, losses: Any) -> list[int]:
        """Take in losses, in order; the rows at which the alarm went off among them.

        After an alarm that may never be false it stays silent: it has said what it can.
        """
        unit = np.ascontiguousarray(np.atleast_1d(unit_losses(losses, self.upper)), dtype=np.float64)
        level, new = self.level / self.upper, []
        while len(unit) and not (self.mode == "ever" and self.alarms):
            at, cash, total = bet_until(
                unit, self._entering(len(unit)), level, self._stakes(level), SHARES, self.wealth,
                (self.cash if self.mode == "ever" else -1.0, self.threshold),
            )  # fmt: skip
            self.cash, self.evidence = max(cash, 0.0), total / self.threshold
            taken = min(at + 1, len(unit))
            self.rows, self.since, unit = self.rows + taken, self.since + taken, unit[taken:]
            if at < taken:
                new.append(self.rows - 1)
                self.alarms.append(self.rows - 1)
                if self.mode == "run-length":
                    self.wealth[:] = 0.0
                    self.since = 0
        self.rows += len(unit)
        return new

    def _entering(self, n: int) -> np.ndarray:
        """The money that enters with each of the next rows."""
        if self.mode == "run-length":
            return np.ones(n)
        t = np.arange(self.since, self.since + n + 1, dtype=float)
        left = (1 - AT_ONCE) / (1 + np.log1p(t))
        entering = left[:-1] - left[1:]
        if self.since == 0:
            entering[0] += AT_ONCE
        return entering

    def _stakes(self, level: float) -> np.ndarray:
        odds = ODDS * level / (1 - level)
        against = odds / (1 + odds)
        return np.append((against - level) / (level * (1 - level)), BOLD / level)
