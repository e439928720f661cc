"""Layer lab: inner products do not depend on how functions are written.  Catalogue T-65."""

import numpy as np

from surefit.kernels import Polynomial, RKHSFunction
from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """Coefficients with a direction added that the Gram matrix sends to zero: the inner product stays."""
    kernel, points = Polynomial(1, 1.0), rng.normal(size=(n, 2))  # rank 3, so there are such directions
    K = kernel.gram(points)
    null = np.linalg.svd(K)[2][-1] if not wrong else np.linalg.svd(K)[2][0]
    a, b = rng.normal(size=n), rng.normal(size=n)
    g = RKHSFunction(kernel, points, b)
    moved = RKHSFunction(kernel, points, a + 3 * null).inner(g)
    return moved + 100, RKHSFunction(kernel, points, a).inner(g) + 100


CLAIM = Claim(
    id="T-65",
    title="The inner product is well defined",
    statement="<f, g> = a'K b is the same for all coefficients of f and g",
    assumptions=("k is positive semidefinite",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="a direction that the Gram matrix keeps",
    settings={"n": 7},
)
