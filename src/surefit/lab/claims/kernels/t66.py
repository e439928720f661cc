"""Layer lab: what keeps a kernel a kernel.  Catalogue T-66."""

import numpy as np

from surefit.kernels import Gaussian, Laplace, Linear, Polynomial, smallest_eigenvalue
from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """Minus the smallest eigenvalue of sums, products, multiples and exponentials, on the scale of the largest."""
    X = rng.normal(size=(n, 2))
    made = (2 * Gaussian(1.0) + Linear(), Laplace(1.0) * Polynomial(2, 1.0), (0.1 * Linear()).exp(), Linear() ** 3)
    grams = [kernel.gram(X) for kernel in made]
    if wrong:
        grams = [K - 0.1 * np.trace(K) / n * np.eye(n) for K in grams]  # differences are not kernels
    return [1 - smallest_eigenvalue(K) / np.abs(K).max() - 1e-9 for K in grams], 1.0


CLAIM = Claim(
    id="T-66",
    title="Sums, products and limits of kernels are kernels",
    statement="k + l, k l, c k, exp k and their limits are positive semidefinite",
    assumptions=("c >= 0",),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="a multiple of the identity subtracted",
    settings={"n": 10},
)
