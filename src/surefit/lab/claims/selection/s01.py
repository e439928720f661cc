"""Layer lab: Mallows Cp is unbiased.  Catalogue S-01."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.fit.criteria import mallows_cp, noise_variance


def draw(rng, n, sigma, wrong=False):
    """Cp of a line on curved data, variance from a cubic that is right, on 200 samples, beside the exact fresh risk."""
    x = np.linspace(-1, 1, n)
    signal = 2 * x**3 - x
    line, cubic = np.vander(x, 2), np.vander(x, 4)
    y = signal[:, None] + sigma * rng.normal(size=(n, 200))
    rss = lambda X: ((y - X @ (np.linalg.pinv(X) @ y)) ** 2).sum(axis=0)
    s2 = np.array([noise_variance(r, n, 4) for r in rss(cubic)])
    bias = signal - line @ (np.linalg.pinv(line) @ signal)
    fresh = bias @ bias + sigma**2 * (n + 2)
    return mallows_cp(rss(line), 1 if wrong else 2, s2), fresh


CLAIM = Claim(
    id="S-01",
    title="Mallows Cp is unbiased",
    statement="E[RSS + 2 p s^2] = E fresh squared error, p with the intercept",
    assumptions=("the full model is right", "noise is uncorrelated with equal variances"),
    kind=Kind.MEAN,
    draw=draw,
    mistake="the intercept is not counted",
    settings={"n": 12, "sigma": 1.0},
    tolerance=0.02,
    uses=("T-75",),
)
