"""Layer lab: coefficients of kernel ridge may differ, the function does not.  Catalogue T-69."""

import numpy as np

from surefit.estimators.kernel_ridge import KernelRidge
from surefit.kernels import Gaussian
from surefit.lab.claim import Claim, Kind, breaks


def draw(rng, n, lam, wrong=False):
    """Predictions with rows given twice, beside a solution shifted along the null space of the Gram matrix."""
    X = rng.normal(size=(n, 2))
    X, y, new = np.vstack([X, X]), rng.normal(size=2 * n), rng.normal(size=(3, 2))
    kernel = Gaussian(1.0)
    K = kernel.gram(X)
    a = (
        np.linalg.solve(K + 2 * n * lam * np.eye(2 * n), y)
        + 5 * np.r_[np.ones(n), np.ones(n) if wrong else -np.ones(n)]
    )
    model = KernelRidge(kernel, lam, fit_intercept=False).fit(X, y)
    return kernel.block(new, X) @ a + 10, model.predict(new) + 10


CLAIM = Claim(
    id="T-69",
    title="Kernel ridge: one function, many coefficients",
    statement="all solutions a + ker K give the same function",
    assumptions=("lam > 0",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="a shift outside the null space",
    settings={"n": 5, "lam": 0.1},
    draws=60,
    broken=breaks("lam > 0", lambda s: s["lam"] <= 0),
)
