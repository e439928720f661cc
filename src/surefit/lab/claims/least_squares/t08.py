"""Layer lab: the fixed-design excess risk of a parameter.  Catalogue T-08."""

from surefit.lab.claim import Claim, Kind


def draw(rng, n, d, sigma, wrong=False):
    """Losses on fresh responses, 200 times, beside noise plus the squared distance in the metric of the design, whose
    columns are longer than one, so that the plain norm is too small."""
    X, theta, other = 2 * rng.normal(size=(n, d)), rng.normal(size=d), rng.normal(size=d)
    fresh = (X @ theta)[:, None] + sigma * rng.normal(size=(n, 200))
    risk = ((fresh - (X @ other)[:, None]) ** 2).mean(axis=0)
    off = theta - other
    excess = off @ off if wrong else off @ (X.T @ X / n) @ off
    return risk, sigma**2 + excess


CLAIM = Claim(
    id="T-08",
    title="Excess risk of a parameter in a fixed design",
    statement="Risk(theta) - sigma^2 = ||theta - theta*||^2_S with S = X'X / n",
    assumptions=("the mean is linear", "noise has variance sigma^2"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="the plain norm in place of that of the design",
    settings={"n": 8, "d": 5, "sigma": 1.0},
    tolerance=0.02,
)
