"""Layer lab: the quadratic tube without a tube is kernel ridge with an offset.  Catalogue T-74."""

import numpy as np

from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.svr import SVR
from surefit.kernels import Gaussian
from surefit.lab.claim import Claim, Kind


def draw(rng, n, lam, wrong=False):
    X = rng.uniform(-2, 2, size=(n, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n) + 2
    tube = SVR(Gaussian(0.7), lam=lam, epsilon=0.0, loss="quadratic", max_violation=1e-12).fit(X, y).predict(X)
    return tube, KernelRidge(Gaussian(0.7), 2 * lam if wrong else lam).fit(X, y).predict(X)


CLAIM = Claim(
    id="T-74",
    title="The quadratic tube of width zero is kernel ridge",
    statement="epsilon = 0 gives kernel ridge with an offset",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="lam doubled",
    settings={"n": 30, "lam": 0.05},
    draws=20,
    tolerance=9e-7,
)
