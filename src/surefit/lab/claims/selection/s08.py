"""Layer lab: the best lam on the exact risk curve.  Catalogue S-08."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.risk.ridge import ridge_risk_curve


def draw(rng, n, d, sigma, wrong=False):
    """The slope of the curve beside differences of its values; it is negative at zero."""
    X, theta = rng.normal(size=(n, d)), rng.normal(size=d)
    lam = rng.uniform(0.1, 1.0)
    near = ridge_risk_curve(X, theta, sigma, np.array([lam - 1e-4, lam, lam + 1e-4]))
    risk = near.squared_bias + near.variance
    assert ridge_risk_curve(X, theta, sigma, np.array([1e-12])).slope[0] < 0
    return (risk[2] - risk[0]) / 2e-4 + 1, near.slope[1] * (2 if wrong else 1) + 1


CLAIM = Claim(
    id="S-08",
    title="The exact risk curve of ridge and its minimum",
    statement="d risk / d lam in closed form, negative at lam = 0",
    assumptions=("sigma > 0",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the slope doubled",
    settings={"n": 30, "d": 4, "sigma": 1.0},
    tolerance=9e-7,
    uses=("T-15",),
    broken=breaks("sigma > 0", lambda s: s["sigma"] <= 0),
)
