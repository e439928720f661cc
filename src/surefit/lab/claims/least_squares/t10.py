"""Layer lab: the gradients of quadratic functions.  Catalogue T-10."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.calculus import finite_difference, mean_squared_gradient, quadratic_form_gradient


def draw(rng, n, d, wrong=False):
    """Central differences, exact for quadratic functions, beside both formulas."""
    X, y, w, B = rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d), rng.normal(size=(d, d))
    seen = [
        finite_difference(lambda v: np.mean((X @ v - y) ** 2), w, 0.5),
        finite_difference(lambda v: v @ B @ v, w, 0.5),
    ]
    form = 2 * B @ w if wrong else quadratic_form_gradient(B, w)
    return np.concatenate(seen), np.concatenate([mean_squared_gradient(X, y, w), form])


CLAIM = Claim(
    id="T-10",
    title="Gradients of quadratic functions",
    statement="grad mean((X w - y)^2) = (2/n)(X'X w - X'y), grad x'Bx = (B + B')x",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="2 B x for a matrix that is not symmetric",
    settings={"n": 9, "d": 4},
)
