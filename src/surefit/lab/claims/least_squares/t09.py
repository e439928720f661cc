"""Layer lab: mean and covariance of least squares.  Catalogue T-09."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.least_squares import least_squares_covariance


def draw(rng, n, d, sigma, wrong=False):
    """The squared length of the error in a random direction over its predicted variance, 100 samples of the noise."""
    X, direction = rng.normal(size=(n, d)), rng.normal(size=d)
    error = np.linalg.lstsq(X, sigma * rng.normal(size=(n, 100)), rcond=None)[0]
    covariance = least_squares_covariance(X, np.sqrt(sigma) if wrong else sigma)
    return (direction @ error) ** 2, direction @ covariance @ direction


CLAIM = Claim(
    id="T-09",
    title="Covariance of least squares",
    statement="E w_hat = w*, Cov w_hat = sigma^2 (X'X)^-1",
    assumptions=("the mean is linear", "noise is uncorrelated with variance sigma^2", "full column rank"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="sigma in place of its square",
    settings={"n": 20, "d": 4, "sigma": 2.0},
)
