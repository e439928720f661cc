"""``python -m benchmarks.alarms``: delays and false alarms at level 0.10, beside river's detectors at their defaults.

Errors jump from 0.10 to 0.15, 0.20 or 0.30.  ``ever`` is met at the start of the stream and after 1,000 rows,
``run-length`` and the others after 1,000 rows.  False alarms: share of 1,000-row streams at the level with one or more.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.report import markdown_table
from surefit.theory.means.alarms import Alarm

JUMPS = (0.15, 0.20, 0.30)
STREAMS, BEFORE, AFTER = 200, 1000, 4000

Detector = Callable[[np.ndarray], list[int]]


def ours(mode: str) -> Detector:
    return lambda losses: Alarm(0.10, mode).update(losses)


def rivers(make: Callable[[], Any]) -> Detector:
    def rows(losses: np.ndarray) -> list[int]:
        detector, found = make(), []
        for t, loss in enumerate(losses.tolist()):
            detector.update(loss)
            if detector.drift_detected:
                found.append(t)
        return found

    return rows


def every_hundred(losses: np.ndarray) -> list[int]:
    return list(range(99, len(losses), 100))


def detectors() -> dict[str, tuple[Detector, int]]:
    """Each with the number of rows at the level before the jump."""
    found: dict[str, tuple[Detector, int]] = {
        "ever, delta 0.05, from the start": (ours("ever"), 0),
        "ever, delta 0.05": (ours("ever"), BEFORE),
        "run-length 1e5": (ours("run-length"), BEFORE),
        "every 100 rows": (every_hundred, BEFORE),
    }
    if find_spec("river"):
        from river import drift

        found["river ADWIN"] = rivers(drift.ADWIN), BEFORE
        found["river PageHinkley"] = rivers(drift.PageHinkley), BEFORE
        found["river DDM"] = rivers(drift.binary.DDM), BEFORE
    return found


def measured(detector: Detector, before: int) -> list[str]:
    """Mean delay after each jump (and share of streams with none), and the share of streams with a false alarm."""
    rng, cells, false = np.random.default_rng(0), [], 0
    for p in JUMPS:
        delays = []
        for _ in range(STREAMS):
            losses = np.concatenate([rng.random(before) < 0.10, rng.random(AFTER) < p]).astype(float)
            after = [row - before + 1 for row in detector(losses) if row >= before]
            delays.append(after[0] if after else np.nan)
        missed = np.mean(np.isnan(delays))
        cells.append(f"{np.nanmean(delays):.0f}" + (f" ({missed:.0%} none)" if missed else ""))
    for _ in range(STREAMS):
        false += bool(detector((rng.random(BEFORE) < 0.10).astype(float)))
    return [*cells, f"{false / STREAMS:.1%}"]


if __name__ == "__main__":
    table = [(name, *measured(*detector)) for name, detector in detectors().items()]
    print(markdown_table(("alarm", "to 0.15", "to 0.20", "to 0.30", "false alarm in 1,000 rows"), table))
