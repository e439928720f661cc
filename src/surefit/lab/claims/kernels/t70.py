"""Layer lab: kernel ridge with the linear kernel is ridge.  Catalogue T-70."""

from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.ridge import Ridge
from surefit.kernels import Linear
from surefit.lab.claim import Claim, Kind, breaks


def draw(rng, n, d, lam, wrong=False):
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    by_kernel = KernelRidge(Linear(), lam * (n if wrong else 1), fit_intercept=False).fit(X, y).predict(X)
    return by_kernel, Ridge(lam, fit_intercept=False).fit(X, y).predict(X)


CLAIM = Claim(
    id="T-70",
    title="Kernel ridge with the linear kernel is ridge",
    statement="K (K + n lam I)^-1 y = X (X'X + n lam I)^-1 X'y",
    assumptions=("lam > 0",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="n counted twice",
    settings={"n": 12, "d": 4, "lam": 0.2},
    draws=60,
    uses=("T-21",),
    broken=breaks("lam > 0", lambda s: s["lam"] <= 0),
)
