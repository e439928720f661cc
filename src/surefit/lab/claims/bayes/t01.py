"""Layer lab: the tower property of conditional expectations.  Catalogue T-01."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, k, m, wrong=False):
    """A random joint law on ``k x m`` points: the mean of conditional means beside the mean."""
    joint = rng.dirichlet(np.ones(k * m)).reshape(k, m)
    values, given = rng.normal(size=k), joint.sum(axis=0)
    conditional = values @ joint / given
    weights = np.full(m, 1 / m) if wrong else given
    return conditional @ weights + 10, values @ joint.sum(axis=1) + 10


CLAIM = Claim(
    id="T-01",
    title="Tower property",
    statement="E[E[X | Y]] = E[X]",
    assumptions=("X has a mean",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="conditional means averaged without the law of Y",
    settings={"k": 5, "m": 4},
)
