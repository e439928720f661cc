"""Layer lab: experiments repeated from seeds until a claim is decided, one claim or all of them on several processes.

In: claims.  Out: an `Outcome` each: the verdict, what was observed, and every repeat that raised an error, with its
number, so that `replay` can run it again.  Repeat ``k`` of a claim has a generator of its own, made from the seed, the
claim's id and ``k``: it does not depend on what ran before it or on the number of processes.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np

from surefit.lab.claim import Claim, Sabotage, Verdict
from surefit.lab.claims import every_claim, named
from surefit.lab.verdict import Judgement, judge
from surefit.progress import Task

LOOK = 1.25
"""The verdict is looked at whenever the number of repeats has grown by this factor."""
SECONDS = 30.0
"""Processor time for one claim; what is not decided then is *undecided*."""


@dataclass(frozen=True)
class Outcome:
    """What a claim came to."""

    id: str
    judgement: Judgement
    ratios: np.ndarray
    """Observed divided by predicted, or ranks, of all experiments."""
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
        """That of the experiments; where a repeat raised, a claim that would hold is undecided."""
        found = self.judgement.verdict
        return Verdict.UNDECIDED if self.errors and found is Verdict.HOLDS else found


def run(
    claim: Claim | str,
    *,
    seed: int = 0,
    sabotage: Sabotage | None = None,
    seconds: float = SECONDS,
    repeats: int | None = None,
    **settings: Any,
) -> Outcome:
    """Repeat one claim until it is decided, or its repeats or seconds are used up.

    >>> outcome = run("T-11", seed=1)
    >>> outcome.verdict
    <Verdict.HOLDS: 'holds'>
    """
    if not (sabotage is None or isinstance(sabotage, Sabotage)):
        known = " or ".join(map(str, Sabotage))
        raise TypeError(f"sabotage must be {known}, got {sabotage!r}; without it the claim is tried as it stands")
    claim = named(claim) if isinstance(claim, str) else claim
    chosen = settings_of(claim, settings)
    most = claim.repeats if repeats is None else int(repeats)
    begun, worked, look = time.monotonic(), time.process_time(), 8.0
    found: list[np.ndarray] = []
    errors: list[tuple[int, str]] = []
    judgement = Judgement(Verdict.UNDECIDED, -np.inf, np.inf, np.inf, 0)
    task = Task(f"trying {claim.id}", most)
    for k in range(most):
        try:
            found.append(claim.experiment(_generator(claim, seed, k), sabotage, chosen))
        except Exception as error:
            errors.append((k, f"{type(error).__name__}: {error}"))
            break
        task(k + 1, 0.0)
        late = time.process_time() - worked > seconds
        if k + 1 >= look or late or k + 1 == most:
            look = (k + 1) * LOOK
            known = {"variance": claim.spread(chosen), "largest": claim.largest}
            judgement = judge(claim.kind, np.concatenate(found), claim.tolerance, finished=k + 1 == most, **known)
            if judgement.verdict is not Verdict.UNDECIDED or late:
                break
    ratios = np.concatenate(found) if found else np.empty(0)
    return Outcome(
        claim.id,
        judgement,
        ratios,
        chosen,
        seed,
        time.monotonic() - begun,
        sabotage,
        tuple(errors),
        claim.broken(chosen),
    )


def replay(claim: Claim | str, repeat: int, *, seed: int = 0, **settings: Any) -> np.ndarray:
    """One repeat again, from its seed; an error is raised as it was."""
    claim = named(claim) if isinstance(claim, str) else claim
    return claim.experiment(_generator(claim, seed, repeat), None, settings_of(claim, settings))


def run_all(
    ids: Sequence[str] | None = None, *, seed: int = 0, sabotage: Sabotage | None = None, workers: int = 2
) -> Iterator[Outcome]:
    """All claims, or those named, as they are done; on ``workers`` processes if there are several."""
    names = [claim.id for claim in every_claim()] if ids is None else list(ids)
    if workers == 1:
        yield from (run(name, seed=seed, sabotage=sabotage) for name in names)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(run, name, seed=seed, sabotage=sabotage) for name in names]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def settings_of(claim: Claim, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a claim with some of them changed; a name that it does not have is refused."""
    unknown = [name for name in changed if name not in claim.settings]
    if unknown:
        has = ", ".join(claim.settings) or "none"
        raise ValueError(f"{claim.id} has no setting {unknown[0]!r}; its settings are: {has}")
    return {**claim.settings, **{name: type(claim.settings[name])(value) for name, value in changed.items()}}


def _generator(claim: Claim, seed: int, repeat: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(claim.id.encode()), repeat])
