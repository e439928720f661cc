"""Layer lab: training error and fresh error of least squares.  Catalogue T-12."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.risk.least_squares import least_squares_risk


def draw(rng, n, d, sigma, wrong=False):
    """The ratio of training errors to their mean, 50 samples of the noise."""
    X, noise = rng.normal(size=(n, d)), sigma * rng.normal(size=(n, 50))
    residual = noise - X @ np.linalg.lstsq(X, noise, rcond=None)[0]
    risk = least_squares_risk(n, d, sigma)
    return (residual**2).mean(axis=0), risk.fresh if wrong else risk.training


CLAIM = Claim(
    id="T-12",
    title="Expected training error of least squares",
    statement="E training error = sigma^2 (1 - d / n), E fresh error = sigma^2 (1 + d / n)",
    assumptions=("the mean is linear", "noise has variance sigma^2", "full column rank"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="the fresh error in place of the training error",
    settings={"n": 50, "d": 10, "sigma": 1.0},
    tolerance=0.03,
    variance=lambda s: 2 / max(s["n"] - s["d"], 1),
    uses=("T-11",),
    broken=breaks("full column rank", lambda s: s["d"] > s["n"]),
)
