"""Layer lab: Hoeffding's inequality, in a case in which it is nearly attained.  Catalogue T-24."""

from scipy.stats import binom

from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """The exponent ``2 n t**2`` of the bound over that of the exact tail of a fair coin, for a deviation at random."""
    k = n // 2 + int(n * rng.uniform(0.02, 0.04))
    t = k / n - 0.5
    exact = -binom.logsf(k - 1, n, 0.5)  # P(mean - 1/2 >= t) = exp(-exact)
    exponent = 4 * n * t**2 if wrong else 2 * n * t**2
    return exponent, exact


CLAIM = Claim(
    id="T-24",
    title="Hoeffding's inequality",
    statement="P(mean - E >= t) <= exp(-2 n t^2) for independent variables in [0, 1]",
    assumptions=("variables are independent", "they lie in [0, 1]"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="4 n t^2 in place of 2 n t^2",
    settings={"n": 100_000},
)
