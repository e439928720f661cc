"""Layer theory: what a stream is told while it runs, as a record and as a line of a table.

In: numbers.  Out: `StreamReport`; each of its numbers says what it is about: losses are estimates, the risk bound is
about the models used so far, regret about the best fixed weights in hindsight.
"""

from __future__ import annotations

from dataclasses import dataclass

from surefit.page import number, wrapped
from surefit.theory.certificates.wording import at_most

HEAD = f"{'rows':>12} {'average loss':>13} {'since last':>12} {'best constant':>14} {'bound':>10} {'alarms':>7}"
"""The head of the progress table: ``bound`` is on the mean risk of the models used so far."""


@dataclass(frozen=True)
class StreamReport:
    """A stream so far.

    ``mean_loss``: of all predictions before their labels were seen (an estimate); ``since_last``: of those since the
    last report; ``window_loss``: of the last ``window``; ``best_constant``: mean loss of the best constant in
    hindsight.  ``risk_bound``: with confidence ``1 - delta`` the mean risk of the models used so far is below it, at
    every moment at once.  None where a number does not exist.
    """

    rows: int
    mean_loss: float
    since_last: float
    window: int
    window_loss: float
    best_constant: float | None
    risk_bound: float | None
    delta: float
    alarms: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def line(self) -> str:
        """One line of the progress table."""
        best, bound = (_shown(value) for value in (self.best_constant, self.risk_bound))
        losses = f"{number(self.mean_loss):>13} {number(self.since_last):>12}"
        return f"{self.rows:>12,} {losses} {best:>14} {bound:>10} {len(self.alarms):>7}"

    def __str__(self) -> str:
        if self.rows == 0:
            return "No row has come yet."
        text = [
            f"{self.rows:,} rows. Mean loss {number(self.mean_loss)} (an estimate), {number(self.window_loss)} over "
            f"the last {self.window:,}; the best constant in hindsight has {_shown(self.best_constant)}."
        ]
        if self.risk_bound is not None:
            text.append(
                f"The mean risk of the models used so far is at most {at_most(self.risk_bound)} "
                f"(confidence {100 * (1 - self.delta):g} %, at every moment at once)."
            )
        if self.alarms:
            text.append(f"Alarms at rows {', '.join(f'{row:,}' for row in self.alarms[-5:])}.")
        return "\n".join(line for part in (*text, *self.notes) for line in wrapped(part))


def _shown(value: float | None) -> str:
    return "-" if value is None else number(value)
