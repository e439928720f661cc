"""Layer lab: the largest deviation over a class changes little with one row.  Catalogue T-28."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """Replace the one row that moves ``sup (Risk - Rhat)`` most; the change is at most ``M / n``."""
    losses = rng.integers(0, 2, size=(30, n)).astype(float)  # 30 predictors, losses 0 or 1
    before = (0.5 - losses.mean(axis=1)).max()
    worst = losses[np.argmax(0.5 - losses.mean(axis=1))]
    i = int(np.argmax(worst == 1))
    losses[:, i] = 0.0
    return abs((0.5 - losses.mean(axis=1)).max() - before), 1 / n**1.5 if wrong else 1 / n


CLAIM = Claim(
    id="T-28",
    title="The largest deviation has bounded differences",
    statement="replacing one row changes sup (Risk - Rhat) by at most M / n",
    assumptions=("losses lie in [0, M]",),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="M / n^1.5",
    settings={"n": 40},
    uses=("T-27",),
)
