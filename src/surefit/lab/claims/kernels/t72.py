"""Layer lab: the dual of ridge has the same optimum.  Catalogue T-72, E-072."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, n, d, wrong=False):
    """The penalised optimum beside ``lam`` times the maximum of the dual, ``2 a'y - a'(K + lam I) a``."""
    X, y, lam = rng.normal(size=(n, d)), rng.normal(size=n), rng.uniform(0.2, 2.0)
    w = np.linalg.solve(X.T @ X + lam * np.eye(d), X.T @ y)
    primal = np.sum((X @ w - y) ** 2) + lam * w @ w
    K = X @ X.T
    a = np.linalg.solve(K + lam * np.eye(n), y)
    dual = 2 * a @ y - a @ K @ a - lam * a @ a
    return primal, dual if wrong else lam * dual


CLAIM = Claim(
    id="T-72",
    title="Strong duality of ridge",
    statement="min ||X w - y||^2 + lam ||w||^2 = lam max_a [2 a'y - a'K a - lam ||a||^2]",
    assumptions=("lam > 0",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the factor lam dropped",
    settings={"n": 10, "d": 4},
    draws=100,
)
