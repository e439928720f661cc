"""Layer lab: whether a plane separates is a linear programme, with evidence either way.  Catalogue T-60."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.solvers.halfspaces.separability import is_separable


def draw(rng, n, d, wrong=False):
    """Rows made to be separable, or with a point put between others of the other class: found by the programme."""
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    labels = np.where(X @ w > 0, 1, -1)
    separable = bool(rng.integers(0, 2))
    if not separable:
        same = X[labels == labels[0]]
        X = np.vstack([X, same[:2].mean(axis=0) if len(same) > 1 else X[0]])
        labels = np.append(labels, -labels[0])
    found = is_separable(X, labels)
    proof = found.coef is not None if found.separable else found.conflict is not None
    return 1 + (found.separable and proof), 1 + (separable != wrong)


CLAIM = Claim(
    id="T-60",
    title="Separability is a linear programme",
    statement="a separating plane, or convex weights under which both classes meet: one of them exists",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the opposite answer",
    settings={"n": 15, "d": 3},
    draws=40,
)
