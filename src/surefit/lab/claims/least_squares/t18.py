"""Layer lab: the random-design excess risk of a parameter.  Catalogue T-18."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, d, sigma, wrong=False):
    """Losses of a wrong parameter on 500 fresh rows with unequal variances, in groups of 50."""
    root, theta, other = np.linspace(0.5, 2.0, d), rng.normal(size=d), rng.normal(size=d)
    X = rng.normal(size=(500, d)) * root
    losses = (X @ theta + sigma * rng.normal(size=500) - X @ other) ** 2
    off = (theta - other) if wrong else (theta - other) * root
    return losses.reshape(10, 50).mean(axis=1), sigma**2 + off @ off


CLAIM = Claim(
    id="T-18",
    title="Excess risk of a parameter in a random design",
    statement="Risk(theta) - sigma^2 = ||theta - theta*||^2_Sigma with Sigma = E[x x']",
    assumptions=("the mean is linear", "noise is independent of x"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="the identity in place of the second moment",
    settings={"d": 4, "sigma": 1.0},
    variance=2 / 50,
)
