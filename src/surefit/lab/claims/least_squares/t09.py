"""Layer lab: mean and covariance of least squares, and its prediction intervals at all levels.  Catalogue T-09."""

import numpy as np
from scipy.special import stdtr

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.inference.linear import LinearFit, mean_interval, prediction_interval
from surefit.theory.risk.least_squares import least_squares_covariance


def draw(rng, n, d, sigma, wrong=False):
    """The squared length of the error in a random direction over its predicted variance, 100 samples of the noise."""
    X, direction = rng.normal(size=(n, d)), rng.normal(size=d)
    error = np.linalg.lstsq(X, sigma * rng.normal(size=(n, 100)), rcond=None)[0]
    covariance = least_squares_covariance(X, np.sqrt(sigma) if wrong else sigma)
    return (direction @ error) ** 2, direction @ covariance @ direction


def rank(rng, n, d, sigma, wrong=False):
    """Where a new target falls among the ends of its own prediction intervals of all levels."""
    A, noise = np.column_stack([np.ones(n), rng.normal(size=(n, d))]), sigma * rng.normal(size=n)
    root = np.linalg.inv(np.linalg.qr(A, mode="r"))
    coefficients = root @ (root.T @ (A.T @ noise))
    fit = LinearFit(A[:, 1:], noise, coefficients[1:], coefficients[0], root)
    new = (mean_interval if wrong else prediction_interval)(fit, rng.normal(size=(1, d)))
    return stdtr(n - d - 1, (sigma * rng.normal() - new.fitted) / new.standard_error), 1.0


COVARIANCE = Claim(
    id="T-09",
    title="Covariance of least squares",
    statement="E w_hat = w*, Cov w_hat = sigma^2 (X'X)^-1",
    assumptions=("the mean is linear", "noise is uncorrelated with variance sigma^2", "full column rank"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="sigma in place of its square",
    settings={"n": 20, "d": 4, "sigma": 2.0},
    broken=breaks("full column rank", lambda s: s["d"] > s["n"]),
)

INTERVALS = Claim(
    id="T-09b",
    title="Prediction intervals of least squares, all levels",
    statement="(y - f(x)) / (s sqrt(1 + a' (A'A)^-1 a)) has Student's law with n - d - 1 degrees of freedom",
    assumptions=("the mean is linear", "noise is independent and Gaussian with variance sigma^2", "full column rank"),
    kind=Kind.RANKS,
    draw=rank,
    mistake="the interval of the mean in place of that of a new target",
    settings={"n": 12, "d": 3, "sigma": 2.0},
    uses=("T-09",),
    broken=breaks("full column rank", lambda s: s["d"] >= s["n"]),
)

CLAIMS = (COVARIANCE, INTERVALS)
