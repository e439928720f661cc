"""Layer lab: least squares in a random design, given its rows and on average.  Catalogue T-19."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.risk.least_squares import random_design_excess_given_rows


def draw(rng, n, d, sigma, wrong=False):
    """Excess risks of 50 fits to one random design with uniform entries, beside ``sigma^2 tr(Sigma (X'X)^-1)``."""
    X = rng.uniform(-1, 1, size=(n, d))
    covariance = np.eye(d) / 3
    off = np.linalg.lstsq(X, sigma * rng.normal(size=(n, 50)), rcond=None)[0]
    excess = np.einsum("ij,ik,kj->j", off, covariance, off)
    predicted = sigma**2 * d / n if wrong else random_design_excess_given_rows(X, covariance, sigma)
    return excess, predicted


CLAIM = Claim(
    id="T-19",
    title="Excess risk of least squares in a random design",
    statement="(sigma^2 / n) E tr(Sigma S^-1) >= sigma^2 d / n",
    assumptions=("the mean is linear", "S is invertible", "the expectation is finite"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="the fixed-design risk sigma^2 d / n",
    settings={"n": 20, "d": 8, "sigma": 1.0},
    uses=("T-09", "T-18"),
    broken=breaks("S is invertible", lambda s: s["d"] > s["n"]),
)
