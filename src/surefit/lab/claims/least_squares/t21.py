"""Layer lab: the push-through identity of ridge regression.  Catalogue T-21."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks


def draw(rng, n, d, lam, wrong=False):
    """Both sides of the identity for a random matrix."""
    X = rng.normal(size=(n, d))
    left = np.linalg.solve(X.T @ X + lam * np.eye(d), X.T)
    right = X.T @ np.linalg.inv(X @ X.T + (2 * lam if wrong else lam) * np.eye(n))
    return left, right


CLAIM = Claim(
    id="T-21",
    title="Push-through identity",
    statement="(X'X + lam I)^-1 X' = X' (X X' + lam I)^-1",
    assumptions=("lam > 0",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="2 lam on one side",
    settings={"n": 12, "d": 7, "lam": 0.5},
    broken=breaks("lam > 0", lambda s: s["lam"] <= 0),
)
