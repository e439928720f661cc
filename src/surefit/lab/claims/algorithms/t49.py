"""Layer lab: bounds for balls of a kernel and of columns, when the ball is small.  Catalogue T-49, T-50, T-51."""

import math

from surefit.lab.claim import Claim, Kind
from surefit.lab.coin import coin_deviation
from surefit.theory.bounds.rademacher import kernel_squared_bound, kernel_tube_bound, l1_squared_bound

SMALL = 1e-3
"""Radius of the balls: nearly one function, so that the deviation is all that counts."""


def _case(rng):
    return rng.uniform(1.2, 3.0), 10.0 ** -rng.uniform(200, 300)


def squared(rng, n, wrong=False):
    """Errors that are 0 or ``M`` as a coin falls: squares are 0 or ``M**2``."""
    M, delta = _case(rng)
    bound = kernel_squared_bound(0.0, n, radius=SMALL, largest_error=M, delta=delta).value
    return M**2 * coin_deviation(n, math.log(delta)), bound / M if wrong else bound


def tube(rng, n, wrong=False):
    M, delta = _case(rng)
    bound = kernel_tube_bound(0.0, n, radius=SMALL, loss_bound=M, delta=delta).value
    return M * coin_deviation(n, math.log(delta)), bound / M if wrong else bound


def columns(rng, n, wrong=False):
    M, delta = _case(rng)
    bound = l1_squared_bound(0.0, n, 10, radius=SMALL, largest_error=M, delta=delta).value
    return M**2 * coin_deviation(n, math.log(delta)), bound / M if wrong else bound


CLAIMS = tuple(
    Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=("errors are at most M", "rows are independent", "the ball was fixed before"),
        kind=Kind.AT_MOST,
        draw=draw,
        mistake="one factor M dropped",
        settings={"n": 200_000},
        draws=100,
        uses=("T-35", "T-38", "T-40"),
    )
    for entry, title, statement, draw in (
        ("T-49", "Kernel ball, squared loss", "4 M r Lambda / sqrt(n) + M^2 sqrt(log(1/delta) / (2n))", squared),
        ("T-50", "Kernel ball, tube loss", "2 r Lambda / sqrt(n) + M sqrt(log(1/delta) / (2n))", tube),
        ("T-51", "L1 ball, squared loss", "4 M r Lambda sqrt(2 log(2d) / n) + M^2 sqrt(log(1/delta) / (2n))", columns),
    )
)
