"""Layer lab: Lipschitz maps contract the complexity, also if every row has its own.  Catalogue T-32, T-33, E-003."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.complexity import FiniteClass, contracted, exact_rademacher


def draw(rng, n, lipschitz, wrong=False):
    """The complexity after a map of slope ``lipschitz`` with a kink in each row's own place, over that before."""
    values = rng.normal(size=(5, n))
    knee = values.min(axis=0) + rng.uniform(0, 0.1, size=n)
    bent = lipschitz * np.maximum(values - knee, 0.0)
    before = exact_rademacher(FiniteClass(values))
    return exact_rademacher(FiniteClass(bent)), contracted(before, 1.0 if wrong else lipschitz)


def named(entry, title):
    return Claim(
        id=entry,
        title=title,
        statement="Rad_S({phi_i(h(x_i))}) <= mu Rad_S(H) if every phi_i is mu-Lipschitz",
        assumptions=("every map has Lipschitz constant mu",),
        kind=Kind.AT_MOST,
        draw=draw,
        mistake="the Lipschitz constant dropped",
        settings={"n": 8, "lipschitz": 3.0},
        uses=("T-29",),
    )


CLAIMS = (named("T-32", "Contraction"), named("T-33", "Complexity of a Lipschitz loss"))
