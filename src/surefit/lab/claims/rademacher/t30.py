"""Layer lab: sums, multiples and convex hulls of classes.  Catalogue T-30."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.complexity import FiniteClass, exact_rademacher


def draw(rng, n, wrong=False):
    """Both sides of the rules for Minkowski sums, multiples, shifts and convex combinations."""
    F, G, shift = rng.normal(size=(4, n)), rng.normal(size=(3, n)), rng.normal(size=n)
    rad = lambda values: exact_rademacher(FiniteClass(values))
    sums = (F[:, None] + G[None]).reshape(-1, n)
    hull = np.vstack([F, rng.dirichlet(np.ones(4), size=20) @ F])
    left = [rad(sums), rad(-2.5 * F), rad(F + shift), rad(hull)]
    right = [max(rad(F), rad(G)) if wrong else rad(F) + rad(G), 2.5 * rad(F), rad(F), rad(F)]
    return left, right


CLAIM = Claim(
    id="T-30",
    title="Rules for Rademacher complexities",
    statement="Rad(F + G) = Rad F + Rad G, Rad(a F) = |a| Rad F, Rad(F + {g}) = Rad F, Rad(conv F) = Rad F",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the maximum in place of the sum",
    settings={"n": 8},
    uses=("T-29",),
)
