"""Layer lab: which rows hold a support-vector regression.  Catalogue T-73, C-10."""

import numpy as np

from surefit.estimators.svr import SVR
from surefit.kernels import Gaussian
from surefit.lab.claim import Claim, Kind


def draw(rng, n, epsilon, wrong=False):
    """The largest coefficient among rows that lie clearly inside the tube, as a share of the largest of all."""
    X = rng.uniform(-2, 2, size=(n, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    model = SVR(Gaussian(0.7), lam=1e-2, epsilon=epsilon, max_violation=1e-8).fit(X, y)
    weight = np.zeros(n)
    weight[model.support_] = np.abs(model.dual_coef_).ravel()
    off = np.abs(y - model.predict(X)) - epsilon
    held = weight[off > -1e-4] if wrong else weight[off < -1e-4]
    return 1 + (held.max() if len(held) else 0.0) / weight.max(), 1.0


CLAIM = Claim(
    id="T-73",
    title="Only rows on or outside the tube hold the fit",
    statement="|y - f| < epsilon implies a zero coefficient",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="rows outside the tube in place of those inside",
    settings={"n": 40, "epsilon": 0.2},
    draws=30,
    tolerance=1e-7,
)
