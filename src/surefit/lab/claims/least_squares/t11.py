"""Layer lab: the expected excess risk of least squares in a fixed design.  Catalogue T-11."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.risk.least_squares import least_squares_risk


def draw(rng, n, d, sigma, wrong=False):
    """One design, and the excess risks of least squares on 50 samples of the noise."""
    X = rng.normal(size=(n, d))
    noise = sigma * rng.normal(size=(n, 50))
    off = np.linalg.lstsq(X, noise, rcond=None)[0]  # the error of the coefficients, whatever the true ones are
    excess = ((X @ off) ** 2).mean(axis=0)
    if wrong:
        return excess, sigma * d / n
    return excess, least_squares_risk(n, d, sigma).excess if d <= n else sigma**2 * d / n  # beyond n: as it is stated


CLAIM = Claim(
    id="T-11",
    title="Expected excess risk of least squares in a fixed design",
    statement="E ||w_hat - w*||^2_Sigma = sigma^2 d / n",
    assumptions=("the mean is linear", "noise is independent with variance sigma^2", "the design has full column rank"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="sigma in place of its square",
    settings={"n": 50, "d": 10, "sigma": 2.0},
    variance=lambda s: 2 / s["d"],
    uses=("T-08", "T-09"),
    broken=breaks("the design has full column rank", lambda s: s["d"] > s["n"]),
)
