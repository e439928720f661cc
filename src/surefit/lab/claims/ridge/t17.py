"""Layer lab: the trace of the second moment is the mean squared norm of the rows.  Catalogue T-17."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.ridge import mean_squared_row_norm


def draw(rng, n, d, wrong=False):
    X = rng.normal(size=(n, d))
    return np.trace(X.T @ X / n), np.mean(np.linalg.norm(X, axis=1)) if wrong else mean_squared_row_norm(X)


CLAIM = Claim(
    id="T-17",
    title="Trace of the second moment",
    statement="tr(X'X / n) = mean_i ||x_i||^2 <= R^2",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="norms that are not squared",
    settings={"n": 20, "d": 6},
)
