"""Layer lab: what textbook algorithms cost, counted in multiplications.  Catalogue C-01, C-04, C-05, C-08."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.lab.counting import Count, cholesky, dot, forward


def normal_equations(rng, n, d, wrong=False):
    """Forming ``X'X`` and ``X'y``, then a Cholesky factor and two triangular solves."""
    X, y, count = rng.normal(size=(n, d)), rng.normal(size=n), Count()
    gram = [[dot(X[:, i], X[:, j], count) for j in range(d)] for i in range(d)]
    right = [dot(X[:, j], y, count) for j in range(d)]
    factor = cholesky(gram, count)
    forward(factor, forward(factor, right, count), count)
    formed = n * d if wrong else n * d**2
    return count.multiplications, formed + n * d + (d**3 - d) / 6 + d * (d - 1)


def gradient_step(rng, n, d, wrong=False):
    """``X w`` and ``X'r``: 2 n d multiplications, and d for the step."""
    X, w, count = rng.normal(size=(n, d)), rng.normal(size=d), Count()
    residual = [dot(row, w, count) for row in X]
    gradient = [dot(column, residual, count) for column in X.T]
    count.add(len(gradient))
    return count.multiplications, (2 * d + d) if wrong else 2 * n * d + d


def stochastic_step(rng, n, d, wrong=False):
    """One row: its prediction, and its multiple added; whatever the number of rows."""
    X, w, count = rng.normal(size=(n, d)), rng.normal(size=d), Count()
    dot(X[rng.integers(n)], w, count)
    count.add(d)
    return count.multiplications, 2 * n * d if wrong else 2 * d


def outputs(rng, n, d, wrong=False):
    """One factor for five targets, then two triangular solves for each."""
    A, count = rng.normal(size=(n, d)), Count()
    factor = cholesky((A.T @ A + np.eye(d)).tolist(), count)
    for _ in range(5):
        forward(factor, forward(factor, rng.normal(size=d), count), count)
    one = (d**3 - d) / 6
    return count.multiplications, (5 * one if wrong else one) + 5 * d * (d - 1)


CLAIMS = tuple(
    Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=Kind.EXACT,
        draw=draw,
        mistake=mistake,
        settings={"n": 20, "d": 6},
        draws=3,
    )
    for entry, title, statement, draw, mistake in (
        (
            "C-01",
            "Normal equations",
            "n d^2 + d^3 / 6 multiplications",
            normal_equations,
            "n d to form X'X",
        ),
        ("C-04", "A gradient step", "2 n d multiplications", gradient_step, "the cost of a stochastic step"),
        (
            "C-05",
            "A stochastic step",
            "2 d multiplications",
            stochastic_step,
            "the cost of a full gradient",
        ),
        ("C-08", "Several targets", "one factor, then d^2 each", outputs, "a factor for each target"),
    )
)
