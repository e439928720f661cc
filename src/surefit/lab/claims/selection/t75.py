"""Layer lab: training error plus twice the covariance is the fresh error.  Catalogue T-75, R-11, S-10."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.least_squares import training_optimism


def draw(rng, n, d, sigma, wrong=False):
    """Training errors of a misspecified line on 200 samples beside the fresh error less ``2 sigma^2 tr(H) / n``."""
    x = np.sort(rng.uniform(-1, 1, size=n))
    X = np.vander(x, d)
    signal = np.sin(4 * x)
    H = X @ np.linalg.pinv(X)
    y = signal[:, None] + sigma * rng.normal(size=(n, 200))
    fresh = training_optimism(H, signal, sigma).fresh
    return ((y - H @ y) ** 2).mean(axis=0), fresh - (1 if wrong else 2) * sigma**2 * np.trace(H) / n


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=("noise is uncorrelated with variance sigma^2", "the fit is linear in y; the model may be wrong"),
        kind=Kind.MEAN,
        draw=draw,
        mistake="once in place of twice",
        settings={"n": 30, "d": 4, "sigma": 1.0},
        tolerance=0.03,
    )


CLAIMS = (
    named("T-75", "Covariance penalty", "sum Cov(fitted_i, y_i) = sigma^2 tr(H)"),
    named("R-11", "Optimism of the training error", "E fresh - E training = 2 sigma^2 tr(H) / n"),
    named("S-10", "The training error is biased", "E training = E fresh - 2 sigma^2 tr(H) / n"),
)
