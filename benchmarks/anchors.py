"""``python -m benchmarks.anchors``: how sharp and how fast our guarantees are, each beside what was asked for.

Sharpness is deterministic or seeded, and tested in the suite too; seconds are the best of three on this machine, which
should be idle.
Ratios against MAPIE are measured here where it is installed (``make bench`` installs it), at the sizes of the cases
``intervals-ridge`` and ``intervals-kernel-ridge``.  Exits with 1 if anything that was measured is missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from benchmarks.case import run_case
from benchmarks.cases import all_cases
from benchmarks.report import markdown_table
from surefit import SVR, Ridge
from surefit.kernels import Gaussian
from surefit.theory.intervals.full import full_conformal
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import hoeffding
from surefit.theory.means.sequences import martingale_kl

CONFSEQ = {
    50: {"k=0": 0.0625, "k=1": 0.1130, "k=5": 0.2345, "k=15": 0.4660, "1,9": 0.1665, "2,8": 0.2700, "10,30": 0.3145},
    500: {
        "k=0": 0.0065,
        "k=10": 0.0480,
        "k=50": 0.1400,
        "k=150": 0.3505,
        "1,9": 0.1110,
        "2,8": 0.2140,
        "10,30": 0.2585,
    },
    5000: {"k=0": 0.001, "k=100": 0.024, "k=500": 0.111, "k=1500": 0.314, "1,9": 0.103, "2,8": 0.204, "10,30": 0.253},
}
"""Published upper ends of ``betting_ci(x, alpha=0.1)`` of confseq 0.0.11 on the samples of `quantile_sample`."""


@dataclass(frozen=True)
class Anchor:
    """One figure and the most (or, with ``least``, the least) that it may be; ``figure`` None was not measured."""

    claim: str
    target: float
    figure: float | None
    least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if it was not measured."""
        if self.figure is None:
            return None
        return self.figure >= self.target if self.least else self.figure <= self.target

    def row(self) -> tuple[str, ...]:
        """The cells of its row in the table."""
        verdict = {None: "not measured", True: "yes", False: "NO"}[self.met]
        shown = "" if self.figure is None else f"{self.figure:.4g}"
        return self.claim, f"{'>=' if self.least else '<='} {self.target:.4g}", shown, verdict, self.note


def quantile_sample(n: int, kind: str) -> np.ndarray:
    """A fixed sample: ``"k=5"`` has five ones among zeros, ``"2,8"`` the quantiles of Beta(2, 8); shuffled.

    >>> float(quantile_sample(50, "k=5").sum()), round(float(quantile_sample(50, "2,8").mean()), 4)
    (5.0, 0.1997)
    """
    if kind.startswith("k="):
        x = (np.arange(n) < int(kind[2:])).astype(float)
    else:
        x = beta.ppf((np.arange(n) + 0.5) / n, *map(int, kind.split(",")))
    return np.random.default_rng(0).permutation(x)


def sharp_bets(orders: int = 10, sizes: tuple[int, ...] = tuple(CONFSEQ)) -> Iterator[Anchor]:
    """Betting against Hoeffding, and against every published number of confseq.

    Bets depend on the order in which they are made: what counts is the order that `betting` draws, and its note tells
    the mean over ``orders`` of them.
    """
    x = quantile_sample(200, "2,8")
    share = float((betting(x) - x.mean()) / (hoeffding(x) - x.mean()))
    yield Anchor("betting slack over Hoeffding's, Beta(2, 8), n = 200", 1 / 3, share)
    for n in sizes:
        for kind, limit in CONFSEQ[n].items():
            bounds = [float(betting(quantile_sample(n, kind), seed=seed)) for seed in range(orders)]
            name = f"Beta({kind.replace(',', ', ')})" if "," in kind else f"{kind[2:]} ones"
            note = f"confseq; mean of {orders} orders {np.mean(bounds):.4f}"
            yield Anchor(f"betting bound, n = {n}, {name}", limit, bounds[0], note=note)


def sharp_tube(fits: int = 50) -> Iterator[Anchor]:
    """The tube of support vector regression: n = 400, true exceedance about .094, mean certificate of ``fits``."""
    rng, found = np.random.default_rng(0), []

    def wave(n: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.uniform(-3, 3, size=(n, 1))
        return x, np.sin(2 * x[:, 0]) + 0.2 * rng.standard_normal(n)

    fresh, target = wave(4000)
    for _ in range(fits):
        x, y = wave(400)
        model = SVR(Gaussian(0.7), lam=0.5 / 400, epsilon=0.35, max_violation=1e-4).fit(x, y)
        found.append((model.certificate().bound, np.mean(np.abs(target - model.predict(fresh)) > 0.35)))
    bound, truth = np.mean(found, axis=0)
    yield Anchor("SVR tube certified, n = 400", 0.15, float(bound), note=f"true exceedance {truth:.3f}")


def sharp_online() -> Iterator[Anchor]:
    """Online to batch: 500 rounds, mean loss .1."""
    losses = (np.arange(500) < 50).astype(float)
    yield Anchor("online to batch, n = 500, mean loss .1", 0.15, float(martingale_kl(losses)))


def fast_certificates() -> Iterator[Anchor]:
    """Seconds of the betting bound for a million losses, milliseconds of full conformal for one row."""
    losses = np.random.default_rng(5).beta(2, 8, size=10**6)
    yield Anchor("betting certificate of 1,000,000 losses, s", 1.0, best_seconds(lambda: betting(losses)))
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((1000, 10)), rng.standard_normal((200, 10))
    response = Ridge(0.1).fit(X, X[:, 0] + rng.standard_normal(1000))._rows.response
    taken = best_seconds(lambda: full_conformal(response, new, 0.9))
    note = "published: .45; online-cp .6"
    yield Anchor("full conformal ridge, n = 1,000, ms a row", 0.6, 1000 * taken / len(new), note=note)


def fast_intervals() -> Iterator[Anchor]:
    """Jackknife+ against MAPIE, equal to 1e-10: at least 20 times for ridge, 200 times for kernel ridge."""
    for name, claim in (
        ("intervals-ridge", "jackknife+ of ridge, n = 5,000: times faster than MAPIE"),
        ("intervals-kernel-ridge", "jackknife+ of kernel ridge, n = 800: times faster than MAPIE"),
    ):
        case = next(case for case in all_cases() if case.name == name)
        target = case.targets[0]
        outcome = run_case(case)
        figure = target.value(outcome)
        note = "MAPIE is not installed; `make bench` has it" if figure is None else "equal to 1e-10"
        if figure is not None and not outcome.solved(case.contenders[0]):
            figure, note = 0.0, "NOT EQUAL to 1e-10"
        yield Anchor(claim, 20 if name == "intervals-ridge" else 200, figure, least=True, note=note)


SECTIONS: dict[str, Callable[[], Iterator[Anchor]]] = {
    "bets": sharp_bets,
    "tube": sharp_tube,
    "online": sharp_online,
    "seconds": fast_certificates,
    "intervals": fast_intervals,
}


def best_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of ``repeats`` runs."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def anchor_table(anchors: list[Anchor]) -> str:
    """Every anchor with what was asked for and what was found."""
    return markdown_table(("anchor", "asked for", "found", "met", "note"), [anchor.row() for anchor in anchors])


def main() -> int:
    """Print the table; 0 if every measured target is met."""
    anchors = [anchor for section in SECTIONS.values() for anchor in section()]
    print(anchor_table(anchors))
    return 1 if any(anchor.met is False for anchor in anchors) else 0


if __name__ == "__main__":
    sys.exit(main())
