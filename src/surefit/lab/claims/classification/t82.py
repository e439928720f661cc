"""Layer lab: bias and variance at a point.  Catalogue T-82, R-10."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.risk import pointwise_bias_variance


def draw(rng, n, sigma, wrong=False):
    """Squared errors of a local mean on fresh targets, 300 samples, beside noise plus bias plus variance."""
    x = np.linspace(0, 1, n)
    weights = np.exp(-((x - 0.3) ** 2) / 0.02)
    weights /= weights.sum()
    signal, truth = np.sin(6 * x), np.sin(1.8)
    predicted = (signal[:, None] + sigma * rng.normal(size=(n, 300))).T @ weights
    fresh = truth + sigma * rng.normal(size=300)
    parts = pointwise_bias_variance(weights[None], signal, np.array([truth]), sigma)
    noise = 0.0 if wrong else parts.noise
    return (fresh - predicted) ** 2, noise + parts.squared_bias[0] + parts.variance[0]


def named(entry):
    return Claim(
        id=entry,
        title="Bias and variance at a point",
        statement="E (f(x) - Y)^2 = noise + bias^2 + variance",
        assumptions=("the new target is independent of the sample",),
        kind=Kind.MEAN,
        draw=draw,
        mistake="the noise forgotten",
        settings={"n": 20, "sigma": 0.5},
    )


CLAIMS = (named("T-82"), named("R-10"))
