"""Layer theory: the records of a guarantee: `Certificate` and the `Assumption` it stands on.

In: the numbers of a bound.  Out: one sentence that a non-specialist can repeat, what it assumes, and whether it says
anything; as text, as a card in a notebook, as JSON and back.  Cross-validation and leave-one-out errors are estimates:
nothing here turns them into certificates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from html import escape
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from surefit.page import frame, wrapped

if TYPE_CHECKING:
    from surefit.theory.certificates.watch import Watch

COLOURS = {"informative": "#2e7d32", "not certified to beat a constant": "#b26a00", "vacuous": "#757575"}


class Standing(Enum):
    """How far an assumption can be trusted; the value is the word a user reads."""

    CHECKED = "checked"
    TESTED = "tested"
    DECLARED = "declared"
    UNVERIFIABLE = "unverifiable"
    VIOLATED = "violated"


class Verdict(Enum):
    """Whether a certificate says anything; the value is what a user reads.

    ``INFORMATIVE``: the model is certified to do better than a constant answer.  ``NO_BETTER``: it is not, or there was
    nothing to compare it with; more rows may tell.
    """

    INFORMATIVE = "informative"
    NO_BETTER = "not certified to beat a constant"
    VACUOUS = "vacuous"


MEANT = {
    Verdict.INFORMATIVE: "certified to beat a constant",
    Verdict.NO_BETTER: "it may or may not: these rows do not show it",
    Verdict.VACUOUS: "it promises nothing",
}
"""What verdicts mean."""
NOT_COMPARED = "no constant was compared with it"
"""What the verdict in between means where there was none to compare with."""
OTHERS_PROMISE = "only the first sentence; each line marked + is a promise"
"""What a vacuous verdict means where other sentences promise something."""
ON_CONDITION = "it promises nothing, unless you know that the condition of the last line marked + is true"
"""What a vacuous verdict means where another sentence promises something on a condition."""
CONDITION = "If "
"""How a further sentence begins that holds on a condition."""
STANDS_ON = "It stands on (if one of these fails, nothing is promised):"


class Remains(Enum):
    """What the further sentences of a certificate promise."""

    NOTHING = "nothing"
    ON_CONDITION = "on a condition"
    PROMISES = "something"


@dataclass(frozen=True)
class Assumption:
    """Something a certificate needs: ``text``, its `Standing`, and the ``evidence`` for it.

    >>> print(Assumption("rows are independent", Standing.UNVERIFIABLE))
    unverifiable: rows are independent
    """

    text: str
    standing: Standing
    evidence: str = ""

    def __str__(self) -> str:
        return f"{self.standing.value}: {self.text}" + (f" ({self.evidence})" if self.evidence else "")


@dataclass(frozen=True)
class Certificate:
    """A bound on the risk of one model that fails with probability at most ``delta``.

    Attributes
    ----------
    statement : the one sentence.  bound : what it bounds the risk by, in the units of the loss.
    empirical : what was measured.  delta : probability of failure, over the draw of the held-out rows.
    method : name of the bound.  assumptions : what it stands on.  status : whether it says anything.
    inputs : every number that went in.  reference : theorem and paper.
    further : other statements about the same model, each with its own ``delta``; where they say "for all
        together", all of them hold together with the confidence of the first.

    >>> one = Certificate("It errs on at most 9 %.", 0.09, 0.05, 0.05, "clopper-pearson", (), Verdict.INFORMATIVE)
    >>> Certificate.from_json(one.to_json()) == one
    True
    """

    statement: str
    bound: float
    empirical: float
    delta: float
    method: str
    assumptions: tuple[Assumption, ...]
    status: Verdict
    inputs: Mapping[str, float] = field(default_factory=dict)
    reference: str = ""
    further: tuple[Certificate, ...] = ()

    @property
    def vacuous(self) -> bool:
        """True if the bound is no better than the largest loss possible."""
        return self.status is Verdict.VACUOUS

    def watch(self, losses: Any = None, *, delta: float = 0.05) -> Watch:
        """Hold this promise against what happens: errors (0 or 1), absolute errors or losses on new rows, in order.

        Returns a `Watch`, whose ``update`` takes more of them.  The moment the stream refutes the promise it says so,
        and the probability that it ever does while the promise holds is at most ``delta``.

        >>> one = Certificate("It errs on at most 9 %.", 0.09, 0.05, 0.05, "clopper-pearson", (), Verdict.INFORMATIVE)
        >>> watch = one.watch([0, 1, 0, 0] * 10)
        >>> watch.refuted, one.watch([0] * 19 + [1]).refuted
        (True, False)
        """
        from surefit.theory.certificates.watch import watch_of  # what it needs is slow to import

        found = watch_of(self.statement, self.bound, self.inputs, delta, self.vacuous)
        if losses is not None:
            found.update(losses)
        return found

    @property
    def remains(self) -> Remains:
        """What further sentences promise if the first promises nothing; nothing if an assumption is violated."""
        if any(one.standing is Standing.VIOLATED for one in self.assumptions):
            return Remains.NOTHING
        promises = [other.statement for other in self.further if other._promises]
        if not promises:
            return Remains.NOTHING
        return Remains.ON_CONDITION if all(one.startswith(CONDITION) for one in promises) else Remains.PROMISES

    @property
    def _promises(self) -> bool:
        """Whether this sentence promises something: a comparison only if it was won, all others unless vacuous."""
        return self.status is Verdict.INFORMATIVE or (not self.vacuous and 0 < self.bound < float("inf"))

    @property
    def _meant(self) -> str:
        """What the status means, and which other sentences count."""
        if self.vacuous:
            return {Remains.PROMISES: OTHERS_PROMISE, Remains.ON_CONDITION: ON_CONDITION}.get(
                self.remains, MEANT[Verdict.VACUOUS]
            )
        alone = self.status is Verdict.NO_BETTER and not self.further and "constant" not in self.inputs
        return NOT_COMPARED if alone else MEANT[self.status]

    def to_json(self) -> str:
        """Everything as JSON text; infinite numbers are written as strings."""
        return json.dumps(_plain(asdict(self)), allow_nan=False, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """The certificate that `to_json` wrote."""
        try:
            return _restored(json.loads(text))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this text is not a certificate ({error!r}); give what to_json wrote") from error

    def to_frame(self) -> Any:
        """One row for this statement and for each further one, as a pandas DataFrame."""
        every = (self, *self.further)
        columns = {name: [getattr(one, name) for one in every] for name in ("bound", "empirical", "delta", "method")}
        words = {"status": [one.status.value for one in every], "statement": [one.statement for one in every]}
        return frame({**columns, **words}, range(len(every)), "statement_number")

    def __str__(self) -> str:
        status = f"Status: {self.status.value} ({self._meant}).  Method: {self.method}."
        lines = [*wrapped(self.statement), *wrapped(status)]
        lines += [line for other in self.further for line in wrapped(other.statement, "+ ")]
        lines += [STANDS_ON] if self.assumptions else []
        lines += [line for assumption in self.assumptions for line in wrapped(str(assumption), "* ")]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        colour = COLOURS[self.status.value]
        further = "".join(f"<p style='margin:4px 0'>+ {escape(other.statement)}</p>" for other in self.further)
        needed = "".join(
            f"<li><b>{one.standing.value}</b>: {escape(one.text)}"
            + (f" <i>({escape(one.evidence)})</i>" if one.evidence else "")
            + "</li>"
            for one in self.assumptions
        )
        return (
            f"<div style='border-left:6px solid {colour};padding:6px 14px;max-width:46em'>"
            f"<p style='margin:4px 0;font-size:115%'>{escape(self.statement)}</p>"
            f"<p style='margin:4px 0'><b style='color:{colour}'>{self.status.value}</b> ({self._meant}) &middot; "
            f"{escape(self.method)}</p>{further}"
            f"<ul style='margin:6px 0'>{needed}</ul><small>{escape(self.reference)}</small></div>"
        )


def _plain(value: Any) -> Any:
    """Enumerations as their words, numbers of any kind as Python's own, infinities as strings, all else as it is."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Real) and not isinstance(value, bool):
        value = int(value) if isinstance(value, Integral) else float(value)
    return str(value) if value in (float("inf"), -float("inf")) else value


def _restored(record: dict[str, Any]) -> Certificate:
    numbers = {name: float(record[name]) for name in ("bound", "empirical", "delta")}
    assumptions = tuple(
        Assumption(one["text"], Standing(one["standing"]), one["evidence"]) for one in record["assumptions"]
    )
    inputs = {name: float(value) for name, value in record["inputs"].items()}
    further = tuple(_restored(other) for other in record["further"])
    rebuilt = {"assumptions": assumptions, "inputs": inputs, "further": further, "status": Verdict(record["status"])}
    return Certificate(**{**record, **numbers, **rebuilt})
