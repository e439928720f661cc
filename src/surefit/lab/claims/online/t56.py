"""Layer lab: how many updates the perceptron needs, attained by orthonormal rows.  Catalogue T-56, T-57."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.solvers.halfspaces.perceptron import perceptron
from surefit.theory.bounds.online import perceptron_mistake_bound


def draw(rng, n, wrong=False):
    """Updates on ``n`` orthonormal rows with random labels over ``(B / margin)**2 = n``."""
    X, labels = np.linalg.qr(rng.normal(size=(n, n)))[0], rng.choice([-1, 1], size=n)
    run = perceptron(X, labels, max_epochs=50)
    margin = 1 / np.sqrt(n)  # of the sum of all t_i x_i
    bound = perceptron_mistake_bound(1.0, margin).value
    return run.mistakes.sum(), np.sqrt(bound) if wrong else bound


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=("a plane through the origin separates the rows", "w = 0 at the start"),
        kind=Kind.AT_MOST,
        draw=draw,
        mistake="B / margin that is not squared",
        settings={"n": 12},
        draws=100,
        uses=("T-55",),
    )


CLAIMS = (
    named("T-56", "The perceptron converges", "updates <= (max ||x_i|| / margin)^2, in any order"),
    named("T-57", "The bound is attained", "orthonormal rows need exactly (B / margin)^2 = n updates"),
)
