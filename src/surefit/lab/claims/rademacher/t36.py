"""Layer lab: the complexity of a ball is a mean dual norm.  Catalogue T-36, T-41."""

import itertools

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.complexity import NormBall, exact_rademacher


def draw(rng, n, d, wrong=False):
    """Enumeration by the library beside ``(D / n) mean_s ||X's||`` in the dual norm, for L1 and L2 balls."""
    X, radius = rng.normal(size=(n, d)), rng.uniform(0.5, 2.0)
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=n)))
    sums = signs @ X
    dual_of_l1 = np.abs(sums).sum(axis=1) if wrong else np.abs(sums).max(axis=1)
    direct = [radius / n * dual_of_l1.mean(), radius / n * np.linalg.norm(sums, axis=1).mean()]
    return [exact_rademacher(NormBall(X, radius, order)) for order in (1.0, 2.0)], direct


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=Kind.EXACT,
        draw=draw,
        mistake="the norm itself in place of its dual",
        settings={"n": 7, "d": 3},
        uses=("T-29",),
    )


CLAIMS = (
    named("T-36", "Complexity of a norm ball", "Rad_S = (D / n) E_s ||X's||_* with the dual norm"),
    named("T-41", "Dual norms", "sup over ||w||_p <= 1 of <w, z> is ||z||_q with 1/p + 1/q = 1"),
)
