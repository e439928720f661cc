"""Layer lab: the Euclidean ball, nearly attained by orthogonal rows.  Catalogue T-37, T-38."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.complexity import KernelBall, NormBall, exact_rademacher


def orthogonal(rng, n):
    """Nearly orthogonal rows: for orthogonal ones every sign vector gives the same norm, and the bound is attained."""
    return np.linalg.qr(rng.normal(size=(n, n)))[0] * rng.uniform(1, 2) + 0.02 * rng.normal(size=(n, n))


def euclidean(rng, n, wrong=False):
    X, radius = orthogonal(rng, n), rng.uniform(0.5, 2.0)
    ball = NormBall(X, radius, 2.0)
    return exact_rademacher(ball), ball.bound() / np.sqrt(2) if wrong else ball.bound()


def kernel(rng, n, wrong=False):
    X, radius = orthogonal(rng, n), rng.uniform(0.5, 2.0)
    ball = KernelBall(X @ X.T, radius)
    bound = radius * np.sqrt(np.trace(X @ X.T)) / n
    return exact_rademacher(ball), bound / np.sqrt(n) if wrong else bound


CLAIMS = tuple(
    Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=Kind.AT_MOST,
        draw=draw,
        mistake=mistake,
        settings={"n": 8},
        uses=("T-36",),
    )
    for entry, title, statement, draw, mistake in (
        ("T-37", "Euclidean ball", "Rad_S <= (D / n) sqrt(sum ||x_i||^2)", euclidean, "half of the sum of squares"),
        ("T-38", "Ball of a kernel", "Rad_S <= Lambda sqrt(tr K) / n", kernel, "one root of n too many"),
    )
)
