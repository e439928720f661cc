"""Layer lab: penalised and constrained ridge are one problem.  Catalogue T-22."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.conditioning import lam_for_norm


def draw(rng, n, d, wrong=False):
    """The norm of the ridge solution at the multiplier of a radius, beside that radius."""
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    S, c = X.T @ X / n, X.T @ y / n
    radius = rng.uniform(0.1, 0.9) * np.linalg.norm(np.linalg.solve(S, c))
    lam = lam_for_norm(X, y, radius) * (2 if wrong else 1)
    return np.linalg.norm(np.linalg.solve(S + lam * np.eye(d), c)), radius


CLAIM = Claim(
    id="T-22",
    title="Penalised and constrained ridge are one problem",
    statement="for every radius below ||w_LS|| one lam has ||w_lam|| = radius",
    assumptions=("0 < radius < ||w_LS||",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the multiplier doubled",
    settings={"n": 15, "d": 4},
    tolerance=1e-8,
)
