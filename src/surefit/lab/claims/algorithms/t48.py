"""Layer lab: the bound by the pseudo-dimension, at tiny failure probabilities.  Catalogue T-48."""

import math

from surefit.lab.claim import Claim, Kind
from surefit.lab.coin import coin_deviation
from surefit.theory.bounds.pseudo_dimension import pseudo_dimension_bound


def slack(n, dimension, log_delta):
    """The two terms of the bound, also for probabilities that no float can hold."""
    return math.sqrt(2 * dimension * math.log(math.e * n / dimension) / n) + math.sqrt(-log_delta / (2 * n))


def draw(rng, n, wrong=False):
    """One function has dimension at most one: the deviation of a coin over both terms."""
    log_delta = -rng.uniform(15_000, 25_000)
    library = pseudo_dimension_bound(0.0, n, 1, delta=1e-9).value
    assert abs(library - slack(n, 1, math.log(1e-9))) < 1e-12
    return coin_deviation(n, log_delta), slack(n, 1, log_delta / 2 if wrong else log_delta)


CLAIM = Claim(
    id="T-48",
    title="Bound by the pseudo-dimension",
    statement="Risk <= Rhat + M sqrt(2 p log(e n / p) / n) + M sqrt(log(1/delta) / (2 n))",
    assumptions=("losses lie in [0, M]", "p is the pseudo-dimension of the loss class", "n >= p"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="half of log(1/delta)",
    settings={"n": 10_000_000},
    draws=60,
    uses=("T-27", "T-43"),
)
