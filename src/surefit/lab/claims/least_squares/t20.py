"""Layer lab: least squares on Gaussian rows, whose risk diverges at n = d + 1.  Catalogue T-20."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.least_squares import gaussian_design_excess


def spread(settings):
    """The variance of the trace of an inverse Wishart matrix, over its squared mean."""
    d, spare = settings["d"], settings["n"] - settings["d"]
    return 2 * (1 + (d - 1) / spare) / (d * (spare - 3)) if spare > 3 else np.inf


def broken(settings):
    spare = settings["n"] - settings["d"]
    return (*["n >= d + 2"][: spare < 2], *["n >= d + 4 for a finite variance"][: spare < 4])


def draw(rng, n, d, sigma, wrong=False):
    """The excess risk given the rows, ``sigma^2 tr((X'X)^-1)``, for 40 Gaussian designs."""
    X = rng.normal(size=(40, n, d))
    excess = sigma**2 * np.trace(np.linalg.inv(np.swapaxes(X, 1, 2) @ X), axis1=1, axis2=2)
    return excess, sigma**2 * d / (n - d) if wrong else gaussian_design_excess(n, d, sigma)


CLAIM = Claim(
    id="T-20",
    title="Least squares on Gaussian rows",
    statement="excess risk sigma^2 d / (n - d - 1) for n >= d + 2, infinite for n = d and n = d + 1",
    assumptions=("rows are Gaussian with mean zero", "n >= d + 2", "n >= d + 4 for a finite variance"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="n - d in place of n - d - 1",
    settings={"n": 20, "d": 10, "sigma": 1.0},
    tolerance=0.04,
    variance=spread,
    uses=("T-19",),
    broken=broken,
    infinite=lambda s: s["n"] in (s["d"], s["d"] + 1),
)
