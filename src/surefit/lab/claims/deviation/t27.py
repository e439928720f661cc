"""Layer lab: McDiarmid's inequality, attained nearly by a mean.  Catalogue T-27."""

import numpy as np
from scipy.stats import binom

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.finite import bounded_differences_deviation


def draw(rng, n, wrong=False):
    """The exact quantile of a sum of coins of one size over the deviation that bounded differences allow."""
    delta, size = 10.0 ** -rng.uniform(60, 120), rng.uniform(0.5, 2.0)
    observed = size * (n / 2 - binom.ppf(delta, n, 0.5))
    allowed = bounded_differences_deviation(np.full(n, size), delta)
    return observed, allowed / size**2 / 2 if wrong else allowed


CLAIM = Claim(
    id="T-27",
    title="McDiarmid's inequality",
    statement="P(f - E f >= t) <= exp(-2 t^2 / sum c_i^2) if replacing row i changes f by at most c_i",
    assumptions=("rows are independent", "differences are bounded"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="differences that are not squared",
    settings={"n": 50_000},
    uses=("T-24",),
)
