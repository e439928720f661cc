"""Layer lab: three degrees of freedom.  Catalogue S-09."""

import numpy as np

from surefit.data.design import Design
from surefit.lab.claim import Claim, Kind
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.fit.smoother import degrees_of_freedom


def draw(rng, n, d, lam, wrong=False):
    """Traces of the hat matrix, formed, beside those from singular values."""
    X = rng.normal(size=(n, d))
    H = X @ np.linalg.solve(X.T @ X + n * lam * np.eye(d), X.T)
    found = degrees_of_freedom(spectral_factor(Design.of(X), False), np.array([lam]))
    traces = [np.trace(H), np.trace(H @ H), np.trace(2 * H - H @ H.T)]
    values = [found.trace[0], found.squared[0], found.residual_form[0]]
    return traces, values[::-1] if wrong else values


CLAIM = Claim(
    id="S-09",
    title="Three degrees of freedom",
    statement="tr H^2 <= tr H <= tr(2H - HH'), all equal to the rank at lam = 0",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the first and the last exchanged",
    settings={"n": 15, "d": 5, "lam": 0.4},
)
