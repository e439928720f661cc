"""Layer lab: minimising over a ball; every link of the proof attained.  Catalogue T-42, E-048."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.complexity import NormBall, exact_rademacher
from surefit.theory.bounds.rademacher import bounded_erm_excess


def draw(rng, n, wrong=False):
    """Symmetrisation, contraction and the ball in cases where each is an equality, multiplied, over the bound.

    No law attains all three at once, so the constant of each link is tried by itself: functions that are rarely not
    zero lose a factor ``1 - q`` in symmetrisation, a linear loss of slope ``L`` nothing, orthogonal rows nothing.
    """
    q, slope, size, radius = rng.uniform(0.01, 0.04), rng.uniform(0.5, 3), rng.uniform(0.5, 2), rng.uniform(0.5, 2)
    rows = size * np.linalg.qr(rng.normal(size=(n, n)))[0]
    links = 2 * (1 - q) * slope * exact_rademacher(NormBall(rows, radius, 2.0))
    bound = bounded_erm_excess(n, radius=radius, lipschitz=slope, feature_bound=size).value
    return links, bound / np.sqrt(n) if wrong else bound


CLAIM = Claim(
    id="T-42",
    title="Minimising over a ball",
    statement="E Risk(f_hat) - min Risk <= 2 L R D / sqrt(n)",
    assumptions=("the loss is L-Lipschitz", "E ||phi||^2 <= R^2", "||w|| <= D"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="1 / n in place of 1 / sqrt(n)",
    settings={"n": 8},
    uses=("T-31", "T-32", "T-37"),
)
