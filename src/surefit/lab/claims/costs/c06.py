"""Layer lab: the perceptron can be slow, and labellings by planes are many.  Catalogue C-06, C-07."""

import itertools
from math import comb

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.solvers.halfspaces.perceptron import perceptron
from surefit.solvers.halfspaces.separability import direction_or_conflict


def slow(rng, wrong=False):
    """Three rows in the plane that need about ``1 / (2 e**2)`` updates."""
    e = rng.uniform(0.01, 0.02)
    X = np.array([[0.5, e], [-1.0, e], [1.0, e]])
    run = perceptron(X, np.ones(3, dtype=int), max_epochs=100_000)
    return run.mistakes.sum(), (1 / e if wrong else 1 / (2 * e**2)) * 1.02


def labellings(rng, n, d, wrong=False):
    """Labels of ``n`` points that a plane through the origin can give, by a linear programme each."""
    X = rng.normal(size=(n, d))
    signs = itertools.product((-1, 1), repeat=n)
    count = sum(direction_or_conflict(X * np.array(t)[:, None])[0] is not None for t in signs)
    return count, 2**n if wrong else 2 * sum(comb(n - 1, k) for k in range(d))


CLAIMS = (
    Claim(
        id="C-06",
        title="The perceptron can be slow",
        statement="about 1 / (2 e^2) updates on three rows of margin e",
        assumptions=(),
        kind=Kind.AT_MOST,
        draw=slow,
        mistake="1 / e",
        draws=20,
        uses=("T-56",),
    ),
    Claim(
        id="C-07",
        title="Labellings by planes",
        statement="2 sum_{k < d} C(n - 1, k) labels: polynomial in n, exponential in d",
        assumptions=("points are in general position",),
        kind=Kind.EXACT,
        draw=labellings,
        mistake="all 2^n",
        settings={"n": 6, "d": 3},
        draws=4,
    ),
)
