"""Layer lab: the lasso is zero exactly from its largest lam on.  Catalogue T-84."""

import numpy as np

from surefit.estimators.lasso import Lasso
from surefit.lab.claim import Claim, Kind


def draw(rng, n, d, wrong=False):
    """The largest lam with a coefficient, by bisection over fits, beside ``2 max |X'(y - mean)| / n``."""
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    formula = 2 * np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / n
    low, high = 0.0, 10 * formula
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if not Lasso(middle, tol=1e-12).fit(X, y).coef_.any() else (middle, high)
    return high, formula / (2 if wrong else 1)


CLAIM = Claim(
    id="T-84",
    title="From which lam on the lasso is zero",
    statement="w = 0 iff lam >= 2 max_j |x_j'(y - mean y)| / n",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the factor 2 of the squared loss dropped",
    settings={"n": 15, "d": 4},
    draws=8,
    tolerance=9e-7,
)
