"""Layer lab: a penalty shifts the eigenvalues of the normal equations.  Catalogue T-13."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.risk.conditioning import ridge_conditioning


def draw(rng, n, d, lam, wrong=False):
    """Extreme eigenvalues of ``S + lam I`` for a singular ``S``, computed and predicted."""
    X = rng.normal(size=(n, d))
    mu = np.linalg.eigvalsh(X.T @ X / n + lam * np.eye(d))
    predicted = ridge_conditioning(X, lam * n if wrong else lam)
    return [mu[0], mu[-1]], [predicted.smallest, predicted.largest]


CLAIM = Claim(
    id="T-13",
    title="Ridge shifts every eigenvalue by lam",
    statement="the eigenvalues of S + lam I are mu_i + lam > 0, so the ridge solution exists and is unique",
    assumptions=("lam > 0",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the penalty of a sum in place of a mean",
    settings={"n": 5, "d": 8, "lam": 0.3},
    tolerance=1e-8,
    broken=breaks("lam > 0", lambda s: s["lam"] <= 0),
)
