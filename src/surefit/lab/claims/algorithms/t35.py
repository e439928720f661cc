"""Layer lab: the Rademacher bound, for a class of one function and tiny failure probabilities.  Catalogue T-35."""

import math

from surefit.lab.claim import Claim, Kind
from surefit.lab.coin import coin_deviation
from surefit.theory.bounds.rademacher import rademacher_bound


def draw(rng, n, wrong=False):
    """A loss that is 0 or ``M`` as a coin falls: a deviation of probability ``delta`` over the slack of the bound."""
    largest, delta = rng.uniform(1.2, 3.0), 10.0 ** -rng.uniform(200, 300)
    slack = rademacher_bound(0.0, n, 0.0, loss_bound=largest, delta=delta).value
    return largest * coin_deviation(n, math.log(delta)), slack / largest if wrong else slack


CLAIM = Claim(
    id="T-35",
    title="Rademacher bound",
    statement="Risk <= Rhat + 2 mu Rad_n(H) + M sqrt(log(1/delta) / (2 n)) for all h, with probability 1 - delta",
    assumptions=("losses lie in [0, M] and are mu-Lipschitz", "rows are independent"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="the factor M dropped",
    settings={"n": 200_000},
    uses=("T-27", "T-31", "T-32"),
)
