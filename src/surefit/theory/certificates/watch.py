"""Layer theory: a promise that is watched: the moment at which a stream refutes what a certificate says.

In: what a certificate promises, then what happens on new rows, in order.  Out: whether the promise still stands, and a
sentence.  If it holds on these rows, the probability that it is ever called refuted is at most ``delta``; nothing else
is assumed of the stream than that every row, given those before it, keeps the promise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.page import wrapped
from surefit.theory.certificates.wording import at_most, percent, percent_at_most
from surefit.theory.means.alarms import Alarm
from surefit.theory.means.arguments import loss_array
from surefit.theory.means.running import RunningMean


@dataclass(eq=False)
class Watch:
    """A promise and the alarm that is set against it.

    ``kind``: ``"errors"`` (their share is at most ``promised``), ``"quantile"`` (at least ``coverage`` of all absolute
    errors stay within ``promised``) or ``"mean"`` (the mean loss is at most ``promised``).
    """

    statement: str
    kind: str
    promised: float
    coverage: float
    alarm: Alarm
    running: RunningMean

    def update(self, losses: Any) -> bool:
        """Take in errors (0 or 1), absolute errors or losses, as the certificate counts; whether it is refuted now."""
        values = np.atleast_1d(loss_array(losses))
        if self.kind == "quantile":
            if np.any(np.isnan(values)):
                raise ValueError("an error is missing; leave rows out whose targets have not come")
            values = (np.abs(values) > self.promised).astype(float)
        if len(values):
            self.running.update(values)
            self.alarm.update(values)
        return self.refuted

    @property
    def refuted(self) -> bool:
        """Whether the stream has refuted the promise."""
        return bool(self.alarm.alarms)

    @property
    def rows(self) -> int:
        """Rows seen."""
        return self.alarm.rows

    @property
    def refuted_at(self) -> int | None:
        """How many rows it took; None if the promise stands."""
        return self.alarm.alarms[0] + 1 if self.refuted else None

    def __str__(self) -> str:
        seen = f"{self.running.mean:.3g}" if self.kind == "mean" else percent(self.running.mean)
        promise = {
            "errors": f"at most {percent_at_most(self.promised)} errors",
            "quantile": f"at most {percent_at_most(1 - self.coverage)} of rows off by more than "
            f"{at_most(self.promised)}",
            "mean": f"a mean loss of at most {at_most(self.promised)}",
        }[self.kind]
        if self.rows == 0:
            text = f"Promised: {promise}. No row has come yet."
        elif self.refuted:
            text = (
                f"REFUTED: promised were {promise}. The alarm came at row {self.refuted_at:,}; observed by "
                f"now, after {self.rows:,} rows: {seen}. Had the promise held, such an alarm would ever occur with "
                f"at most {percent_at_most(self.alarm.delta)} chance, however long one watches. Whether it ever held, "
                "or something changed, is not shown: look for errors and changes in the new rows, then fit and certify "
                "again with recent ones."
            )
        else:
            text = (
                f"The promise stands: {promise}, observed so far {seen} in {self.rows:,} rows. No alarm does not prove "
                "the promise: a small breach takes many rows to show."
            )
        return "\n".join(wrapped(text))


def watch_of(statement: str, bound: float, inputs: Mapping[str, float], delta: float, vacuous: bool) -> Watch:
    """The watch over a certificate with these numbers; an error if it promises nothing."""
    if vacuous or not np.isfinite(bound):
        raise ValueError(
            "a vacuous certificate promises nothing that a stream could refute; certify on more rows first"
        )
    if "from_below" in inputs:
        raise ValueError(
            "this certificate promises that a share is at least so large, and a watch counts errors that are too many; "
            "watch the certificate of the error rate instead"
        )
    if "draws" in inputs:
        raise ValueError(
            "this certificate counts rows by groups or by weights, and a watch takes every row by itself; watch one "
            "that was made without them"
        )
    coverage = inputs.get("coverage")
    if coverage is not None:
        return Watch(statement, "quantile", bound, coverage, Alarm(1 - coverage, delta=delta), RunningMean())
    upper = float(inputs.get("upper", 1.0))
    kind = "mean" if "upper" in inputs and "errors" not in inputs else "errors"
    if bound >= upper:
        raise ValueError(f"no loss exceeds {upper:g}, so a bound of {bound:g} cannot be refuted; certify on more rows")
    if bound <= 0:
        raise ValueError("a bound of 0 is refuted by the first loss; look at it yourself")
    return Watch(statement, kind, bound, np.nan, Alarm(bound, delta=delta, upper=upper), RunningMean(upper))
