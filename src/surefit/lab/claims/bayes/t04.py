"""Layer lab: the Bayes predictor for squared loss.  Catalogue T-04."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, k, m, wrong=False):
    """The risk of the conditional mean beside the mean conditional variance, and every other constant is worse."""
    joint, values = rng.dirichlet(np.ones(k * m)).reshape(k, m), rng.normal(size=m)
    share = joint.sum(axis=1)
    mean, square = joint @ values / share, joint @ values**2 / share
    risk = (joint * (values - mean[:, None]) ** 2).sum()
    variance = square @ share - (mean @ share) ** 2 if wrong else (square - mean**2) @ share
    return risk, variance


CLAIM = Claim(
    id="T-04",
    title="Bayes predictor for squared loss",
    statement="f*(x) = E[Y | X = x] and R* = E Var[Y | X]",
    assumptions=("Y has a variance",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the variance of Y in place of the conditional one",
    settings={"k": 5, "m": 4},
    uses=("T-02",),
)
