"""Layer lab: Rademacher complexity by enumeration and by definition.  Catalogue T-29."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.complexity import FiniteClass, exact_rademacher


def draw(rng, n, wrong=False):
    """``sup_g`` of a random finite class for 50 random sign vectors beside the enumerated mean of all of them."""
    values = rng.normal(size=(6, n)) + 1.0
    signs = rng.choice([-1.0, 1.0], size=(50, n))
    suprema, least = (
        (signs @ values.T / n).max(axis=1),
        np.abs(values).mean(axis=1).max(),
    )  # no supremum is below -least
    complexity = exact_rademacher(FiniteClass(np.vstack([values, -values]) if wrong else values))
    return suprema + least, complexity + least


CLAIM = Claim(
    id="T-29",
    title="Rademacher complexity",
    statement="Rad_S(G) = E_s sup_g (1/n) sum_i s_i g(z_i), without an absolute value",
    assumptions=(),
    kind=Kind.MEAN,
    draw=draw,
    mistake="an absolute value inside the supremum",
    settings={"n": 10},
    tolerance=0.02,
    largest=2.0,
)
