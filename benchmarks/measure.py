"""How it is measured: contenders in, timings, memory, machine and result files out.

Repeats are interleaved (ours, theirs, ours, theirs, ...) so that a slow minute of the machine hits everybody alike.
Best and median are kept.  Quality and memory are looked at after the last timing, on runs that no clock watched.
"""

import gc
import json
import math
import os
import platform
import subprocess
import time
import tracemalloc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from threadpoolctl import threadpool_info

from benchmarks.peers import find_peer
from benchmarks.problems import Answer, Problem
from surefit.versions import running

RESULTS = Path(__file__).resolve().parent / "results"
NOT_INSTALLED = "not installed"
SHORT = 1.0  # seconds


class Contender(Protocol):
    """Somebody who can solve one problem again and again."""

    contender: str
    name: str
    convention: str
    versions: dict[str, str]

    def seconds(self) -> float: ...
    def peak_bytes(self) -> int: ...
    def answer(self) -> Answer: ...
    def close(self) -> None: ...


class InProcess:
    """A contender that runs here."""

    def __init__(self, contender: str, problem: Problem, small: Problem | None = None):
        """``small`` is solved once before any clock runs: packages are imported then, and compiled where they are."""
        peer, self._adapter = find_peer(contender)
        if small is not None:
            self._adapter(small)
        self._problem = problem
        self._answer: Answer | None = None
        self.contender = contender
        self.name: str = peer.name
        self.convention: str = peer.convention
        self.versions = versions_of(peer.packages)

    def seconds(self) -> float:
        """Run once; wall-clock seconds, or what the peer's own clock says."""
        self._answer = None  # the previous answer's memory is free before the clock starts
        gc.disable()  # as timeit does: no collection of other people's garbage while the clock runs
        try:
            start = time.perf_counter()
            answer = self._adapter(self._problem)
            elapsed = time.perf_counter() - start
        finally:
            gc.enable()
        self._answer = answer
        return elapsed if answer.seconds is None else answer.seconds

    def peak_bytes(self) -> int:
        """Run once more under tracemalloc; the most memory the run held beyond the problem.

        Sees what Python and NumPy allocate, not what a library takes by its own malloc.
        """
        gc.collect()
        tracemalloc.start()
        try:
            self._adapter(self._problem)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def answer(self) -> Answer:
        """What the last timed run found."""
        if self._answer is None:
            self._answer = self._adapter(self._problem)
        return self._answer

    def close(self) -> None:
        self._answer = None


@dataclass(frozen=True)
class Timing:
    """Seconds of all repeats in the order they were taken; the last is a lower bound if it was ``stopped``."""

    seconds: tuple[float, ...]
    stopped: bool = False

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return median(self.seconds)


def interleaved(
    contenders: Sequence[Contender], repeats: int, patience: float = math.inf, in_a_row: int = 1
) -> dict[str, Timing]:
    """Time everybody in turn, ``repeats`` rounds; keyed by ``contender``.

    Whoever needs more than ``patience`` seconds is run twice, since the first run may have imported its package;
    whoever needs four times as many, or is stopped by its limit, once.  Whoever needs less than a second is run
    ``in_a_row`` times at every turn: the memory of a process that waited is cold, and a short run is all the longer.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be >= 1, got {repeats}; use 1 for a smoke test")
    taken: dict[str, list[float]] = {one.contender: [] for one in contenders}
    stopped: set[str] = set()
    for _ in range(repeats):
        for one in contenders:
            if one.contender in stopped or not _again(taken[one.contender], patience):
                continue
            start = time.perf_counter()
            try:
                for _ in range(in_a_row):
                    taken[one.contender].append(one.seconds())
                    if taken[one.contender][-1] > SHORT:
                        break
            except TimeoutError:
                taken[one.contender].append(time.perf_counter() - start)
                stopped.add(one.contender)
    return {who: Timing(tuple(seconds), who in stopped) for who, seconds in taken.items()}


def _again(taken: Sequence[float], patience: float) -> bool:
    return not taken or min(taken) <= patience or (len(taken) == 1 and taken[0] <= 4 * patience)


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Installed versions; ``NOT_INSTALLED`` where there is none."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = NOT_INSTALLED
    return found


def describe_machine() -> dict[str, Any]:
    """Processor, cores, load, level, versions, commit and BLAS: what a reader needs to judge the seconds."""
    pools = [
        {key: pool[key] for key in ("internal_api", "version", "num_threads", "architecture") if key in pool}
        for pool in threadpool_info()
    ]
    return {
        "processor": _processor(),
        "level": running()["level"],
        "commit": _commit(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(),
        "load_average": [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": versions_of(("numpy", "scipy", "scikit-learn", "surefit")),
        "thread_pools": pools,
    }


def _commit() -> str:
    """The commit, ``-dirty`` where files other than results differ from it: a run writes one result after another."""
    commit = _git("rev-parse", "--short", "HEAD")
    others = f":(exclude,top)benchmarks/{RESULTS.name}"
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":/", others)
    return f"{commit}-dirty" if commit and changed else commit or "unknown"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=RESULTS.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown"


def write_results(name: str, record: dict[str, Any], markdown: str, folder: Path = RESULTS) -> Path:
    """Store one case as ``<name>.json`` (everything) and ``<name>.md`` (what people read)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(markdown, encoding="utf-8")
    path = folder / f"{name}.json"
    path.write_text(json.dumps(_plain(record), indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return path


def _plain(value: Any) -> Any:
    """NumPy scalars as numbers, infinities and NaN as words: what strict JSON can hold."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
