"""Layer lab: the total loss of Widrow-Hoff against the best vector in hindsight.  Catalogue T-53, T-54, R-12, E-018."""

from typing import Any

import numpy as np

from surefit.lab.claim import Claim, Kind, Verdict
from surefit.theory.bounds.online import best_widrow_hoff_bound, widrow_hoff_bound


def adversary(step, rounds):
    """The total loss against ``y_t = -sign(w_t)`` on ``x = 1``, which nearly attains the bound at ``u = 0``."""
    w, total = 0.0, 0.0
    y = np.empty(rounds)
    for t in range(rounds):
        y[t] = -1.0 if w >= 0 else 1.0
        total += (w - y[t]) ** 2
        w -= step * (w - y[t])
    return total, y


def draw(rng, rounds, wrong=False):
    """The adversary at a random small step: there loss and bound come close."""
    step = rng.uniform(0.002, 0.02)
    total, y = adversary(step, rounds)
    bound = best_widrow_hoff_bound(np.ones((rounds, 1)), y, step).value
    return total, step * bound if wrong else bound


def average(rng, rounds, wrong=False):
    total, y = adversary(0.01, rounds + int(rng.integers(0, 100)))
    bound = widrow_hoff_bound(0.01, 1.0, float(len(y)), 0.0).value / len(y)
    return total / len(y), (bound - 1) if wrong else bound


def printed(rng, rounds, wrong=False):
    """Steps of ``2 eta`` with the bound that is printed for ``eta``; corrected, the bound is that of ``2 eta``."""
    eta = rng.uniform(0.2, 0.3)
    total, _ = adversary(2 * eta, rounds)
    return total, widrow_hoff_bound(2 * eta if wrong else eta, 1.0, float(rounds), 0.0).value


SHARED: dict[str, Any] = {
    "assumptions": ("||x_t|| <= B", "0 < s < 1 / B^2", "w_1 = 0"),
    "kind": Kind.AT_MOST,
    "draws": 40,
}
CLAIMS = (
    Claim(
        id="T-53",
        title="Total loss of Widrow-Hoff",
        statement="L <= min_u [L_u / (1 - s B^2) + ||u||^2 / s]",
        draw=draw,
        mistake="the factor 1 / (1 - s) replaced by s / (1 - s)",
        settings={"rounds": 1000},
        uses=("T-52",),
        **SHARED,
    ),
    Claim(
        id="T-54",
        title="Mean loss of Widrow-Hoff",
        statement="L / T <= L_u / ((1 - s) T) + ||u||^2 / (s T)",
        draw=average,
        mistake="s / (1 - s) in place of 1 / (1 - s)",
        settings={"rounds": 2000},
        uses=("T-53",),
        **SHARED,
    ),
    Claim(
        id="R-12",
        title="Total loss and comparator",
        statement="the regret of Widrow-Hoff against every u is bounded, whatever the sequence",
        draw=draw,
        mistake="the comparator's loss multiplied by s",
        settings={"rounds": 500},
        uses=("T-53",),
        **SHARED,
    ),
    Claim(
        id="E-018",
        title="Misprint: steps of 2 eta with the bound for eta",
        statement="printed: L <= L_u / (1 - eta) + ||u||^2 / eta although the algorithm steps by 2 eta",
        draw=printed,
        mistake="corrected: s = 2 eta in the bound",
        settings={"rounds": 1000},
        expected=Verdict.REFUTED,
        **SHARED,
    ),
)
