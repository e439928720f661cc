"""Layer lab: how many kernel values fits and predictions need.  Catalogue C-02, C-03, C-09, C-10."""

import numpy as np

from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.svr import SVR
from surefit.estimators.transformers import PivotedCholesky
from surefit.kernels import Kernel
from surefit.lab.claim import Claim, Kind


class Asked(Kernel):
    """A Gaussian kernel that counts the pairs it is asked for."""

    def __init__(self):
        self.asked = 0

    def pairs(self, X, Z, dtype):
        self.asked += len(X) * len(Z)
        return np.exp(-((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))

    def self_pairs(self, X):
        self.asked += len(X)
        return np.ones(len(X))


def prediction(rng, n, wrong=False):
    """Values for seven predictions of kernel ridge: one for each training row."""
    X = rng.normal(size=(n, 3))
    model = KernelRidge(Asked(), 0.1).fit(X, X[:, 0])
    model.kernel_.asked = 0
    model.predict(X[:7])
    return model.kernel_.asked, 7 * 3 if wrong else 7 * n


def gram(rng, n, wrong=False):
    """Values for a Gram matrix: each pair of rows once, and small blocks on the diagonal whole."""
    kernel = Asked()
    kernel.gram(rng.normal(size=(n, 3)))
    assert kernel.asked >= n * (n + 1) / 2
    return kernel.asked, 40 * n if wrong else n * (n + 330) / 2


def low_rank(rng, n, wrong=False):
    """Values for a partial Cholesky factor of rank 10: ten columns and the diagonal, not ``n**2``."""
    map_ = PivotedCholesky(Asked(), max_rank=10).fit(rng.normal(size=(n, 3)))
    return map_.kernel_.asked, 5 * n if wrong else 11 * n


def sparse(rng, n, wrong=False):
    """Values for nine predictions of support-vector regression: one for each support vector."""
    X = rng.uniform(-2, 2, size=(n, 1))
    model = SVR(Asked(), lam=1e-2, epsilon=0.3).fit(X, np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n))
    model.kernel_.asked = 0
    model.predict(X[:9])
    return model.kernel_.asked, 9 * (n if wrong else len(model.support_))


CLAIMS = tuple(
    Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=kind,
        draw=draw,
        mistake=mistake,
        settings={"n": n},
        draws=6,
    )
    for entry, title, statement, kind, draw, mistake, n in (
        ("C-02", "Predictions of kernel ridge", "n values each", Kind.EXACT, prediction, "d values each", 60),
        ("C-03", "A Gram matrix", "n (n + 600) / 2 values", Kind.AT_MOST, gram, "of the order of n", 2000),
        ("C-09", "A factor of low rank", "of the order of n r values", Kind.AT_MOST, low_rank, "half of them", 400),
        ("C-10", "Sparse predictions", "one value for each support vector", Kind.EXACT, sparse, "all rows", 80),
    )
)
