"""Layer lab: ridge is stable where least squares is not.  Catalogue T-85."""

import numpy as np

from surefit.lab.claim import Claim, Kind, breaks
from surefit.theory.risk.conditioning import coefficient_shift_bound


def draw(rng, n, lam, wrong=False):
    """How far coefficients move when ``y`` moves along the direction that matters most, over the bound."""
    x = rng.normal(size=n)
    X = np.column_stack([x, x + 1e-3 * rng.normal(size=n)])
    S = X.T @ X / n
    shift = X @ np.linalg.eigh(S)[1][:, 0]
    moved = np.linalg.solve(S + lam * np.eye(2), X.T @ shift / n)
    return np.linalg.norm(moved), coefficient_shift_bound(X, shift, 2 * lam if wrong else lam)


CLAIM = Claim(
    id="T-85",
    title="Ridge coefficients move little when targets do",
    statement="||w(y + e) - w(y)|| <= ||X'e|| / (n (mu_min + lam))",
    assumptions=("lam > 0",),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="lam doubled",
    settings={"n": 40, "lam": 1e-4},
    uses=("T-13",),
    broken=breaks("lam > 0", lambda s: s["lam"] <= 0),
)
