"""Layer lab: the potential of Widrow-Hoff falls in every round.  Catalogue T-52."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.bounds.online import widrow_hoff_potential


def draw(rng, d, step, wrong=False):
    """Change of the squared distance to a comparator plus the allowance, over the allowance, in the worst round.

    Rows have norm one, and the comparator's error is ``1 - step`` times the learner's: there it is attained.
    """
    X = rng.normal(size=(30, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    u, w, weights, y = rng.normal(size=d), np.zeros(d), [], []
    for x in X:
        target = (u @ x - (1 - step) * (w @ x)) / step + rng.normal() * 1e-3  # makes u.x - y = (1 - step)(w.x - y)
        weights.append(w)
        y.append(target)
        w = w - step * (w @ x - target) * x
    left, right = widrow_hoff_potential(np.array([*weights, w]), X, np.array(y), step, u)
    base = np.abs(left) + np.abs(right) + 1e-9
    return (left + base) / base, (right + base - (0.1 * np.abs(right) if wrong else 0)) / base


CLAIM = Claim(
    id="T-52",
    title="Potential inequality of Widrow-Hoff",
    statement="||w' - u||^2 - ||w - u||^2 <= -s l^2 + s / (1 - s B^2) g^2 in every round",
    assumptions=("||x_t|| <= B", "0 < s < 1 / B^2"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="the right side lower by a tenth of its size",
    settings={"d": 5, "step": 0.3},
    broken=breaks("0 < s < 1 / B^2", lambda s: not 0 < s["step"] < 1),
)
