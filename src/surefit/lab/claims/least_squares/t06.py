"""Layer lab: the four equations of the Moore-Penrose inverse.  Catalogue T-06."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, n, d, rank, wrong=False):
    """``V S^+ U'`` of a matrix of low rank: both sides of the four equations, one below the other."""
    A = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    inverse = np.where(s > 1e-9 * s[0], 1 / np.maximum(s, 1e-300), 0.0)
    P = Vt.T @ ((s if wrong else inverse)[:, None] * U.T)
    left = [A @ P @ A, P @ A @ P, (A @ P).T, (P @ A).T]
    right = [A, P, A @ P, P @ A]
    return np.concatenate([m.ravel() for m in left]), np.concatenate([m.ravel() for m in right])


CLAIM = Claim(
    id="T-06",
    title="Singular values give the Moore-Penrose inverse",
    statement="A^+ = V S^+ U' satisfies A A^+ A = A, A^+ A A^+ = A^+, and A A^+, A^+ A are symmetric",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="singular values that are not inverted",
    settings={"n": 7, "d": 5, "rank": 3},
)
