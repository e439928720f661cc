"""Layer lab: fitted values of least squares are a projection.  Catalogue T-05."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.least_squares import least_squares_geometry


def draw(rng, n, d, wrong=False):
    """Fitted values of a design with a dependent column beside the projection of ``y``."""
    X = rng.normal(size=(n, d))
    X[:, -1] = X[:, 0] - X[:, 1]
    y = rng.normal(size=n)
    fitted = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    projection = least_squares_geometry(X[:, 1:] if wrong else X).projection
    if wrong:
        projection = np.eye(n) - projection
    return fitted, projection @ y


CLAIM = Claim(
    id="T-05",
    title="Least squares exists, and its fitted values are a projection",
    statement="X w_hat = P y with P the projection on the columns, whatever the rank",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the projection on the complement",
    settings={"n": 12, "d": 5},
)
