"""Layer lab: a Mercer expansion reproduces.  Catalogue T-71."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, terms, wrong=False):
    """``<k(., x), h>`` with the weights of the expansion beside ``h(x)``."""
    a, c, x = rng.uniform(0.1, 2.0, size=terms), rng.normal(size=terms), rng.uniform()
    phi = np.cos(np.arange(terms) * x * np.pi)
    section = a * phi  # coefficients of k(., x)
    return (section * c / (1.0 if wrong else a)).sum() + 10, c @ phi + 10


CLAIM = Claim(
    id="T-71",
    title="Mercer expansions reproduce",
    statement="<k(., x), h> = h(x) with <sum c phi, sum e phi> = sum c_j e_j / a_j",
    assumptions=("all weights a_j are positive",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the weights left out of the inner product",
    settings={"terms": 6},
)
