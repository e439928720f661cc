"""Layer lab: the lam that balances bias and variance, and half of the printed bound.  Catalogue T-16, S-07, E-039."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.ridge import oracle_lam, ridge_risk_curve


def draw(rng, n, d, wrong=False):
    """The exact excess risk at ``lam*`` over the sharp bound; one direction with ``mu = lam*`` nearly attains it."""
    sigma, theta = rng.uniform(0.5, 2.0), rng.normal(size=d) * np.r_[1.0, np.zeros(d - 1)]
    X = np.zeros((n, d))
    X[:, 0] = sigma / (abs(theta[0]) * np.sqrt(n)) * rng.uniform(0.97, 1.03)  # then mu = lam*, where equality is
    oracle = oracle_lam(X, theta, sigma)
    excess = ridge_risk_curve(X, theta, sigma, oracle.lam).excess[0]
    return excess, oracle.sharp_bound / 2 if wrong else oracle.sharp_bound


def named(entry, title):
    return Claim(
        id=entry,
        title=title,
        statement="lam* = sigma sqrt(tr S / n) / ||w*|| has excess <= sigma sqrt(tr S / n) ||w*|| / 2",
        assumptions=("the mean is linear", "noise is uncorrelated with variance sigma^2"),
        kind=Kind.AT_MOST,
        draw=draw,
        mistake="a quarter in place of half of the printed bound",
        settings={"n": 30, "d": 3},
        uses=("T-15",),
    )


CLAIMS = (named("T-16", "The slow rate of ridge, with half the printed constant"), named("S-07", "Oracle lam of ridge"))
