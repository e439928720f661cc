"""Layer lab: rules of thumb for the tube of support-vector regression.  Catalogue S-06."""

import numpy as np

from surefit.estimators.svr import tube_heuristics
from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """Mean difference of all pairs of targets and of neighbours, by definition."""
    y = rng.normal(size=n)
    pairs = np.mean([abs(a - b) for i, a in enumerate(y) for b in y[:i]])
    found = tube_heuristics(y)
    neighbours = np.abs(np.diff(y)).mean() * (2 if wrong else 1)
    return [found["pairs"], found["successive"]], [pairs, neighbours]


CLAIM = Claim(
    id="S-06",
    title="Rules of thumb for the tube",
    statement="epsilon near the mean difference of the targets: of all pairs, or of neighbours",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="neighbouring differences doubled",
    settings={"n": 12},
)
