"""Layer lab: shattering, and that strict or not does not matter.  Catalogue T-43, E-007."""

import itertools

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.shattering import pseudo_dimension


def _by_definition(values, strict):
    """The largest set of columns with levels at which all patterns occur; levels between values, or at them."""
    best = 0
    for size in range(1, values.shape[1] + 1):
        for columns in itertools.combinations(range(values.shape[1]), size):
            part = values[:, columns]
            levels = [np.unique(part[:, j]) + (0.0 if strict else -0.5) for j in range(size)]
            for t in itertools.product(*levels):
                patterns = {tuple(row) for row in (part > t if strict else part >= np.array(t))}
                if len(patterns) == 2**size:
                    best = size
    return best


def draw(rng, wrong=False):
    values = rng.integers(0, 3, size=(7, 3)).astype(float)
    found = pseudo_dimension(values)
    seen = [1 + _by_definition(values, True), 1 + _by_definition(values, False)]
    return seen, [1 + found, 2 + found if wrong else 1 + found]


CLAIM = Claim(
    id="T-43",
    title="Shattering and pseudo-dimension",
    statement="Pdim is the size of the largest set with levels t_i at which all patterns 1[g(z_i) > t_i] occur",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="one more with >= than with >",
    draws=40,
)
