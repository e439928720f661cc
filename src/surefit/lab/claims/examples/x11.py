"""Layer lab: design matrices, kernels by hand, planes and a limit.  Catalogue X-11..X-17."""

import numpy as np

from surefit.features.basis import Polynomial
from surefit.kernels import Gaussian, kernel_distances
from surefit.kernels import Polynomial as PolynomialKernel
from surefit.lab.claim import Claim, Kind
from surefit.lab.claims.least_squares.t12 import draw as training
from surefit.theory.risk.geometry import homogenise


def vandermonde(rng, wrong=False):
    x = rng.normal(size=(6, 1))
    powers = Polynomial(3).fit_transform(x)
    return powers, np.column_stack([x, x**2, x**2 if wrong else x**3])


def products(rng, wrong=False):
    x, c = rng.normal(size=(8, 2)), rng.normal(size=8)
    form = c @ (x @ x.T) @ c
    return form + 1, 1 + (np.sum(c * np.linalg.norm(x, axis=1)) ** 2 if wrong else np.sum((c @ x) ** 2))


def quadratic(rng, wrong=False):
    """``(x'z)**2`` beside the inner product of ``(x1^2, sqrt(2) x1 x2, x2^2)``."""
    X = rng.normal(size=(5, 2))
    features = np.column_stack([X[:, 0] ** 2, (1 if wrong else np.sqrt(2)) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    return PolynomialKernel(2, 0.0).gram(X), features @ features.T


def distance(rng, wrong=False):
    x, z = rng.normal(size=(1, 2)), rng.normal(size=(1, 2))
    k = float(Gaussian(1.0).block(x, z)[0, 0])
    return kernel_distances(Gaussian(1.0), x, z)[0, 0], np.sqrt(2 - (1 if wrong else 2) * k)


def plane(rng, wrong=False):
    X, w, c = rng.normal(size=(6, 3)), rng.normal(size=3), rng.normal()
    return homogenise(X) @ np.r_[w, c if wrong else -c], X @ w - c


def limit(rng, wrong=False):
    """``L_u / ((1 - eta) T)`` for small ``eta`` beside ``L_u / T``; the printed factor tends to zero."""
    eta, mean = 1e-10, rng.uniform(1, 5)
    return mean * (eta if wrong else 1.0) / (1 - eta), mean


SMALL = tuple(
    Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=Kind.EXACT,
        draw=draw,
        mistake=mistake,
        draws=60,
    )
    for entry, title, statement, draw, mistake in (
        ("X-11", "Design matrices", "columns x, x^2, x^3", vandermonde, "a column twice"),
        (
            "X-12",
            "x z and x'z are kernels",
            "sum c_i c_j x_i'x_j = ||sum c_i x_i||^2",
            products,
            "norms in place of vectors",
        ),
        ("X-13", "The quadratic kernel by hand", "(x'z)^2 = <phi(x), phi(z)>", quadratic, "the root of 2 dropped"),
        ("X-14", "Distance of features", "d(x, z)^2 = k(x,x) - 2 k(x,z) + k(z,z)", distance, "once in place of twice"),
        ("X-16", "Planes through the origin", "w'x - c = v'(x, 1) for v = (w, -c)", plane, "the sign of the offset"),
        ("X-17", "Small steps", "L_u / ((1 - eta) T) -> L_u / T", limit, "the printed factor eta / (1 - eta)"),
    )
)
CLAIMS = (
    *SMALL,
    Claim(
        id="X-15",
        title="Training and fresh error of least squares",
        statement="0.8 and 1.2 for n = 50, d = 10, sigma = 1",
        assumptions=(),
        kind=Kind.MEAN,
        draw=training,
        mistake="the fresh error in place of the training error",
        settings={"n": 50, "d": 10, "sigma": 1.0},
        tolerance=0.03,
        variance=lambda s: 2 / max(s["n"] - s["d"], 1),
    ),
)
