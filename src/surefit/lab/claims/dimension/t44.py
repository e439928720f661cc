"""Layer lab: a non-decreasing map does not raise the pseudo-dimension.  Catalogue T-44."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.shattering import pseudo_dimension


def draw(rng, wrong=False):
    """Pseudo-dimensions after a strictly increasing map, which keeps them, plus one; clipping comes out below."""
    values = rng.integers(0, 4, size=(10, 4)).astype(float)
    before = pseudo_dimension(values)
    clipped = pseudo_dimension(np.clip(values, 1, 2))
    assert clipped <= before
    return 1 + pseudo_dimension(np.exp(values)), 1 + (clipped - 1 if wrong else before)


CLAIM = Claim(
    id="T-44",
    title="Pseudo-dimension after a non-decreasing map",
    statement="Pdim(s o G) <= Pdim(G), with equality if s is strictly increasing",
    assumptions=("s is non-decreasing",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="one less",
    draws=60,
    uses=("T-43",),
)
