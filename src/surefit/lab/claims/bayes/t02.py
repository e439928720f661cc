"""Layer lab: the Bayes predictor minimises the conditional risk at every point.  Catalogue T-02."""

import itertools

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, k, m, wrong=False):
    """The best of all predictors of a random finite law, tried one by one, beside the pointwise minimum."""
    law, loss = rng.dirichlet(np.ones(k * m)).reshape(k, m), rng.uniform(size=(m, m))
    tried = min(
        sum(law[i] @ loss[:, answer] for i, answer in enumerate(rule)) for rule in itertools.product(range(m), repeat=k)
    )
    pointwise = (law.sum(axis=0) @ loss).min() if wrong else (law @ loss).min(axis=1).sum()
    return tried, pointwise


CLAIM = Claim(
    id="T-02",
    title="The Bayes predictor is found point by point",
    statement="R* = E_X min_z E[loss(Y, z) | X]",
    assumptions=("the minimum over z is attained",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="one answer for all points",
    settings={"k": 4, "m": 3},
)
