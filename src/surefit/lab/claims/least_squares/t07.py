"""Layer lab: the shortest of all solutions.  Catalogue T-07."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks


def draw(rng, n, d, wrong=False):
    """The norm of the pseudo-inverse's solution over that of a solution nearby, with more unknowns than equations."""
    A, b = rng.normal(size=(n, d)), rng.normal(size=n)
    shortest = np.linalg.pinv(A) @ b
    basis = np.linalg.svd(A)[2][n:]
    other = shortest + 0.05 * np.linalg.norm(shortest) * basis.T @ rng.normal(size=d - n) / np.sqrt(d - n)
    if wrong:
        other, shortest = shortest, other
    assert np.allclose(A @ other, b)
    return np.linalg.norm(shortest), np.linalg.norm(other)


CLAIM = Claim(
    id="T-07",
    title="The pseudo-inverse gives the shortest solution",
    statement="every solution of A x = b is A^+ b + (I - A^+ A) z, and A^+ b is the shortest",
    assumptions=("A x = b has a solution",),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="another solution called the shortest",
    settings={"n": 4, "d": 9},
    uses=("T-06",),
    broken=breaks("A x = b has a solution", lambda s: s["n"] > s["d"]),
)
