"""Layer lab: the Bayes classifier for the error rate.  Catalogue T-03."""

import itertools

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.finite_law import plug_in_classifier


def draw(rng, k, wrong=False):
    """The smallest error of all classifiers on ``k`` points beside that of ``1[eta > 1/2]``."""
    joint = rng.dirichlet(np.ones(2 * k)).reshape(k, 2)
    best = min(sum(joint[i, 1 - label] for i, label in enumerate(rule)) for rule in itertools.product((0, 1), repeat=k))
    eta = joint[:, 1] / joint.sum(axis=1)
    labels = 1 - plug_in_classifier(eta) if wrong else plug_in_classifier(eta)
    return best, joint[np.arange(k), 1 - labels].sum()


CLAIM = Claim(
    id="T-03",
    title="Bayes classifier for the error rate",
    statement="f* = 1[eta > 1/2] and R* = E min(eta, 1 - eta)",
    assumptions=("two classes",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the other label",
    settings={"k": 6},
    uses=("T-02",),
)
