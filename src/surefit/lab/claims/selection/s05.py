"""Layer lab: cross-validation with as many folds as rows is leave-one-out.  Catalogue S-05."""

import numpy as np

from surefit.estimators.lasso import Lasso
from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """The criterion of `Lasso` with n folds beside the mean squared error of n refits at the same lam."""
    X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    lams = [0.3, 0.1]
    chosen = Lasso(lams=lams, cv=n, tol=1e-10).fit(X, y)
    rest = lambda i: np.arange(n) != i
    error = lambda lam, i: y[i] - Lasso(lam, tol=1e-10).fit(X[rest(i)], y[rest(i)]).predict(X[i : i + 1])[0]
    scale = n / (n - 1) if wrong else 1.0
    return chosen.criterion_path_, [scale * np.mean([error(lam, i) ** 2 for i in range(n)]) for lam in lams]


CLAIM = Claim(
    id="S-05",
    title="As many folds as rows",
    statement="n-fold cross-validation is leave-one-out",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="a mean over n - 1",
    settings={"n": 8},
    draws=8,
    tolerance=9e-7,
)
