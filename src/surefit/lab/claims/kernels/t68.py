"""Layer lab: the minimiser lies in the span of the kernel at the rows.  Catalogue T-68."""

import numpy as np

from surefit.estimators.ridge import Ridge
from surefit.lab.claim import Claim, Kind


def draw(rng, n, d, wrong=False):
    """Ridge coefficients with more columns than rows, beside their part in the span of the rows."""
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    w = Ridge(0.3, fit_intercept=False).fit(X, y).coef_
    if wrong:
        w = w + 0.1 * np.linalg.svd(X)[2][-1]
    inside = X.T @ np.linalg.lstsq(X.T, w, rcond=None)[0]
    return w, inside


CLAIM = Claim(
    id="T-68",
    title="Representer theorem",
    statement="every minimiser of Psi(f(x_1), ..., f(x_n), ||f||) is sum_i a_i k(., x_i) if Psi grows with the norm",
    assumptions=("a minimiser exists", "Psi is strictly increasing in the norm"),
    kind=Kind.EXACT,
    draw=draw,
    mistake="a minimiser without a penalty, outside the span",
    settings={"n": 5, "d": 9},
    draws=100,
)
