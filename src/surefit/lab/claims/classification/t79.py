"""Layer lab: the boundary of logistic regression is a plane.  Catalogue T-79."""

import numpy as np

from surefit.estimators.logistic import LogisticRegression
from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """Probabilities on points of the plane ``w'x + b = 0``: one half."""
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    model = LogisticRegression(0.05).fit(X, y)
    w, b = model.coef_.ravel(), float(np.ravel(model.intercept_)[0])
    points = rng.normal(size=(5, 2))
    points -= np.outer((points @ w + (0 if wrong else b) + wrong) / (w @ w), w)
    return model.predict_proba(points)[:, 1], np.full(5, 0.5)


CLAIM = Claim(
    id="T-79",
    title="The boundary of logistic regression is a plane",
    statement="eta(x) = 1/2 iff w'x + b = 0",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="a plane beside it",
    settings={"n": 40},
    draws=30,
)
