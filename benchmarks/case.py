"""What is claimed: a case names a problem, who solves it, how answers are judged and which targets count.

``run_case(case)`` gives an :class:`Outcome`.  Speed is only ever claimed at equal optimality: if our own answer misses
the case's tolerance, no speed target of the case is met.  A peer that stopped early keeps its time, to its advantage,
and is marked in the table; one that was stopped by the limit of the case would have needed longer than the time shown.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from benchmarks.measure import NOT_INSTALLED, Contender, InProcess, Timing, interleaved, versions_of
from benchmarks.own_process import OwnProcess
from benchmarks.peers import find_peer
from benchmarks.problems import Answer, Problem, make_problem

# Facts about each contender's answer; "error" is the one that is held against the case's tolerance.
Quality = Callable[[Problem, Mapping[str, Answer]], dict[str, dict[str, float]]]


@dataclass(frozen=True)
class Record:
    """One contender in one case."""

    name: str
    convention: str
    versions: Mapping[str, str]
    timing: Timing
    quality: Mapping[str, float]
    peak_bytes: int | None


@dataclass(frozen=True)
class Outcome:
    """Everything that was measured for one case; the first contender is ours."""

    case: "Case"
    problem: str
    records: Mapping[str, Record]
    absent: Mapping[str, str]  # contenders whose package is not installed, and its name

    @property
    def ours(self) -> Record:
        return self.records[self.case.contenders[0]]

    def solved(self, contender: str) -> bool:
        """Whether the answer is as good as the case asks; a yardstick has nothing to miss."""
        return self.records[contender].quality.get("error", 0.0) <= self.case.tolerance

    def ratio(self, contender: str) -> float:
        """Best time of theirs over best time of ours: above 1 we are faster."""
        return self.records[contender].timing.best / self.ours.timing.best


@dataclass(frozen=True)
class Target:
    """A number of the outcome and the side of ``bound`` on which it must fall."""

    text: str
    measured: Callable[[Outcome], float]
    bound: float
    at_least: bool
    contender: str | None = None  # whom it compares with, if anybody

    def value(self, outcome: Outcome) -> float | None:
        """The measured number; None if the contender was absent."""
        return None if self.contender in outcome.absent else self.measured(outcome)

    def met(self, outcome: Outcome) -> bool | None:
        """None when it could not be measured; False whenever our answer misses the tolerance."""
        value = self.value(outcome)
        if value is None:
            return None
        reached = value >= self.bound if self.at_least else value <= self.bound
        return bool(reached and outcome.solved(outcome.case.contenders[0]))


def times_faster(contender: str, at_least: float) -> Target:
    """Their time over ours is at least so much."""
    return Target(f"{contender} / ours", lambda outcome: outcome.ratio(contender), at_least, True, contender)


def share_of_time(contender: str, at_most: float) -> Target:
    """Our time over theirs is at most so much."""
    return Target(f"ours / {contender}", lambda outcome: 1 / outcome.ratio(contender), at_most, False, contender)


def their_quality(fact: str, contender: str, at_most: float) -> Target:
    """A fact about their answer, such as its difference from ours, is at most so much."""
    return Target(
        f"{fact} of {contender}", lambda outcome: outcome.records[contender].quality[fact], at_most, False, contender
    )


def peak_megabytes(at_most: float) -> Target:
    """Our run held at most so much memory beyond the problem; the case must measure memory."""
    return Target("our peak memory, MB", lambda outcome: (outcome.ours.peak_bytes or 0) / 1e6, at_most, False)


def no_quality(problem: Problem, answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """For tasks without an answer, such as an import."""
    return {who: {} for who in answers}


@dataclass(frozen=True)
class Case:
    """One comparison."""

    name: str
    title: str
    problem: str
    quick_problem: str
    contenders: tuple[str, ...]  # "file:task", ours first
    quality: Quality = no_quality
    targets: tuple[Target, ...] = field(default=())
    repeats: int = 5
    tolerance: float = 1e-9  # on the "error" of an answer
    patience: float = math.inf  # seconds: whoever needs longer is run once or twice
    in_a_row: int = 1  # runs at every turn of those that need less than a second
    limit: float | None = None  # seconds after which a run in a process of its own is stopped
    measures_memory: bool = False


def run_case(case: Case, quick: bool = False) -> Outcome:
    """Time everybody interleaved, then look at memory and at the quality of the answers."""
    small = make_problem(case.quick_problem)
    problem = small if quick else make_problem(case.problem)
    with ExitStack() as stack:
        contenders, absent = _present(case, (problem, small), stack, quick)
        timings = interleaved(contenders, 1 if quick else case.repeats, case.patience, case.in_a_row)
        answers = {one.contender: one.answer() for one in contenders if not timings[one.contender].stopped}
        peaks = {one.contender: one.peak_bytes() if case.measures_memory else None for one in contenders}
    quality = case.quality(problem, answers)
    records = {
        one.contender: Record(
            one.name,
            one.convention,
            one.versions,
            timings[one.contender],
            {"error": math.inf} if timings[one.contender].stopped else quality.get(one.contender, {}),
            peaks[one.contender],
        )
        for one in contenders
    }
    return Outcome(case, problem.name, records, absent)


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain numbers and strings."""
    rows = {
        who: {
            "name": record.name,
            "convention": record.convention,
            "versions": dict(record.versions),
            "seconds": list(record.timing.seconds),
            "best": record.timing.best,
            "median": record.timing.median,
            "theirs_over_ours": outcome.ratio(who),
            "quality": dict(record.quality),
            "solved": outcome.solved(who),
            "peak_bytes": record.peak_bytes,
        }
        for who, record in outcome.records.items()
    }
    targets = [
        {
            "text": target.text,
            "measured": target.value(outcome),
            "bound": target.bound,
            "at_least": target.at_least,
            "met": target.met(outcome),
        }
        for target in outcome.case.targets
    ]
    return {
        "case": outcome.case.name,
        "title": outcome.case.title,
        "problem": outcome.problem,
        "tolerance": outcome.case.tolerance,
        "contenders": rows,
        "absent": dict(outcome.absent),
        "targets": targets,
    }


def _present(
    case: Case, problems: tuple[Problem, Problem], stack: ExitStack, quick: bool
) -> tuple[list[Contender], dict[str, str]]:
    """The contenders that are installed, ready to run, and those that are not.  Ours must be."""
    present: list[Contender] = []
    absent: dict[str, str] = {}
    for contender in case.contenders:
        try:
            one = enter(contender, *problems, case.limit, here=quick)
        except ModuleNotFoundError as error:
            missing = error.name or "?"
            if contender == case.contenders[0] or missing.startswith("benchmarks"):
                raise  # a misspelt peer, or nothing of ours to measure, is a mistake and not an absence
            absent[contender] = missing
        else:
            stack.callback(one.close)
            present.append(one)
    return present, absent


def enter(
    contender: str, problem: Problem, small: Problem | None = None, limit: float | None = None, here: bool = False
) -> Contender:
    """The contender warm and ready, in a process of its own if its file declares that, unless it is to be ``here``.

    ``here`` is for tiny problems: starting a process takes longer, and nobody looks at the seconds.
    """
    peer, _ = find_peer(contender)
    if hasattr(peer, "missing") and (what := peer.missing()):
        raise ModuleNotFoundError(f"{contender} needs {what}; install it", name=what)
    if getattr(peer, "own_process", False) and (not here or hasattr(peer, "interpreter")):
        return OwnProcess(contender, problem, small, limit)
    if missing := [package for package, number in versions_of(peer.packages).items() if number == NOT_INSTALLED]:
        raise ModuleNotFoundError(f"{contender} needs {missing[0]}; install it", name=missing[0])
    return InProcess(contender, problem, None if here else small)
