"""Layer lab: one update of the perceptron.  Catalogue T-55."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, d, wrong=False):
    w, x, t = rng.normal(size=d), rng.normal(size=d), rng.choice([-1.0, 1.0])
    length = np.linalg.norm(x) if wrong else x @ x
    return t * (w + t * x) @ x + 10, t * w @ x + length + 10


CLAIM = Claim(
    id="T-55",
    title="One update of the perceptron",
    statement="t (w + t x)'x = t w'x + ||x||^2",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the norm that is not squared",
    settings={"d": 6},
)
