"""Layer lab: among equal criteria the simpler model.  Catalogue S-11."""

import numpy as np

from surefit.estimators.subset import SubsetRegression
from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """A column given twice: subsets with one and with both fit alike; the smaller one is chosen."""
    X = rng.normal(size=(n, 2))
    X = np.column_stack([X, X[:, 0]])
    y = 3 * X[:, 0] + 0.1 * rng.normal(size=n)
    model = SubsetRegression(criterion="bic").fit(X, y)
    chosen = set(np.flatnonzero(model.coef_))
    return 1 + len(chosen & {0, 2}), 3 if wrong else 2


CLAIM = Claim(
    id="S-11",
    title="Among equals the simpler model",
    statement="of subsets that fit alike the smaller one is chosen",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the larger one",
    settings={"n": 25},
    draws=20,
)
