"""Layer lab: Massart's lemma, nearly attained by many long vectors.  Catalogue T-39, T-40, E-014."""

import numpy as np
from scipy.stats import norm

from surefit.lab.claim import Claim, Kind


def draw(rng, wrong=False):
    """``E max`` of ``m`` independent standard normal variables over ``sqrt(2 log m)``, for ``m`` up to ``10**280``.

    Sums of signs over long vectors that are orthogonal to each other are such variables in the limit.
    """
    log_m = rng.uniform(400, 640)
    quantile = norm.isf(np.exp(-log_m))  # the median of the maximum is a little above this quantile
    return quantile, np.sqrt(log_m if wrong else 2 * log_m)


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=Kind.AT_MOST,
        draw=draw,
        mistake="log m in place of 2 log m",
        uses=("T-29",),
    )


CLAIMS = (
    named("T-39", "Massart's lemma", "Rad_S(A) <= max ||z||_2 sqrt(2 log |A|) / n for a finite A"),
    named("T-40", "L1 ball", "Rad_S <= Lambda max_j ||X_j||_2 sqrt(2 log(2 d)) / n: the lemma for 2 d vertices"),
)
