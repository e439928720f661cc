"""Layer lab: how fast gradient descent contracts.  Catalogue T-23."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, n, d, wrong=False):
    """The error after 5 steps over the predicted one, from a start along the direction that contracts slowest."""
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    S, best = X.T @ X / n, np.linalg.lstsq(X, y, rcond=None)[0]
    mu, V = np.linalg.eigh(S)
    step = 0.9 / (2 * mu[-1])
    w = best + V[:, 0]
    for _ in range(5):
        w = w - step * 2 * (S @ w - X.T @ y / n)
    rate = abs(1 - 4 * step * mu[0]) if wrong else max(abs(1 - 2 * step * mu[0]), abs(1 - 2 * step * mu[-1]))
    return np.linalg.norm(w - best), rate**5


CLAIM = Claim(
    id="T-23",
    title="Gradient descent contracts geometrically",
    statement="||w_t - w*|| <= max_i |1 - 2 a mu_i|^t ||w_0 - w*|| for steps 0 < a < 1 / mu_max",
    assumptions=("the step is below the stability limit",),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="the factor 2 of the gradient counted twice",
    settings={"n": 20, "d": 4},
)
