"""Layer lab: one predictor, fixed beforehand.  Catalogue T-26."""

from scipy.stats import binom

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.finite import single_predictor_bound


def draw(rng, n, wrong=False):
    """The exact quantile of a fair coin's deviation over the bound, for tiny failure probabilities."""
    delta = 10.0 ** -rng.uniform(60, 120)
    observed = 0.5 - binom.ppf(delta, n, 0.5) / n
    slack = single_predictor_bound(0.5, n, delta=delta).value - 0.5
    return observed, slack / 2**0.5 if wrong else slack


CLAIM = Claim(
    id="T-26",
    title="One predictor, fixed beforehand",
    statement="Risk <= Rhat + M sqrt(log(1/delta) / (2 n)) with probability 1 - delta",
    assumptions=("losses lie in [0, M]", "rows are independent", "the predictor was fixed before"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="4 n in place of 2 n",
    settings={"n": 100_000},
    uses=("T-24",),
)
