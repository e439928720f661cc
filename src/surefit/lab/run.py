"""Layer lab: experiments repeated from seeds until a claim is decided, one claim or all of them on several processes.

In: claims.  Out: an `Outcome` each: the verdict, what was observed, and every repeat that raised an error, with its
number, so that `replay` can run it again.  Every call of ``draw`` gives one repeat or several, and has a generator of
its own, made from the seed, the claim's id and the number of the call: repeats do not depend on what ran before them or
on the number of processes.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from surefit.lab.claim import Claim, Sabotage, Verdict
from surefit.lab.claims import every_claim, named
from surefit.lab.verdict import Judgement, judge, judge_infinite
from surefit.parameters import non_negative, whole
from surefit.progress import Task, working

LOOK = 1.25
"""The verdict is looked at whenever the number of calls has grown by this factor."""
SECONDS = 30.0
"""Processor time for one claim; what is not decided then is *undecided*."""


@dataclass(frozen=True)
class Outcome:
    """What a claim came to."""

    id: str
    judgement: Judgement
    ratios: np.ndarray
    """Observed divided by predicted, or ranks, of all repeats; observed numbers if an infinite mean is predicted."""
    settings: Mapping[str, Any]
    seed: int
    seconds: float
    sabotage: Sabotage | None = None
    errors: tuple[tuple[int, str], ...] = ()
    """The repeats that raised, and what they said."""
    broken: tuple[str, ...] = field(default=())
    """Assumptions that these settings break."""

    @property
    def verdict(self) -> Verdict:
        """That of the repeats; where one of them raised, a claim that is not refuted is undecided."""
        return self.judgement.verdict


def run(
    claim: Claim | str,
    *,
    seed: int = 0,
    sabotage: Sabotage | None = None,
    seconds: float = SECONDS,
    repeats: int | None = None,
    **settings: Any,
) -> Outcome:
    """Repeat one claim until it is decided, or ``repeats`` or ``seconds`` are used up.

    >>> outcome = run("T-11", seed=1)
    >>> outcome.verdict
    <Verdict.HOLDS: 'holds'>
    >>> run("T-11", repeats=60).judgement.repeats
    60
    """
    if not (sabotage is None or isinstance(sabotage, Sabotage)):
        known = " or ".join(map(str, Sabotage))
        raise TypeError(f"sabotage must be {known}, got {sabotage!r}; without it the claim is tried as it stands")
    claim = named(claim) if isinstance(claim, str) else claim
    if repeats is not None:
        repeats = whole("repeats", repeats, "leave it out to repeat until the claim is decided")
    trial = _Trial(claim, settings_of(claim, settings), _checked(seed), sabotage, repeats)
    begun = time.monotonic()
    with working(f"trying {claim.id}"):
        judgement = trial.judged(seconds)
    ratios = np.concatenate(trial.found) if trial.found else np.empty(0)
    took, broken = time.monotonic() - begun, claim.broken(trial.settings)
    return Outcome(claim.id, judgement, ratios, trial.settings, trial.seed, took, sabotage, tuple(trial.errors), broken)


@dataclass
class _Trial:
    """A claim that is being repeated."""

    claim: Claim
    settings: Mapping[str, Any]
    seed: int
    sabotage: Sabotage | None
    repeats: int | None
    found: list[np.ndarray] = field(default_factory=list)
    made: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list)

    def judged(self, seconds: float) -> Judgement:
        """Repeat until the claim is decided or something ends it; the verdict says what did."""
        begun, look, most = time.process_time(), 8.0, self.repeats or self.claim.draws
        tell = Task(f"trying {self.claim.id}", most)
        judgement = Judgement(Verdict.UNDECIDED, -np.inf, np.inf, np.inf, 0)
        for call in range(most):
            if not self._drawn(call):
                repeat, said = self.errors[-1]
                return _undecided(judgement, f"repeat {repeat} raised {said}")
            tell(call + 1, 0.0)
            late, last = time.process_time() - begun > seconds, self._complete(call + 1)
            if call + 1 >= look or late or last:
                look = (call + 1) * LOOK
                judgement = self._looked(finished=last and call + 1 >= self.claim.draws)
                if judgement.verdict is not Verdict.UNDECIDED:
                    return judgement
                if last:
                    break
                if late:
                    return _undecided(judgement, f"its {seconds:g} s are used up, and {judgement.reason}")
        return judgement

    def _drawn(self, call: int) -> bool:
        """Whether a call of ``draw`` gave repeats, and not an error."""
        try:
            new = self.claim.experiment(_generator(self.claim, self.seed, call), self.sabotage, self.settings)
        except Exception as error:
            self.errors.append((self.made, f"{type(error).__name__}: {error}"))
            return False
        self.found.append(new if self.repeats is None else new[: self.repeats - self.made])
        self.made += len(self.found[-1])
        return True

    def _complete(self, calls: int) -> bool:
        return calls >= self.claim.draws if self.repeats is None else self.made >= self.repeats

    def _looked(self, finished: bool) -> Judgement:
        ratios, claim = np.concatenate(self.found), self.claim
        if claim.infinite(self.settings):
            return judge_infinite(ratios)
        known = {"variance": claim.spread(self.settings), "largest": claim.largest}
        return judge(claim.kind, ratios, claim.tolerance, finished, **known)


def _undecided(judgement: Judgement, reason: str) -> Judgement:
    return replace(judgement, verdict=Verdict.UNDECIDED, reason=reason)


def replay(claim: Claim | str, repeat: int, *, seed: int = 0, **settings: Any) -> float:
    """What one repeat gave: observed divided by predicted, or a rank; an error is raised as it was.

    >>> bool(replay("T-11", 70, seed=1) == run("T-11", seed=1).ratios[70])
    True
    """
    claim = named(claim) if isinstance(claim, str) else claim
    repeat = whole("repeat", repeat, "repeats are numbered from 0", least=0)
    chosen, seed = settings_of(claim, settings), _checked(seed)
    again = lambda call: claim.experiment(_generator(claim, seed, call), None, chosen)
    first = again(0)  # all calls give as many repeats as this one
    call, place = divmod(repeat, len(first))
    return float((again(call) if call else first)[place])


def run_all(
    ids: Sequence[str] | None = None,
    *,
    seed: int = 0,
    sabotage: Sabotage | None = None,
    workers: int = 2,
    repeats: int | None = None,
) -> Iterator[Outcome]:
    """All claims, or those named, as they are done; on ``workers`` processes if there are several."""
    names = [claim.id for claim in every_claim()] if ids is None else [named(name).id for name in ids]
    workers = min(whole("workers", workers, "take 1 for a single process"), max(len(names), 1))
    one = partial(run, seed=_checked(seed), sabotage=sabotage, repeats=repeats)
    if workers == 1:
        yield from map(one, names)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        done = as_completed([pool.submit(one, name) for name in names])
        try:
            for k in range(len(names)):
                with working("trying claims"):
                    tell = Task("trying claims", len(names), "claim")
                    tell(k, 0.0)
                    outcome = next(done).result()
                yield outcome
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def settings_of(claim: Claim, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a claim with some of them changed: sizes are whole, constants not negative, other names refused.

    >>> settings_of(named("T-11"), {"n": 2.5})
    Traceback (most recent call last):
        ...
    ValueError: n must be a whole number >= 1, got 2.5; T-11 has n = 50 unless told otherwise
    """
    unknown = [name for name in changed if name not in claim.settings]
    if unknown:
        has = ", ".join(claim.settings) or "none"
        raise ValueError(f"{claim.id} has no setting {unknown[0]!r}; its settings are: {has}")
    chosen = dict(claim.settings)
    for name, value in changed.items():
        check = whole if isinstance(chosen[name], int) else non_negative
        chosen[name] = check(name, value, f"{claim.id} has {name} = {chosen[name]:g} unless told otherwise")
    return chosen


def _checked(seed: int) -> int:
    return whole("seed", seed, "take 0, 1, 2 and so on for other experiments", least=0)


def _generator(claim: Claim, seed: int, call: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(claim.id.encode()), call])
